import { z } from 'zod';
import { callEstimateSchema } from './ledger';
import { STEPS } from './step';

/** One request of a batch: the call that its answer belongs to. */
export const batchCallSchema = z.object({
  /** In the batch, from 1; also in its ledger. */
  number: z.number().int().positive(),
  key: z.string(),
  /** As in the journal. */
  request: z.string(),
  settings: z.string(),
  maxTokens: z.number().int().positive(),
  estimate: callEstimateSchema,
});
export type BatchCall = z.infer<typeof batchCallSchema>;

/** A batch of one step's calls to one model. What is absent has not happened yet. */
export const batchSchema = z.object({
  /** In the run, from 1. */
  number: z.number().int().positive(),
  /** Under which the provider knows it; at most 40 of `A-Za-z0-9_-`. */
  id: z.string().regex(/^[\w-]{1,40}$/),
  spec: z.string(),
  step: z.enum(STEPS),
  requests: z.number().int().positive(),
  estimate: callEstimateSchema,
  /** Of the file of its requests, hexadecimal. */
  sha256: z.string(),
  /** Kept before it is sent: what it is sent with, and when for the first time, in milliseconds since 1970. */
  sending: z
    .object({
      at: z.number().int().positive(),
      account: z.string(),
      /** How often it was sent and may have arrived; absent: once. */
      sends: z.number().int().nonnegative().optional(),
      /** Since when the provider's list has lacked it, in milliseconds since 1970. It may be listed later. */
      missingSince: z.number().int().positive().optional(),
    })
    .optional(),
  /** Once the provider has named it. */
  providerId: z.string().optional(),
  /** The provider's further batches when it was sent more than once. They were cancelled; the oldest counts. */
  duplicates: z.array(z.string()).optional(),
  /** Requests that were answered so far, as the provider counts them. */
  answered: z.number().int().nonnegative().optional(),
  /** Who had the provider stop it: the user, or its deadline. */
  cancelledBy: z.enum(['user', 'deadline']).optional(),
  ended: z
    .object({
      how: z.enum(['completed', 'expired', 'cancelled', 'failed', 'full', 'unanswered']),
      answered: z.number().int().nonnegative(),
      /** Keys of the calls without an answer that go into no further batch. */
      left: z.array(z.string()),
      message: z.string().optional(),
    })
    .optional(),
});
export type Batch = z.infer<typeof batchSchema>;
