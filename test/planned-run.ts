import type { RunPlan } from '../data/run/inputs';
import { planRun, readRunRequest, type RunMaterial } from '../runs/synthesize/inputs';
import { synthesisSettingsSchema } from '../schemas/run/settings';

/** Lets one model play all roles of a synthesis. */
export function castModel(model = 'simulated:default') {
  return { synthesis: model, user: model, assistant: model };
}

/** Plans a synthesis of one persona by the simulated model; settings replace these. */
export async function planSmallRun(settings: object = {}, files: RunMaterial = {}): Promise<RunPlan> {
  const parsed = synthesisSettingsSchema.parse({ nPersonas: 1, models: castModel(), ...settings });
  return planRun(await readRunRequest(parsed, files));
}
