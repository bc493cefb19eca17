import { readLocatedRows } from '../../../../runs/evaluate/located-rows';
import { readStoredEvaluation, type StoredEvaluation } from '../../../../runs/evaluate/outcomes';
import {
  hasOpenStudies,
  planStudies,
  readStudyResults,
  type StudyResults,
} from '../../../../runs/evaluate/studies';
import {
  writeEvaluationPlan,
  writeInstances,
  readStudies,
  type StoredInstance,
} from '../../../../data/run/evaluation-plan';
import { openJournal } from '../../../../data/run/journal';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { buildJournalKey, buildTrialWorkflowId } from '../../../../engine/journal/key';
import { buildMatchTurn, numberMatcher, buildStudyWorkflowId } from '../../../../rules/trials/trials';
import type { Cell, ErrorType } from '../../../../schemas/evaluation/evaluation';
import { evaluationSettingsSchema } from '../../../../schemas/evaluation/evaluation-run';
import { buildSmallInstances } from '../../../engine/workflows/evaluation/evaluation-model';
import { createEmptiedFolder } from '../../../temporary-folder';

const MODEL = 'openai:tested';
const PANEL = ['openai:first', 'openai:second'];
const RUN = 'cupid-eval-test';
const ERRORS = { count: 2, labeller: PANEL[0] ?? '' };

const folder = createEmptiedFolder();
let store: Store;
beforeEach(async () => {
  store = createFolderStore(folder);
});

test('each column keeps the errors that were drawn of it when another column is added, and gets no other labels', async () => {
  const before = await evaluationBy(PANEL.slice(0, 1));
  expect(await planStudies(before, { errors: ERRORS })).toEqual(['errors']);
  await classified('Vagueness');
  const { error_types: alone = [], labelled_errors: first = [] } = await resultsOf(before);
  expect(alone).toMatchObject([{ evaluator: 'openai:first', n_labelled: 2, n_missing: 0 }]);

  const grown = await evaluationBy(PANEL);
  await planStudies(grown, { errors: ERRORS });
  // An inference that was labelled before keeps its first answer.
  await classified('Hallucination');
  const { error_types: both = [], labelled_errors: rows = [] } = await resultsOf(grown);
  expect(both[0]).toEqual(alone[0]);
  expect(both[1]).toMatchObject({ evaluator: 'openai:second', n_labelled: 2, n_missing: 0 });
  expect(rows.filter(({ evaluator }) => evaluator === 'openai:first')).toEqual(first);
  expect(rows).toHaveLength(4);
});

test('a pair that several lines label is matched once', async () => {
  const pair = { preference: 'Short.', checklist: ['Is it short?'] };
  const pairs = [
    { ...pair, labels: [['Fully Covered' as const]] },
    { ...pair, labels: [['Not Covered' as const]] },
  ];
  const labels = { source: 'labels.jsonl', sha256: 'ab'.repeat(32), pairs };
  expect(await planStudies(await evaluationBy(PANEL.slice(0, 1)), { labels })).toEqual(['labels']);
  const planned = (await readStudies(store)).labels;
  expect(planned?.pairs).toHaveLength(2);
  expect(planned?.work).toHaveLength(1);
});

test('a study that is not finished says nothing, instead of calling what was not asked missing', async () => {
  const kept = await evaluationBy(PANEL);
  expect(await hasOpenStudies(kept, ['errors'])).toBe(true);
  await planStudies(kept, { errors: ERRORS });
  expect(await resultsOf(kept)).toEqual({});
  expect(await hasOpenStudies(kept, ['errors'])).toBe(true);
  await classified('Vagueness');
  expect(await hasOpenStudies(kept, ['errors'])).toBe(false);
  expect(await hasOpenStudies(kept, ['errors', 'repeats'])).toBe(true);
});

async function resultsOf(kept: StoredEvaluation): Promise<StudyResults> {
  return readStudyResults(kept, await readLocatedRows(kept));
}

/** Creates an evaluation of six inferences by this panel, which found no entry covered. */
async function evaluationBy(panel: readonly string[]): Promise<StoredEvaluation> {
  const instances = buildSmallInstances(2);
  await writeInstances(store, stored());
  const cells = panel.map((spec): Cell => {
    const matcher = { spec, form: 'evaluator' } as const;
    const selection = {
      limit: null,
      types: ['consistent' as const, 'contrastive' as const, 'changing' as const],
    };
    return {
      task: 'inference',
      model: MODEL,
      context: 'full',
      decomposer: ERRORS.labeller,
      matcher,
      selection,
    };
  });
  await writeEvaluationPlan(store, {
    inputs: {
      kind: 'evaluation',
      id: RUN,
      data: { given: 'd', source: 'd', files: [], sha256: 'd', instances: instances.length },
      settings: evaluationSettingsSchema.parse({}),
      prompts: { source: 'built-in', hash: 'h' },
      models: [MODEL],
      evaluators: [...panel],
      cells,
    },
    prompts: { source: 'built-in', hash: 'h', prompts: {} },
  });
  for (const [at, { current_checklist: truth }] of instances.entries()) {
    const workflowId = buildTrialWorkflowId(RUN, { instance: at + 1, model: 1, given: 'full' });
    await answer(workflowId, 'infer', 0, '### Most Likely Preference\n\nShort answers.');
    await answer(workflowId, 'decompose', 1, '{"checklist":["Is it short?"]}');
    for (const spec of panel) {
      const matcher = numberMatcher(panel, { spec, form: 'evaluator' });
      await answer(workflowId, 'match', buildMatchTurn(1, matcher, 'inferred'), notCovered(1));
      await answer(workflowId, 'match', buildMatchTurn(1, matcher, 'true'), notCovered(truth.length));
    }
  }
  return readStoredEvaluation(store);

  async function* stored(): AsyncGenerator<StoredInstance> {
    for (const instance of instances) yield { instance, priorTokens: 10, synthesizer: null };
  }
}

/** Labels all sampled inferences without a label. */
async function classified(type: ErrorType): Promise<void> {
  for (const work of (await readStudies(store)).errors?.work ?? []) {
    const workflowId = buildStudyWorkflowId(RUN, work);
    const has = await openJournal(store).ofWorkflow(workflowId);
    if (has.length === 0)
      await answer(workflowId, 'classify', 1, JSON.stringify({ explanation: 'So.', type }));
  }
}

function notCovered(entries: number): string {
  const results = Array.from({ length: entries }, (_, at) => ({ index: at + 1, label: 'Not Covered' }));
  return JSON.stringify({ results });
}

async function answer(
  workflowId: string,
  step: 'infer' | 'decompose' | 'match' | 'classify',
  turn: number | string,
  text: string,
): Promise<void> {
  const key = buildJournalKey({ workflowId, revision: 0, step, turn, ask: 0 });
  await openJournal(store).append({
    key,
    request: 'r',
    settings: '',
    spec: MODEL,
    answer: { text, finish: 'complete', model: 'tested', usage: {} },
    milliseconds: 1,
  });
}
