import { hasSimulated } from '../../schemas/model/model-spec';
import type { RunInputs } from '../../schemas/run/run';
import type { SynthesisStep } from '../../schemas/run/step';
import type { ModelRole } from '../../schemas/model/model-role';

/** The role of the model that a step of synthesis asks (paper, B). */
export const ROLE_OF: Readonly<Record<SynthesisStep, ModelRole>> = {
  describe: 'synthesis',
  factors: 'synthesis',
  journey: 'synthesis',
  checklist: 'synthesis',
  user: 'user',
  assistant: 'assistant',
};

/** Returns the SPECs of all models that a run asks: those of its settings and of its restarts. */
export function listModels({ settings, restarts }: Pick<RunInputs, 'settings' | 'restarts'>): string[] {
  const restartModels = restarts.flatMap(({ model }) => (model === undefined ? [] : [model.spec]));
  return [...new Set([...Object.values(settings.models), ...restartModels])];
}

/** Returns true if a model of the run, or of the data that its personas come from, is simulated. */
export function isSimulatedRun(inputs: Pick<RunInputs, 'settings' | 'restarts' | 'seeds'>): boolean {
  return inputs.seeds.simulated === true || hasSimulated(listModels(inputs));
}
