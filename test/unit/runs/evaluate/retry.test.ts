import { listMissingCalls, planMissingCalls, type PlannedCalls } from '../../../../runs/evaluate/retry';
import type { StoredEvaluation } from '../../../../runs/evaluate/outcomes';
import { writeMissingCall, readStoredCalls, supersedeCall } from '../../../../data/run/stored-calls';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { buildTrialId } from '../../../../engine/journal/key';
import type { MissingCall } from '../../../../schemas/evaluation/evaluation';
import type { Memory } from '../../../../schemas/evaluation/memory';
import type { EvaluationStep } from '../../../../schemas/run/step';
import { buildSmallInstances } from '../../../engine/workflows/evaluation/evaluation-model';
import { createEmptiedFolder } from '../../../temporary-folder';
import { buildInferenceCell } from '../../rules/trials/cells';
import { RUN, storeAnswer, storeEvaluation } from './stored-evaluation';

const MODEL = 'openai:tested';
const MATCHER = 'openai:matcher';
const DECOMPOSER = 'openai:decomposer';
const FIRST = buildTrialId(RUN, { instance: 1, model: 1, context: 'full' });
const SECOND = buildTrialId(RUN, { instance: 2, model: 1, context: 'full' });

const folder = createEmptiedFolder();
let store: Store;
let kept: StoredEvaluation;
beforeEach(async () => {
  store = createFolderStore(folder);
  kept = await evaluationOfTwo();
});

test('needs the models of what is asked and of what depends on it, and no others', async () => {
  await missing(FIRST, { step: 'infer', turn: '0' });
  await answered(SECOND, 'infer', '0', '### Most Likely Preference\n\nBrief.');
  await missing(SECOND, { step: 'decompose', turn: '1' });
  expect((await planned('i2/m1/full')).models).toEqual([DECOMPOSER, MATCHER]);
  expect((await planned('i1/m1/full')).models).toEqual([MODEL, DECOMPOSER, MATCHER]);
});

test('needs the memory system that gave no context, and the models that are given its answer', async () => {
  const memory = { spec: 'memory:http://127.0.0.1:1', budgetTokens: 100 };
  kept = await evaluationOfTwo(memory);
  const trial = buildTrialId(RUN, { instance: 1, model: 1, context: 'memory' });
  await missing(trial, { step: 'recall', turn: '0' });
  expect((await planned()).models).toEqual([memory.spec, MODEL, DECOMPOSER, MATCHER]);
});

test('a crash between two calls leaves the one to be gone on with and the other to be begun with', async () => {
  await answered(FIRST, 'infer', '0', '### Most Likely Preference\n\nBrief.');
  await answered(FIRST, 'decompose', '1', JSON.stringify({ checklist: ['Is it brief?'] }));
  const calls = ['1.e2.inferred', '1.e2.true'].map((turn) => ({ step: 'match' as const, turn }));
  for (const call of calls) await missing(FIRST, call);
  expect(await planned()).toMatchObject({ retries: calls, begun: false, models: [MATCHER] });
  for (const call of calls.slice(0, 1)) await supersedeCall(store, FIRST, call, 0);
  expect(await planned()).toMatchObject({ retries: calls.slice(1), begun: true });
  // With the same name as before the crash.
  expect(await planned('i1/m1/full')).toMatchObject({ retries: calls.slice(1), begun: true });
});

test('each time that a call is asked again its revision is the next one, and every note is kept', async () => {
  const call = { step: 'infer' as const, turn: '0' };
  for (const revision of [0, 1, 2]) {
    await missing(FIRST, call);
    expect(await listMissingCalls(kept)).toMatchObject([{ ...call, name: 'i1/m1/full', revision }]);
    await supersedeCall(store, FIRST, call, revision);
    // Once more, as after a crash.
    await supersedeCall(store, FIRST, call, revision);
    expect(await readStoredCalls(kept, FIRST)).toMatchObject({
      missing: [],
      revisions: { 'infer.t0': revision + 1 },
    });
  }
  expect(await store.list(`superseded/missing/${encodeURIComponent(FIRST)}`)).toHaveLength(3);
});

test('what an answer was found for after all is neither missing nor asked again', async () => {
  await missing(FIRST, { step: 'infer', turn: '0' });
  await answered(FIRST, 'infer', '0', '### Most Likely Preference\n\nBrief.');
  expect(await listMissingCalls(kept)).toEqual([]);
  expect(await planned()).toMatchObject({ retries: [], begun: false });
});

async function planned(...only: readonly string[]): Promise<PlannedCalls> {
  return planMissingCalls(kept, only.length === 0 ? undefined : only);
}

async function missing(workflowId: string, call: Pick<MissingCall, 'step' | 'turn'>): Promise<void> {
  await writeMissingCall(store, workflowId, { ...call, kind: 'bad-answers', cause: 'Nothing.' });
}

const answered = (workflowId: string, step: EvaluationStep, turn: string, text: string) =>
  storeAnswer(store, workflowId, step, turn, text);

/** Creates an evaluation of two instances, with the inference task. */
async function evaluationOfTwo(memory?: Memory): Promise<StoredEvaluation> {
  const cell = buildInferenceCell({
    model: MODEL,
    context: memory === undefined ? 'full' : 'memory',
    decomposer: DECOMPOSER,
    by: MATCHER,
    selection: { limit: 2, types: ['consistent', 'contrastive'] },
  });
  return storeEvaluation(store, buildSmallInstances(1), {
    models: [MODEL],
    evaluators: [DECOMPOSER, MATCHER],
    cells: [cell],
    ...(memory === undefined ? {} : { memory }),
  });
}
