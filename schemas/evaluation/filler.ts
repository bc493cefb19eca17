import * as z from 'zod';

/** A session of another persona that extends a history. */
export const fillerSchema = z.object({
  /** Number of the row that it is stored with, and its number there, both from 1. */
  row: z.number().int().positive(),
  session: z.number().int().positive(),
  /** Tokens that it adds to the interaction log. */
  tokens: z.number().int().nonnegative(),
});
export type Filler = z.infer<typeof fillerSchema>;
