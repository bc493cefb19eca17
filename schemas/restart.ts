import { z } from 'zod';
import { modelSpecSchema } from './model-spec-schema';
import { MODEL_ROLES, SYNTHESIS_STEPS } from './step';

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
  /** From 1; those asked for by one command share theirs, which is higher than all before it of the same persona. */
  generation: z.number().int().positive(),
  /** Who plays this part, in place of who plays it otherwise, in all that is done over. */
  model: z.object({ role: z.enum(MODEL_ROLES), spec: modelSpecSchema }).optional(),
});
export type Restart = z.infer<typeof restartSchema>;
