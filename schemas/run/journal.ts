import * as z from 'zod';
import { tierSchema } from '../model/model-table';
import { usageSchema } from '../model/usage';

/** One answered call in the journal. Good, bad or refused, it was paid for. */
export const journalEntrySchema = z.object({
  /** Place of the call in the run: workflow, revision, step, turn, attempt. */
  key: z.string(),
  /** SHA-256 of the request, hexadecimal: two different requests never share an entry. */
  request: z.string(),
  /**
   * SHA-256 of the part of the request that does not come from earlier answers, hexadecimal. If only `request` differs, an earlier answer has
   * changed.
   */
  settings: z.string(),
  /** The SPEC of the model that was asked. */
  spec: z.string(),
  answer: z.object({
    text: z.string(),
    /** Text as sent by the provider; absent if it equals `text`. */
    raw: z.string().optional(),
    finish: z.enum(['complete', 'length', 'reasoning', 'refused', 'failed']),
    /** The provider's reason of an answer that failed. */
    failure: z.string().optional(),
    /** The model as named in the response. */
    model: z.string(),
    /** The tier named in the response; absent for the standard one. */
    tier: tierSchema.optional(),
    usage: usageSchema,
  }),
  /** The ledger call that it answers, by worker and number. Other calls sent with the same key are lost. */
  ledgerCall: z.string(),
  durationMs: z.number().nonnegative(),
});
export type JournalEntry = z.infer<typeof journalEntrySchema>;
