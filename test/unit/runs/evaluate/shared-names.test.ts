import { createFolderStore } from '../../../../data/store/store';
import { buildTrialId } from '../../../../engine/journal/key';
import { buildMatchTurn, numberMatcher } from '../../../../rules/method/evaluation-work';
import { computeResults } from '../../../../runs/evaluate/results';
import type { EvaluationStep } from '../../../../schemas/run/step';
import { buildSmallInstances } from '../../../engine/workflows/evaluation/evaluation-model';
import { createEmptiedFolder } from '../../../temporary-folder';
import { buildInferenceCell } from '../../rules/trials/cells';
import { RUN, storeAnswer, storeEvaluation } from './stored-evaluation';

const MODEL = 'openai:tested';
const EVALUATOR = 'openai:evaluator';
const MATCHER = numberMatcher([EVALUATOR], { spec: EVALUATOR, form: 'evaluator' });
const folder = createEmptiedFolder();

/** Stores answers to some of six inferences, by a version of the model each, and returns the shared names of the cell. */
async function findSharedNames(versions: readonly string[], matcherVersions = ['m']) {
  const store = createFolderStore(folder);
  const instances = buildSmallInstances(2);
  const evaluation = await storeEvaluation(store, instances, {
    models: [MODEL],
    evaluators: [EVALUATOR],
    cells: [buildInferenceCell({ model: MODEL, decomposer: EVALUATOR, by: EVALUATOR })],
  });
  for (const [at, version] of versions.entries()) {
    const workflowId = buildTrialId(RUN, { instance: at + 1, model: 1, context: 'full' });
    const answer = (step: EvaluationStep, turn: number | string, text: string, model: string) =>
      storeAnswer(store, workflowId, step, turn, text, model);
    await answer('infer', 0, '### Most Likely Preference\n\nShort answers.', version);
    await answer('decompose', 1, '{"checklist":["Is it short?"]}', 'd');
    for (const [place, direction] of (['inferred', 'true'] as const).entries()) {
      const entries = direction === 'inferred' ? 1 : (instances[at]?.current_checklist.length ?? 0);
      const results = Array.from({ length: entries }, (_, entry) => ({
        index: entry + 1,
        label: 'Not Covered',
      }));
      const turn = buildMatchTurn(1, MATCHER, direction);
      await answer('match', turn, JSON.stringify({ results }), matcherVersions[place] ?? 'm');
    }
  }
  const { cells } = await computeResults(evaluation);
  return cells[0]?.shared_names;
}

test('each name under which several models answered is listed, with the answers of each', async () => {
  expect(await findSharedNames(['v2', 'v1', 'v2'], ['m1', 'm2'])).toEqual([
    {
      role: 'model',
      name: MODEL,
      answered_by: [
        { model: 'v2', n_answers: 2 },
        { model: 'v1', n_answers: 1 },
      ],
    },
    {
      role: 'evaluator',
      name: EVALUATOR,
      answered_by: [
        { model: 'm1', n_answers: 3 },
        { model: 'm2', n_answers: 3 },
      ],
    },
  ]);
});

test('a cell of one model, one decomposer and one matcher lists nothing', async () => {
  expect(await findSharedNames(['v1', 'v1'])).toBeUndefined();
});
