import * as z from 'zod';
import { HISTORY_FORMS } from '../evaluation/context';
import { INSTANCE_TYPES } from '../dataset/instance-type';

const chatSchema = z.array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }));
/** Messages in the form that chat templates take. TRL takes a row only if its columns of texts are all of this form. */
export type Chat = z.infer<typeof chatSchema>;

/** Row of `--format turns`: an answer of the simulated assistant, with what its user thought of it. `prompt` and `completion` are columns of TRL. */
export const turnRowSchema = z.object({
  persona_id: z.string(),
  session: z.number().int(),
  /** Number of the answer in its dialogue, from 1. */
  turn: z.number().int(),
  /** The dialogue before the answer. */
  prompt: chatSchema,
  /** The answer alone. */
  completion: chatSchema,
  /** From 1 to 10; null for the last answer of an unsatisfied dialogue, which is not judged. */
  score: z.number().int().nullable(),
  checklist: z.array(z.string()),
  /** Null if the user does not judge each item. */
  satisfied: z.array(z.string()).nullable(),
  /** Items that the user's message refers to. */
  raised: z.array(z.string()).nullable(),
  stale: z.boolean(),
});
export type TurnRow = z.infer<typeof turnRowSchema>;

/** Row of `--format sft`: a chat to learn the assistant's last message from. */
export const chatRowSchema = z.object({
  kind: z.enum(['assistant', 'inference']),
  persona_id: z.string(),
  /** For the assistant. */
  session: z.number().int().nullable(),
  /** For inference. */
  instance_type: z.enum(INSTANCE_TYPES).nullable(),
  messages: chatSchema,
});
export type ChatRow = z.infer<typeof chatRowSchema>;

const pairShape = { prompt: chatSchema, chosen: chatSchema, rejected: chatSchema };
const scoreShape = { chosen_score: z.number().int(), rejected_score: z.number().int() };

/** Row of `--format preference-pairs` of a run: two answers of a dialogue. The first columns are those of TRL. */
export const answerPairRowSchema = z.object({
  ...pairShape,
  ...scoreShape,
  persona_id: z.string(),
  session: z.number().int(),
  chosen_turn: z.number().int(),
  rejected_turn: z.number().int(),
  stale: z.boolean(),
});
export type AnswerPairRow = z.infer<typeof answerPairRowSchema>;

/** Row of `--format preference-pairs` of an evaluation: responses of two models to the same prompt. */
export const responsePairRowSchema = z.object({
  ...pairShape,
  ...scoreShape,
  persona_id: z.string(),
  instance_type: z.enum(INSTANCE_TYPES),
  context: z.enum(HISTORY_FORMS),
  judge: z.string(),
  chosen_model: z.string(),
  rejected_model: z.string(),
});
export type ResponsePairRow = z.infer<typeof responsePairRowSchema>;
