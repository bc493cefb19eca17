import { listEvaluators } from '../../../../rules/trials/cells';
import { setTimeout as wait } from 'node:timers/promises';
import { ModelError } from '../../../../models/errors/error';
import type { ModelRequest } from '../../../../models/model';
import {
  listAskedTwice,
  createEvaluationModel,
  buildGenerationCell,
  buildInferenceCell,
  buildSmallInstances,
} from './evaluation-model';
import { fetchHistories, type Events } from '../synthesis/in-process';
import { RunFailed } from '../../../../runs/drive/drive';
import { readFailureCause } from '../../../../runs/folder/failed-call';
import { startEvaluation, type InProcessEvaluation } from './in-process-evaluation';

const BOTH = [buildInferenceCell(), buildGenerationCell()];

const asksFor = (request: ModelRequest, instance: string) =>
  JSON.stringify(request.values).includes(instance);

/** Creates a promise with a function that resolves it. Its disposal resolves it too, so that no call stays in flight. */
function signal(): Disposable & { readonly given: Promise<void>; readonly give: () => void } {
  const released = new AbortController();
  const given = new Promise<void>((resolve) => {
    released.signal.addEventListener('abort', () => resolve());
  });
  const give = () => released.abort();
  return { given, give, [Symbol.dispose]: give };
}

test('a trial responds once it has inferred, and evaluates both side by side; each call is made once', async () => {
  const decomposing = signal();
  const responding = signal();
  let duringInference: string[] = [];
  const { model, requests } = createEvaluationModel(async ({ step }) => {
    if (step === 'infer') {
      // Long enough for a response to be requested if it did not wait.
      await wait(200);
      duringInference = requests.map((request) => request.step);
    }
    if (step === 'decompose') {
      decomposing.give();
      await responding.given;
    }
    if (step === 'respond') {
      responding.give();
      await decomposing.given;
    }
  });
  await using started = await startEvaluation({
    instances: buildSmallInstances(1).slice(0, 1),
    cells: BOTH,
    model: () => model,
  });
  await using driven = await started.drive();
  await expect(driven.result()).resolves.toMatchObject({ done: 1, missing: 0, broken: 0 });
  expect(requests.map(({ step }) => step).toSorted()).toEqual([
    'decompose',
    'infer',
    'judge',
    'match',
    'match',
    'respond',
  ]);
  expect(duringInference).toEqual(['infer']);
  expect(await started.rows()).toMatchObject([
    { task: 'inference', state: 'scored', precision: 1, recall: 1, f1: 1 },
    { task: 'generation', state: 'scored', score: 7 },
  ]);
});

test('a call without a usable answer leaves its own score missing, and everything else is done', async () => {
  const second = 'openai-compatible:second@http://localhost:1/v1';
  const judge = createEvaluationModel(() => 'No score.');
  const { model } = createEvaluationModel((request) => {
    const { step, values } = request;
    if (step === 'decompose' && asksFor(request, '1 consistent')) return 'No list.';
    // One of the two directions, for one instance.
    if (step === 'match' && values['checklist'] === '1. True entry of 1 contrastive') return '[]';
    if (step === 'respond' && asksFor(request, '1 changing')) {
      throw new ModelError('context-length', 'Too long by far.');
    }
    return undefined;
  });
  await using started = await startEvaluation({
    instances: buildSmallInstances(1),
    cells: [...BOTH, buildGenerationCell(second)],
    model: (spec) => (spec === second ? judge.model : model),
  });
  await using driven = await started.drive();
  // Missing: a list, a match, a response that both judges need, and the second judge's scores of the other two.
  await expect(driven.result()).resolves.toMatchObject({ done: 3, missing: 5, broken: 0 });
  const rows = (await started.rows()).map((row) => [
    row.instance_type,
    row.evaluator.split(':')[1],
    row.task,
    row.state,
    row.missing_step,
    row.missing_kind,
    row.f1 ?? row.score,
  ]);
  expect(rows).toEqual([
    ['consistent', 'evaluator', 'inference', 'missing', 'decompose', 'bad-answers', null],
    ['consistent', 'evaluator', 'generation', 'scored', null, null, 7],
    ['consistent', 'second', 'generation', 'missing', 'judge', 'bad-answers', null],
    ['contrastive', 'evaluator', 'inference', 'missing', 'match', 'bad-answers', null],
    ['contrastive', 'evaluator', 'generation', 'scored', null, null, 7],
    ['contrastive', 'second', 'generation', 'missing', 'judge', 'bad-answers', null],
    ['changing', 'evaluator', 'inference', 'scored', null, null, 1],
    ['changing', 'evaluator', 'generation', 'context-length', 'respond', 'context-length', 0],
    ['changing', 'second', 'generation', 'context-length', 'respond', 'context-length', 0],
  ]);
});

test('a refused key stops the evaluation and leaves nothing missing; once fixed the same evaluation continues', async () => {
  let refused = true;
  const { model, requests } = createEvaluationModel(({ step }) => {
    if (refused && step === 'judge') throw new ModelError('bad-key', 'The key was refused.');
  });
  await using started = await startEvaluation({
    instances: buildSmallInstances(2),
    cells: BOTH,
    model: () => model,
  });
  await using driven = await started.drive(1);
  const failed = await driven.result().catch((error: unknown) => error);
  if (!(failed instanceof RunFailed) || failed.call === undefined) throw failed;
  expect(failed.call.kind).toBe('bad-key');
  expect(await readFailureCause(started.store, failed.call)).toBe('The key was refused.');
  const before = await started.rows();
  expect(before.filter(({ state }) => state === 'missing')).toEqual([]);
  expect(before.filter(({ task }) => task === 'generation').map(({ state }) => state)).toEqual(
    Array.from({ length: 6 }, () => 'open'),
  );
  refused = false;
  const answered = requests.filter(({ step }) => step !== 'judge');
  await using again = await started.drive();
  await expect(again.result()).resolves.toMatchObject({ done: 6, missing: 0, broken: 0 });
  expect((await started.rows()).map(({ state }) => state)).toEqual(
    Array.from({ length: 12 }, () => 'scored'),
  );
  expect(answered.length).toBeGreaterThan(0);
  expect(listAskedTwice(requests.filter(({ step }) => step !== 'judge'))).toEqual([]);
});

test('no more trials are open than the window, which a second command may widen while they are at work', async () => {
  const release = signal();
  const { model } = createEvaluationModel(() => release.given);
  await using started = await startEvaluation({
    instances: buildSmallInstances(10),
    cells: [buildGenerationCell()],
    model: () => model,
  });
  using _released = release;
  await using narrow = await started.drive(4);
  await untilOpen(narrow, 9);
  await using wide = await started.drive(8);
  await untilOpen(wide, 14);
  release.give();
  await expect(wide.result()).resolves.toMatchObject({ done: 30 });
  const [events] = await fetchHistories(started.client, started.id);
  expect(mostOpen(events ?? [])).toBe(14);
});

test('an evaluation of more than a page of trials, which continues as new after each, keeps everything and asks nothing twice', async () => {
  const all = 201;
  const { model, requests } = createEvaluationModel((request) => {
    if (request.step === 'judge' && asksFor(request, 'Request 1 consistent')) return 'No score.';
    return undefined;
  });
  const instances = buildSmallInstances(67);
  await using started = await startEvaluation({
    instances,
    cells: [buildGenerationCell()],
    model: () => model,
    dynamic: { 'limit.historyCount.suggestContinueAsNew': '30' },
  });
  await using driven = await started.drive();
  await expect(driven.result()).resolves.toEqual({
    done: all,
    skipped: 0,
    missing: 1,
    broken: 0,
    causes: [],
  });
  const trials = (await fetchHistories(started.client, started.id)).map(countTrials);
  expect(trials).toEqual([100, 100, 1]);
  const rows = await started.rows();
  expect(rows.map(({ persona_id: id, instance_type: type }) => `${id} ${type}`)).toEqual(
    instances.map(({ persona_id: id, instance_type: type }) => `${id} ${type}`),
  );
  expect(rows.filter(({ state }) => state !== 'scored')).toMatchObject([{ missing_step: 'judge' }]);
  expect(listAskedTwice(requests)).toEqual([]);
  // Driven again, it only checks all pages, and has nothing to do.
  const before = requests.length;
  await using again = await started.drive();
  await expect(again.result()).resolves.toMatchObject({ done: 0, skipped: all, broken: 0 });
  expect(requests).toHaveLength(before);
});

test('studies are drawn from how the trials came out, and only what they need besides is asked', async () => {
  const { model, requests } = createEvaluationModel((request) => {
    if (request.step !== 'match') return undefined;
    return JSON.stringify({ results: [{ index: 1, label: 'Not Covered' }] });
  });
  await using started = await startEvaluation({
    instances: buildSmallInstances(1),
    cells: BOTH,
    studies: { errors: { count: 2, labeler: evaluatorOf(buildGenerationCell()) }, repeats: 3 },
    model: () => model,
  });
  await using trials = await started.drive();
  await trials.result();
  const before = requests.length;
  await using studies = await started.driveStudies();
  // Two inferences to label, and three responses to judge twice more.
  await expect(studies.result()).resolves.toMatchObject({ done: 5, missing: 0, broken: 0 });
  const steps = requests.slice(before).map(({ step }) => step);
  expect(steps.filter((step) => step === 'classify')).toHaveLength(2);
  expect(steps.filter((step) => step === 'judge')).toHaveLength(6);
  expect(steps).toHaveLength(8);
  expect(listAskedTwice(requests)).toEqual([]);
});

test('a stress test matches and judges what is known, and a pair of two studies once', async () => {
  const { model, requests } = createEvaluationModel(({ step, values }) =>
    step === 'respond' ? `Follows: ${values['preference'] ?? ''}` : undefined,
  );
  const instances = buildSmallInstances(2).map((instance) => ({
    ...instance,
    current_request: `Request of ${instance.persona_id}`,
  }));
  const pairs = instances
    .filter(({ instance_type: type }) => type === 'changing')
    .map(({ current_contextual_preference: preference, current_checklist: checklist }) => ({
      preference,
      checklist,
      labels: [['Fully Covered' as const]],
    }));
  await using started = await startEvaluation({
    instances,
    cells: [buildInferenceCell(), buildGenerationCell(undefined, 'preference')],
    studies: { labels: { source: 'labels', sha256: 'ab'.repeat(32), pairs }, stress: 2 },
    model: () => model,
  });
  await using trials = await started.drive();
  await trials.result();
  const before = requests.length;
  await using studies = await started.driveStudies();
  // For each persona: the true preference, which is labeled too, the one before the change, another persona's, and one of everybody.
  await expect(studies.result()).resolves.toMatchObject({ done: 2 * (4 + 1), missing: 0, broken: 0 });
  const asked = requests.slice(before);
  expect(asked.filter(({ step }) => step === 'match')).toHaveLength(8);
  expect(listAskedTwice(requests)).toEqual([]);
  const judged = asked.filter(({ step }) => step === 'judge').map(({ values }) => values);
  expect(judged).toHaveLength(2);
  const other: Readonly<Record<string, string>> = { consistent: 'changing', changing: 'consistent' };
  for (const { ai_response: response = '', ...values } of judged) {
    const [, persona, type = ''] = /^Follows: True preference of (\d) (\w+)$/.exec(response) ?? [];
    expect(values).toEqual({
      user_request: `Request of ${persona}+baker`,
      preference: `True preference of ${persona} ${other[type]}`,
      checklist: `- True entry of ${persona} ${other[type]}`,
    });
  }
});

function evaluatorOf(cell: ReturnType<typeof buildGenerationCell>): string {
  return listEvaluators(cell)[0] ?? '';
}

async function untilOpen(
  driven: Awaited<ReturnType<InProcessEvaluation['drive']>>,
  open: number,
): Promise<void> {
  while ((await driven.progress())?.open !== open) await wait(50);
}

/** Counts the trials that a workflow began: each of them needs one activity only. */
function countTrials(events: Events): number {
  return events.filter(isCallsScheduled).length;
}

/** Returns the maximum number of trials open at once. */
function mostOpen(events: Events): number {
  const scheduled = new Set<string>();
  let open = 0;
  let most = 0;
  for (const event of events) {
    if (isCallsScheduled(event)) {
      scheduled.add(String(event.eventId));
      open += 1;
    }
    if (scheduled.has(String(event.activityTaskCompletedEventAttributes?.scheduledEventId))) open -= 1;
    most = Math.max(most, open);
  }
  return most;
}

function isCallsScheduled({ activityTaskScheduledEventAttributes: scheduled }: Events[number]): boolean {
  return scheduled?.activityType?.name === 'makeCalls';
}
