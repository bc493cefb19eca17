import type { Cell } from '../../schemas/evaluation/evaluation';
import type { EvaluationInputs } from '../../schemas/evaluation/evaluation-run';
import type { RunInputs } from '../../schemas/run/run';
import type { StepSettings } from '../../schemas/run/settings';
import type { EvaluationStep, Step, SynthesisStep } from '../../schemas/run/step';
import { ROLE_OF } from './roles';

/** A model, and the parameters of a step that calls it. */
export interface ModelUse {
  readonly spec: string;
  /** Absent if the use is not known. */
  readonly step?: Step;
  readonly asking: Pick<StepSettings, 'temperature' | 'reasoningEffort' | 'body'>;
}

/** Returns the models that these steps of a run call. A model that a retry replaced is left out, because it may be gone. */
export function listSynthesisUses(
  { settings, restarts }: Pick<RunInputs, 'settings' | 'restarts'>,
  steps: readonly SynthesisStep[],
): ModelUse[] {
  return steps.flatMap((step) => {
    const role = ROLE_OF[step];
    const restartModels = restarts.flatMap(({ model }) => (model?.role === role ? [model.spec] : []));
    const specs = restartModels.length === 0 ? [settings.models[role]] : [...new Set(restartModels)];
    return specs.map((spec) => ({ spec, step, asking: settings.steps[step] }));
  });
}

/** Returns these models of an evaluation, each with the first step that calls it in a cell. */
export function listEvaluationUses(
  { cells, settings, verifier }: Pick<EvaluationInputs, 'cells' | 'settings' | 'verifier'>,
  specs: readonly string[],
): ModelUse[] {
  const steps = cells.flatMap(listSteps);
  return specs.map((spec) => {
    // A model that is in no cell classifies errors or verifies the data.
    const defaultStep = spec === verifier ? 'express' : 'classify';
    const step = steps.find((candidate) => candidate.spec === spec)?.step ?? defaultStep;
    return { spec, step, asking: settings.steps[step] };
  });
}

function listSteps(cell: Cell): { readonly spec: string; readonly step: EvaluationStep }[] {
  if (cell.task === 'choice') return [{ spec: cell.model, step: 'choose' }];
  return cell.task === 'inference'
    ? [
        { spec: cell.model, step: 'infer' },
        { spec: cell.decomposer, step: 'decompose' },
        { spec: cell.matcher.spec, step: 'match' },
      ]
    : [
        { spec: cell.model, step: 'respond' },
        { spec: cell.judge, step: 'judge' },
      ];
}
