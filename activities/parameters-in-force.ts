import { readLearnedModels } from '../data/run/learned-models';
import { buildModelTable } from '../data/model-table';
import { readSteering } from '../data/run/steering';
import type { Store } from '../data/store/store';
import { chooseParameters } from '../models/parameters';
import { collectFacts } from '../engine/model-facts/facts';
import { ROLE_OF } from '../engine/model-facts/roles';
import { OWN_STEPS } from '../rules/trials/outcomes';
import type { EvaluationInputs } from '../schemas/evaluation/evaluation-run';
import { formatModelName } from '../schemas/model/model-spec';
import type { ModelTable } from '../schemas/model/model-table';
import type { ParametersInForce } from '../schemas/run/run';
import type { StepSettings, SynthesisSettings } from '../schemas/run/settings';
import { EVALUATION_STEPS, SYNTHESIS_STEPS } from '../schemas/run/step';
import { omitUndefined } from '../schemas/omit-undefined';

/** Reads the current parameters of each step's requests in a synthesis run: those of its settings that its model accepts. */
export async function readSynthesisParameters(
  store: Store,
  { models, steps }: SynthesisSettings,
): Promise<ParametersInForce> {
  const table = await readTable(store);
  return Object.fromEntries(
    SYNTHESIS_STEPS.map((step) => [step, getSentParameters(models[ROLE_OF[step]], steps[step], table)]),
  );
}

/** Reads the same of an evaluation, by step and model: `infer openai:gpt-6-luna`. */
export async function readEvaluationParameters(
  store: Store,
  { settings, models, evaluators }: EvaluationInputs,
): Promise<ParametersInForce> {
  const table = await readTable(store);
  return Object.fromEntries(
    EVALUATION_STEPS.flatMap((step) =>
      (OWN_STEPS.has(step) ? models : evaluators).map((spec) => [
        `${step} ${formatModelName(spec)}`,
        getSentParameters(spec, settings.steps[step], table),
      ]),
    ),
  );
}

async function readTable(store: Store): Promise<ModelTable> {
  return [...buildModelTable(await readSteering(store)), ...(await readLearnedModels(store))];
}

function getSentParameters(spec: string, asking: StepSettings, table: ModelTable): ParametersInForce[string] {
  const facts = collectFacts(spec, table);
  const { api, temperature, seed, effort, tokenLimit } = chooseParameters({ ...asking, seed: 0 }, {}, facts);
  return {
    ...omitUndefined({
      temperature,
      reasoningEffort: effort,
      api,
      seed: seed !== undefined,
      tokenLimit,
      body: asking.body,
    }),
    ...(facts.assistantFirst === 'rejected' && { assistantFirst: facts.assistantFirst }),
    ...(facts.systemRole === 'rejected' && { systemRole: facts.systemRole }),
  };
}
