import * as z from 'zod';
import { modelSpecSchema } from '../model/model-spec-schema';
import { SYNTHESIS_STEPS } from './step';
import { MODEL_ROLES } from '../model/model-role';

/**
 * A place from which a persona's work is restarted. This call and everything that depends on it are asked in another revision of the journal's
 * keys. All other calls keep their answers.
 */
export const restartSchema = z.object({
  persona: z.number().int().positive(),
  /** For steps of a dialogue only. */
  session: z.number().int().positive().optional(),
  step: z.enum(SYNTHESIS_STEPS),
  /** As in the journal's keys: the turn of a dialogue, the number of a checklist, else 0. */
  turn: z.number().int().nonnegative(),
  /** From 1. Restarts of one command have the same number, which is higher than all earlier ones of the persona. */
  revision: z.number().int().positive(),
  /** The model that has this role in all restarted work, instead of the settings' model. */
  model: z.object({ role: z.enum(MODEL_ROLES), spec: modelSpecSchema }).optional(),
});
export type Restart = z.infer<typeof restartSchema>;
