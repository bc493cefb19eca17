import { join } from 'node:path';
import { readStudies } from '../../../../data/run/evaluation-plan';
import { writeLedger } from '../../../../data/run/ledger';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { buildJournalKey, buildTrialId } from '../../../../engine/journal/key';
import { buildMatchTurn } from '../../../../rules/method/evaluation-work';
import { estimateStored } from '../../../../runs/evaluate/estimate';
import { readStoredEvaluation } from '../../../../runs/evaluate/outcomes';
import { planStudies } from '../../../../runs/evaluate/studies';
import type { StudyRequest } from '../../../../runs/evaluate/studies/study';
import type { EvaluationInputs } from '../../../../schemas/evaluation/evaluation-run';
import type { LedgerLine } from '../../../../schemas/run/ledger';
import type { EvaluationStep } from '../../../../schemas/run/step';
import { buildSmallInstances } from '../../../engine/workflows/evaluation/evaluation-model';
import { createEmptiedFolder } from '../../../temporary-folder';
import { buildInferenceCell } from '../../rules/trials/cells';
import { RUN, storeAnswer, storeEvaluation } from './stored-evaluation';

const CELL = buildInferenceCell({ model: 'openai:tested', by: 'openai:judge' });
const MATCHER = { number: 1, form: 'evaluator' } as const;
const INFERRED = buildMatchTurn(1, MATCHER, 'inferred');
const TRUE = buildMatchTurn(1, MATCHER, 'true');

const folder = createEmptiedFolder();
let store: Store;
let lines: LedgerLine[];

beforeEach(async () => {
  store = createFolderStore(folder);
  lines = [];
  await storeEvaluation(store, buildSmallInstances(1), {
    models: [CELL.model],
    evaluators: [CELL.decomposer],
    cells: [CELL],
  });
});

test('a trial is done, or has a repair left, by its answers as by the verdicts of the ledger', async () => {
  await answerTrial(1, COVERED);
  await answerTrial(2, 'No labels.');
  // The third trial has four calls, and the second repairs one.
  const expected = { instances: { all: 3, open: 2 }, left: 5 };
  expect(await estimate()).toEqual(expected);
  await writeLedger(store, 'worker', lines);
  expect(await estimate()).toEqual(expected);
});

test('an answer that is lost is asked for again, though the ledger has it', async () => {
  for (const instance of [1, 2, 3]) await answerTrial(instance, COVERED);
  await writeLedger(store, 'worker', lines);
  expect(await estimate()).toEqual({ instances: { all: 3, open: 0 }, left: 0 });
  const lost = (await store.list(`journal/${encodeURIComponent(nameTrial(2))}`)).filter((name) =>
    name.includes(TRUE),
  );
  expect(lost).toHaveLength(1);
  await store.remove(lost);
  expect(await estimate()).toEqual({ instances: { all: 3, open: 1 }, left: 1 });
});

test('what a prompt cache may give is counted where several calls show one history, at known prices', async () => {
  const model = 'openai:gpt-6.1-terra';
  const inference = buildInferenceCell({ model, by: 'openai:judge' });
  const generation = { ...inference, task: 'generation', judge: 'openai:judge' } as const;
  const { decomposer: _, matcher: __, ...response } = generation;
  const estimateCached = async (cells: EvaluationInputs['cells'], words: number) => {
    store = createFolderStore(join(folder, `${cells.length}-${words}`));
    const instances = buildSmallInstances(1).map((row) => ({
      ...row,
      prior_interactions: row.prior_interactions.map((session) => ({
        ...session,
        dialogue: [{ role: 'user' as const, content: 'word '.repeat(words) }],
      })),
    }));
    await storeEvaluation(store, instances, { models: [model], evaluators: ['openai:judge'], cells });
    return (await estimate()).cached;
  };
  expect(await estimateCached([inference], 2_000)).toBeUndefined();
  // Nobody caches short prompts.
  expect(await estimateCached([inference, response], 1)).toBeUndefined();
  const cached = await estimateCached([inference, response], 2_000);
  expect(cached?.tokens).toBeGreaterThan(3 * 2_000);
  expect(cached?.usd).toBeGreaterThan(0);
});

test('answers of trials that are done are not read', async () => {
  await answerTrial(1, COVERED);
  await writeLedger(store, 'worker', lines);
  for (const name of await store.list(`journal/${encodeURIComponent(nameTrial(1))}`))
    await store.write(name, 'damaged');
  expect(await estimate()).toEqual({ instances: { all: 3, open: 2 }, left: 8 });
});

test('studies are drawn for the estimate only', async () => {
  await estimate({ repeats: 2 });
  expect(await readStudies(store)).toEqual({});
});

const COVERED = '{"results":[{"index":1,"label":"Fully Covered"}]}';

/** Stores answers to all calls of a trial, with this text for the last match. */
async function answerTrial(instance: number, match: string): Promise<void> {
  await answer(instance, 'infer', 0, '### Most Likely Preference\n\nShort answers.');
  await answer(instance, 'decompose', 1, '{"checklist":["Is it short?"]}');
  await answer(instance, 'match', INFERRED, COVERED);
  await answer(instance, 'match', TRUE, match);
}

async function answer(
  instance: number,
  step: EvaluationStep,
  turn: number | string,
  text: string,
): Promise<void> {
  const workflowId = nameTrial(instance);
  await storeAnswer(store, workflowId, step, turn, text);
  const call = lines.length + 1;
  const key = buildJournalKey({ workflowId, revision: 0, step, turn, attempt: 0 });
  const spec = step === 'infer' ? CELL.model : CELL.decomposer;
  const verdict = text === 'No labels.' ? 'bad' : 'good';
  lines.push(
    { event: 'sent', call, key, spec, step, sentAtMs: 1, estimate: { input: 1, output: 1 } },
    { event: 'answered', call, verdict, usage: { input: 1, output: 1 }, durationMs: 1 },
  );
}

function nameTrial(instance: number): string {
  return buildTrialId(RUN, { instance, model: 1, context: 'full' });
}

/** Estimates the rest of all trials. */
async function estimate(asked: StudyRequest = {}) {
  const evaluation = await readStoredEvaluation(store);
  const { inputs, prompts } = evaluation;
  const { progress, instances, cached } = await estimateStored(
    store,
    {
      before: { inputs, prompts },
      todo: { cells: inputs.cells, onlyStored: false, onlyRetried: false, studies: {} },
      called: [],
      studies: async (into) => planStudies(await readStoredEvaluation(into), asked),
    },
    {},
    false,
    () => undefined,
  );
  return { instances, left: progress?.remaining.low.calls, ...(cached && { cached }) };
}
