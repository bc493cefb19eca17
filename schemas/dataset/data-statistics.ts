import * as z from 'zod';

const count = z.number().int().nonnegative();
/** Undefined if there is nothing to count. */
const mean = z.number().nonnegative().optional();

const distributionSchema = z.array(
  z.object({
    type: z.string(),
    count,
    /** Share of all counted, 0 to 1. */
    share: z.number().min(0).max(1),
  }),
);
/** Every type of a vocabulary, and any other that occurred; most frequent first. */
export type Distribution = z.infer<typeof distributionSchema>;

/** The statistics that the paper reports about its data set (3.3), for any data set. */
export const dataStatisticsSchema = z.object({
  personas: count,
  instances: count,
  /** Distinct preferences of each persona: one that several sessions have counts once. */
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
  /** Per dialogue, of both sides; comparable with the paper's turns. */
  messages: mean,
  /** Per dialogue: the tokens of its messages' texts alone. */
  dialogueTokens: mean,
  /** Per instance: the tokens of the messages' texts in all its prior dialogues. */
  priorTokens: mean,
  /** Types of the context factors; like the next two, absent without records. */
  factorTypes: distributionSchema.optional(),
  /** Types of the context factors' preferences. */
  preferenceTypes: distributionSchema.optional(),
  /** Types of the sessions' tasks. */
  taskTypes: distributionSchema.optional(),
  /** Name of the tokenizer for these counts. */
  tokenizer: z.string(),
});
export type DataStatistics = z.infer<typeof dataStatisticsSchema>;
