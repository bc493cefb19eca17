import {
  writeEvaluationPlan,
  writeInstances,
  type StoredInstance,
} from '../../../../data/run/evaluation-plan';
import { openJournal } from '../../../../data/run/journal';
import type { Store } from '../../../../data/store/store';
import { buildJournalKey } from '../../../../engine/journal/key';
import { readStoredEvaluation, type StoredEvaluation } from '../../../../runs/evaluate/outcomes';
import type { Instance } from '../../../../schemas/dataset/instance';
import {
  evaluationSettingsSchema,
  type EvaluationInputs,
} from '../../../../schemas/evaluation/evaluation-run';
import type { EvaluationStep } from '../../../../schemas/run/step';
import { buildJournalEntry } from '../../../journal-entry';

export const RUN = 'cupid-eval-test';

/** Stores an evaluation of these instances, without prompts. */
export async function storeEvaluation(
  store: Store,
  instances: readonly Instance[],
  inputs: Partial<EvaluationInputs> = {},
): Promise<StoredEvaluation> {
  await writeInstances(store, stored());
  await writeEvaluationPlan(store, {
    inputs: {
      kind: 'evaluation',
      id: RUN,
      data: { argument: 'data', source: 'data', files: [], sha256: '', instances: instances.length },
      settings: evaluationSettingsSchema.parse({}),
      prompts: { source: 'test', hash: '' },
      models: [],
      evaluators: [],
      cells: [],
      ...inputs,
    },
    prompts: { source: 'test', hash: '', prompts: {} },
  });
  return readStoredEvaluation(store);

  async function* stored(): AsyncGenerator<StoredInstance> {
    for (const instance of instances) yield { instance, priorTokens: 10, synthesizer: null };
  }
}

/** Stores the first answer to a call of an evaluation. @param model as named in the response */
export async function storeAnswer(
  store: Store,
  workflowId: string,
  step: EvaluationStep,
  turn: number | string,
  text: string,
  model = 'default',
): Promise<void> {
  const key = buildJournalKey({ workflowId, revision: 0, step, turn, attempt: 0 });
  await openJournal(store).append(buildJournalEntry(key, { text, model }));
}
