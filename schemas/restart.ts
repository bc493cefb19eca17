import { z } from 'zod';
import { modelSpecSchema } from './model-spec';
import { SYNTHESIS_STEPS } from './step';

/**
 * A place from which on a persona's work is done over: this call and all that hangs on it are asked in another generation of
 * the journal's keys. What is not named keeps the answers it has.
 */
export const restartSchema = z.object({
  persona: z.number().int().positive(),
  /** With the steps of a dialogue only. */
  session: z.number().int().positive().optional(),
  step: z.enum(SYNTHESIS_STEPS),
  /** As in the journal's keys: the turn of a dialogue, the number of a checklist, else 0. */
  turn: z.number().int().nonnegative(),
  /** From 1; higher than every one before it of the same persona. */
  generation: z.number().int().positive(),
  /** Asked in place of the model that otherwise plays this step's role, for all that is done over. */
  model: modelSpecSchema.optional(),
});
export type Restart = z.infer<typeof restartSchema>;
