import * as z from 'zod';
import { replayedSessionSchema } from '../dataset/replay';
import { modelSpecSchema } from '../model/model-spec-schema';

/** The memory system of an evaluation. */
export const memorySchema = z.strictObject({
  spec: modelSpecSchema,
  /** Tokens of the context that a model under test is shown; the rest is cut off. */
  budgetTokens: z.number().int().positive(),
  /** Maximum duration of one message, in milliseconds; absent for ten minutes. Another one does not make it another memory system. */
  timeoutMs: z.number().positive().optional(),
});
export type Memory = z.infer<typeof memorySchema>;

/** The question to a memory system about one instance: it is given the sessions one by one, then the request. */
export const recallSchema = z.strictObject({
  /** Opaque, and different for each trial, so that users are kept apart. */
  user: z.string(),
  sessions: z.array(replayedSessionSchema),
  request: z.string(),
  budget: z.number().int().positive(),
});
export type Recall = z.infer<typeof recallSchema>;

/** The answer of a memory system, and how long it took. The journal has it as JSON. */
export const recalledSchema = z.strictObject({
  context: z.string(),
  /** Ids of the sessions that the context comes from, the most relevant first; absent if the system does not say. */
  sessions: z.array(z.string()).optional(),
  /** Number of messages that it answered before it was done with them (HTTP status 202); absent for none. */
  unfinishedMessages: z.number().int().positive().optional(),
  addMs: z.number().nonnegative(),
  queryMs: z.number().nonnegative(),
});
export type Recalled = z.infer<typeof recalledSchema>;
