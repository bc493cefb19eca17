import { z } from 'zod';

const count = z.number().int().nonnegative();
/** Undefined where there is nothing to count. */
const mean = z.number().nonnegative().optional();

const distributionSchema = z.array(
  z.object({
    type: z.string(),
    count,
    /** Of all that were counted: 0 to 1. */
    share: z.number().min(0).max(1),
  }),
);
/** Every type of a vocabulary, and any other that occurred, the most frequent first. */
export type Distribution = z.infer<typeof distributionSchema>;

/** What the paper reports about its data set (3.3), counted over another one. */
export const dataStatisticsSchema = z.object({
  personas: count,
  instances: count,
  /** Each persona's distinct ones: a preference that several sessions have counts once. */
  preferences: count,
  /** Per preference. */
  preferenceTokens: mean,
  /** Per decomposed preference. */
  checklistItems: mean,
  dialogues: count,
  /** Dialogues that ended without satisfying the user; absent without records. */
  unsatisfiedDialogues: count.optional(),
  /** Per dialogue: the user's messages, including the opening request. */
  userMessages: mean,
  /** Per dialogue, of both sides: what the paper's turns are compared with. */
  messages: mean,
  /** Per dialogue: of its messages' texts, without anything around them. */
  dialogueTokens: mean,
  /** Per instance: of the messages' texts in all its prior dialogues. */
  priorTokens: mean,
  /** Of the context factors; absent without records, as are the other two. */
  factorTypes: distributionSchema.optional(),
  /** Of the context factors' preferences. */
  preferenceTypes: distributionSchema.optional(),
  /** Of the sessions. */
  taskTypes: distributionSchema.optional(),
  /** What counts the tokens. */
  tokenizer: z.string(),
});
export type DataStatistics = z.infer<typeof dataStatisticsSchema>;
