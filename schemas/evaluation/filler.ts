import * as z from 'zod';

/** A session of another persona that extends a history. */
const fillerSchema = z.object({
  /** Number of the row that it is stored with, and its number there, both from 1. */
  row: z.number().int().positive(),
  session: z.number().int().positive(),
  /** Tokens that it adds to the interaction log. */
  tokens: z.number().int().nonnegative(),
});
export type Filler = z.infer<typeof fillerSchema>;

/** Sessions that extend the histories of a persona, whose rows have these numbers. */
export const personaFillersSchema = z.object({
  rows: z.array(z.number().int()),
  fillers: z.array(fillerSchema),
});
export type PersonaFillers = z.infer<typeof personaFillersSchema>;
