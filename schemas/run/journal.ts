import { z } from 'zod';
import { tierSchema } from '../model/model-table';
import { usageSchema } from '../model/usage';

/** One answered call, as the journal keeps it: good, bad or refused, it was paid for. */
export const journalEntrySchema = z.object({
  /** Where the call stands in the run: workflow, revision, step, turn, ask. */
  key: z.string(),
  /** SHA-256 of what was asked, hexadecimal: two different questions never share an entry. */
  request: z.string(),
  /**
   * SHA-256 of what of the request does not come from earlier answers, hexadecimal. If the request differs and this does not, an
   * earlier answer has changed.
   */
  settings: z.string(),
  /** The SPEC of the model that was asked. */
  spec: z.string(),
  answer: z.object({
    text: z.string(),
    /** As the provider gave it; absent if it is the text. */
    raw: z.string().optional(),
    finish: z.enum(['complete', 'length', 'reasoning', 'refused']),
    /** As the response named it. */
    model: z.string(),
    /** The tier that the response names; absent for the standard one. */
    tier: tierSchema.optional(),
    usage: usageSchema,
  }),
  /** The call of the ledger that it answers, by worker and number: where others were sent under the same key, these are lost. */
  ledgerCall: z.string().optional(),
  /** How long the model took, in milliseconds. */
  milliseconds: z.number().nonnegative(),
});
export type JournalEntry = z.infer<typeof journalEntrySchema>;
