import { readLearned } from '../data/run/learned-models';
import { tableFor } from '../data/model-table';
import { readSteering } from '../data/run/steering';
import type { Store } from '../data/store/store';
import { parametersFor } from '../models/parameters';
import { factsOf } from '../model-facts/facts';
import { ROLE_OF } from '../model-facts/roles';
import { OWN_STEPS } from '../rules/trials/outcomes';
import type { EvaluationInputs } from '../schemas/evaluation-run';
import { modelName } from '../schemas/model-spec';
import type { ModelTable } from '../schemas/model-table';
import type { ParametersInForce } from '../schemas/run';
import type { Asking, SynthesisSettings } from '../schemas/settings';
import { EVALUATION_STEPS, SYNTHESIS_STEPS } from '../schemas/step';

/** What each step of a synthesis run is sent with now: what its settings ask for, as far as its model takes it. */
export async function parametersInForce(
  store: Store,
  { models, steps }: SynthesisSettings,
): Promise<ParametersInForce> {
  const table = await tableOf(store);
  return Object.fromEntries(
    SYNTHESIS_STEPS.map((step) => [step, sentParameters(models[ROLE_OF[step]], steps[step], table)]),
  );
}

/** The same of an evaluation, by step and model: `infer openai:gpt-6-luna`. */
export async function evaluationParameters(
  store: Store,
  { settings, models, evaluators }: EvaluationInputs,
): Promise<ParametersInForce> {
  const table = await tableOf(store);
  return Object.fromEntries(
    EVALUATION_STEPS.flatMap((step) =>
      (OWN_STEPS.has(step) ? models : evaluators).map((spec) => [
        `${step} ${modelName(spec)}`,
        sentParameters(spec, settings.steps[step], table),
      ]),
    ),
  );
}

async function tableOf(store: Store): Promise<ModelTable> {
  return [...tableFor(await readSteering(store)), ...(await readLearned(store))];
}

function sentParameters(spec: string, asking: Asking, table: ModelTable): ParametersInForce[string] {
  const { temperature, seed, effort, tokenLimit } = parametersFor(
    { ...asking, seed: 0 },
    {},
    factsOf(spec, table),
  );
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
    seed: seed !== undefined,
    tokenLimit,
  };
}
