import { readLocatedRows } from '../../../../runs/evaluate/located-rows';
import type { StoredEvaluation } from '../../../../runs/evaluate/outcomes';
import { hasOpenStudies, planStudies, readStudyResults } from '../../../../runs/evaluate/studies';
import { readStudies } from '../../../../data/run/evaluation-plan';
import { openJournal } from '../../../../data/run/journal';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { buildTrialId } from '../../../../engine/journal/key';
import { buildMatchTurn, numberMatcher, buildStudyId } from '../../../../rules/method/evaluation-work';
import type { ErrorType } from '../../../../schemas/evaluation/evaluation';
import type { StudyResults } from '../../../../schemas/evaluation/results/studies';
import type { EvaluationStep } from '../../../../schemas/run/step';
import { buildSmallInstances } from '../../../engine/workflows/evaluation/evaluation-model';
import { createEmptiedFolder } from '../../../temporary-folder';
import { buildInferenceCell } from '../../rules/trials/cells';
import { RUN, storeAnswer, storeEvaluation } from './stored-evaluation';

const MODEL = 'openai:tested';
const PANEL = ['openai:first', 'openai:second'];
const ERRORS = { count: 2, labeler: PANEL[0] ?? '' };

const folder = createEmptiedFolder();
let store: Store;
beforeEach(async () => {
  store = createFolderStore(folder);
});

test('each column keeps the errors that were drawn of it when another column is added, and gets no other labels', async () => {
  const before = await evaluationBy(PANEL.slice(0, 1));
  expect(await planStudies(before, { errors: ERRORS })).toEqual(['errors']);
  await classified('Vagueness');
  const { error_types: alone = [], labeled_errors: first = [] } = await resultsOf(before);
  expect(alone).toMatchObject([{ evaluator: 'openai:first', n_labeled: 2, n_missing: 0 }]);

  const grown = await evaluationBy(PANEL);
  await planStudies(grown, { errors: ERRORS });
  // An inference that was labeled before keeps its first answer.
  await classified('Hallucination');
  const { error_types: both = [], labeled_errors: rows = [] } = await resultsOf(grown);
  expect(both[0]).toEqual(alone[0]);
  expect(both[1]).toMatchObject({ evaluator: 'openai:second', n_labeled: 2, n_missing: 0 });
  expect(rows.filter(({ evaluator }) => evaluator === 'openai:first')).toEqual(first);
  expect(rows).toHaveLength(4);
});

test('a smaller verification does not continue a larger one that was stopped', async () => {
  const evaluation = await storeEvaluation(store, buildSmallInstances(4), {
    evaluators: PANEL.slice(0, 1),
    verifier: ERRORS.labeler,
  });
  await planStudies(evaluation, { verification: { sample: null } });
  await planStudies(evaluation, { verification: { sample: 1 } });
  const { verification } = await readStudies(store);
  expect(new Set(verification?.work.map(({ rows }) => rows[0])).size).toBe(1);
  expect(verification?.earlierPersonas).toBe(0);
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
  const decomposer = ERRORS.labeler;
  const kept = await storeEvaluation(store, instances, {
    models: [MODEL],
    evaluators: [...panel],
    cells: panel.map((by) => buildInferenceCell({ model: MODEL, decomposer, by })),
  });
  for (const [at, { current_checklist: truth }] of instances.entries()) {
    const workflowId = buildTrialId(RUN, { instance: at + 1, model: 1, context: 'full' });
    await answer(workflowId, 'infer', 0, '### Most Likely Preference\n\nShort answers.');
    await answer(workflowId, 'decompose', 1, '{"checklist":["Is it short?"]}');
    for (const spec of panel) {
      const matcher = numberMatcher(panel, { spec, form: 'evaluator' });
      await answer(workflowId, 'match', buildMatchTurn(1, matcher, 'inferred'), notCovered(1));
      await answer(workflowId, 'match', buildMatchTurn(1, matcher, 'true'), notCovered(truth.length));
    }
  }
  return kept;
}

/** Labels all sampled inferences without a label. */
async function classified(type: ErrorType): Promise<void> {
  for (const work of (await readStudies(store)).errors?.work ?? []) {
    const workflowId = buildStudyId(RUN, work);
    const has = await openJournal(store).ofWorkflow(workflowId);
    if (has.length === 0)
      await answer(workflowId, 'classify', 1, JSON.stringify({ explanation: 'So.', type }));
  }
}

function notCovered(entries: number): string {
  const results = Array.from({ length: entries }, (_, at) => ({ index: at + 1, label: 'Not Covered' }));
  return JSON.stringify({ results });
}

const answer = (workflowId: string, step: EvaluationStep, turn: number | string, text: string) =>
  storeAnswer(store, workflowId, step, turn, text);
