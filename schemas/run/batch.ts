import * as z from 'zod';
import { callEstimateSchema } from './ledger';
import { STEPS } from './step';

/** One request of a batch, identified by the call that it belongs to. */
export const batchCallSchema = z.object({
  /** Number in the batch, from 1; the same in its ledger. */
  number: z.number().int().positive(),
  key: z.string(),
  /** As in the journal. */
  request: z.string(),
  settings: z.string(),
  maxTokens: z.number().int().positive(),
  temperature: z.union([z.number(), z.literal('default')]),
  reasoningEffort: z.string().optional(),
  estimate: callEstimateSchema,
});
export type BatchCall = z.infer<typeof batchCallSchema>;

/** A batch of one step's calls to one model. Absent fields have not happened yet. */
export const batchSchema = z.object({
  /** Number in the run, from 1. */
  number: z.number().int().positive(),
  /** Our id for it at the provider; at most 40 of `A-Za-z0-9_-`. */
  id: z.string().regex(/^[\w-]{1,40}$/),
  spec: z.string(),
  step: z.enum(STEPS),
  requests: z.number().int().positive(),
  estimate: callEstimateSchema,
  /** SHA-256 of the file of its requests, hexadecimal. */
  sha256: z.string(),
  /** Stored before it is sent: how it is sent, and the time of the first attempt in milliseconds since 1970. */
  submission: z
    .object({
      sentAtMs: z.number().int().positive(),
      account: z.string(),
      /** Number of times that it was sent and may have arrived; absent: once. */
      sends: z.number().int().nonnegative().optional(),
      /** Time since which the provider's list has lacked it, in milliseconds since 1970. It may still be listed later. */
      missingSinceMs: z.number().int().positive().optional(),
    })
    .optional(),
  /** Present once the provider has given it. */
  providerId: z.string().optional(),
  /** The provider's other batches if it was sent more than once. They were cancelled; the oldest counts. */
  duplicates: z.array(z.string()).optional(),
  /** Requests answered so far, as counted by the provider. */
  answers: z.number().int().nonnegative().optional(),
  /** The reason why it was cancelled: the user, or its deadline. */
  cancelledBy: z.enum(['user', 'deadline']).optional(),
  end: z
    .object({
      outcome: z.enum(['completed', 'expired', 'cancelled', 'failed', 'full', 'unanswered']),
      answers: z.number().int().nonnegative(),
      /** Keys of the unanswered calls that go into no further batch. */
      unansweredKeys: z.array(z.string()),
      message: z.string().optional(),
    })
    .optional(),
});
export type Batch = z.infer<typeof batchSchema>;
