import { openEvaluation } from '../../data/run/evaluation-plan';
import { buildModelTable } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import type { Store } from '../../data/store/store';
import { findAssistantWarning, listEvaluatorWarnings } from '../../model-facts/warnings';
import type { SynthesisSettings } from '../../schemas/run/settings';

/** What speaks against the models of a synthesis run. */
export async function listSynthesisWarnings(
  store: Store,
  models: SynthesisSettings['models'],
): Promise<string[]> {
  const warning = findAssistantWarning(models, buildModelTable(await readSteering(store)));
  return warning === undefined ? [] : [warning];
}

/** What speaks against the evaluators of an evaluation, whose instances must have been kept. */
export async function listEvaluationWarnings(store: Store, evaluators: readonly string[]): Promise<string[]> {
  // The rows of one data set have the same origin, but for personas that were retried with another model.
  const { synthesizer } = await (await openEvaluation(store)).instance(1);
  return listEvaluatorWarnings(evaluators, [synthesizer]);
}
