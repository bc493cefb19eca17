import { z } from 'zod';
import { modelSpecSchema } from '../model/model-spec-schema';
import { MODEL_ROLES, SYNTHESIS_STEPS } from './step';

/**
 * A place from which a persona's work is restarted: this call and all that depends on it are asked in another revision of
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
  /** The model that has this role in all restarted work, instead of the settings' model. */
  model: z.object({ role: z.enum(MODEL_ROLES), spec: modelSpecSchema }).optional(),
});
export type Restart = z.infer<typeof restartSchema>;
