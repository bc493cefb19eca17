import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { readLedger } from '../../../runs/estimate/ledgers';
import { readSteering } from '../../../data/run/steering';
import { computeTotals } from '../../../engine/costs/ledger';
import { until } from '../processes';
import {
  MODEL,
  OTHER_MODEL,
  THIRD_MODEL,
  TAKES,
  PRICES,
  FORGETFUL,
  startStage,
} from '../../engine/workflows/control/stage';

// Side by side, since most of each is waiting for the next report.

test('a pause reaches many workers, more than a server keeps updates of one workflow for, and is kept; none of them is taken for gone, and a second pause is refused', async () => {
  await using stage = await startStage({});
  const workers = await Promise.all(Array.from({ length: 16 }, (_, index) => stage.enter(`worker-${index}`)));
  const sum = (of: 'sent' | 'answered') => workers.reduce((all, worker) => all + worker[of], 0);
  const gone = (paused: boolean) =>
    until(() => workers.every(({ directives }) => (directives?.pause !== undefined) === paused));
  for (const worker of workers) worker.work(1);
  await until(() => workers.every(({ answered }) => answered > 0));
  expect((await stage.steer({ paused: true })).pause).toEqual({ by: 'user' });
  expect((await readSteering(stage.store)).paused).toBe(true);
  await gone(true);
  await until(() => workers.every(({ gate }) => gate.inFlight === 0));
  const sent = sum('sent');
  await until(async () => {
    const { spent, workers: known } = await stage.state();
    return known.every(({ inFlight }) => inFlight === 0) && spent.tokens === sum('answered') * 100;
  });
  await expect(stage.steer({ paused: true })).rejects.toThrow(WorkflowUpdateFailedError);
  await wait(1_000);
  expect(sum('sent')).toBe(sent);
  expect((await stage.steer({ paused: false })).pause).toBeUndefined();
  await gone(false);
  await until(() => sum('sent') > sent + 20);
  expect((await readSteering(stage.store)).paused).toBe(false);
  expect((await stage.state()).workers).toHaveLength(workers.length);
  expect(computeTotals(await readLedger(stage.store, 'all')).lostCalls).toBe(0);
});

test.concurrent('limits that are set reach the model, and what a worker may have in flight', async () => {
  await using stage = await startStage({});
  const first = await stage.enter('first');
  const second = await stage.enter('second');
  first.work(8);
  second.work(8);
  await until(() => first.answered > 10 && second.answered > 10);
  const limits = { inFlight: 4 };
  await stage.steer({ limits: { [MODEL]: limits } });
  expect((await readSteering(stage.store)).limits).toEqual({ [MODEL]: limits });
  await until(async () => (await stage.modelState()).limits.inFlight === 4);
  const inFlight = () => first.gate.inFlight + second.gate.inFlight;
  await until(() => inFlight() <= 4);
  // At any one moment: one's share may grow when the other's has shrunk.
  let most = 0;
  first.sending = second.sending = () => (most = Math.max(most, inFlight()));
  const [ofFirst, ofSecond] = [first.answered, second.answered];
  await until(() => first.answered > ofFirst + 10 && second.answered > ofSecond + 10);
  expect(most).toBeLessThanOrEqual(4);
  // A worker takes on no more than it can send soon: the rest is for those that have a share left.
  await stage.steer({ limits: { [MODEL]: { requestsPerMinute: 40 } } });
  await until(() => [first, second].every(({ capacity, gate }) => capacity <= gate.inFlight + 2));
});

test.concurrent('limits that were set while a run rested apply to a model that another run asks as well', async () => {
  await using stage = await startStage({});
  const limits = { [MODEL]: { requestsPerMinute: 60 } };
  await stage.continueOther({ limits });
  await until(async () => (await stage.modelState()).limits.requestsPerMinute === 60);
});

test.concurrent('limits that another run has set continue when workers of a new version replace the control of a model', async () => {
  await using stage = await startStage({});
  await stage.leaveControl(OTHER_MODEL, { requestsPerMinute: 600 });
  await stage.reviveControl(OTHER_MODEL);
  expect((await stage.modelState(OTHER_MODEL)).limits).toEqual({ requestsPerMinute: 600 });
  await stage.leaveControl(THIRD_MODEL, { requestsPerMinute: 600 }, { inFlight: 4 });
  await stage.reviveControl(THIRD_MODEL);
  expect((await stage.modelState(THIRD_MODEL)).limits).toEqual({ inFlight: 4 });
});

test.concurrent('what was changed while no process worked for a run applies when one does, also to its models', async () => {
  await using stage = await startStage({});
  const budget = { unit: 'tokens', cap: 5_000 } as const;
  await stage.steerLater({ budget, limits: { [MODEL]: { inFlight: 2 } } });
  await stage.steerLater({ paused: true });
  const first = await stage.enter('first');
  await until(() => first.directives?.pause !== undefined);
  first.work(2);
  expect(await stage.state()).toMatchObject({ pause: { by: 'user' }, steering: { budget } });
  expect((await stage.modelState()).limits).toEqual({ inFlight: 2 });
  await stage.steer({ paused: false });
  expect((await stage.untilUsedUp()).spent.tokens).toBeLessThanOrEqual(budget.cap + 2 * 120);
});

test.concurrent('a budget of another unit counts what was spent before it, and nobody spends what was leased in the old unit', async () => {
  await using stage = await startStage({ budget: { unit: 'tokens', cap: 1_000_000 } });
  const first = await stage.enter('first');
  first.work(4);
  await until(() => first.answered > 50);
  // So that it is known what is spent when the budget is set; of what was leased, most is not.
  await stage.steer({ paused: true });
  await until(() => first.directives?.pause !== undefined && first.atWork === 0);
  const all = first.answered + 100;
  const cap = (all * (TAKES.input + TAKES.output)) / 1e6;
  await stage.steer({ paused: false, budget: { unit: 'usd', cap }, modelTable: PRICES });
  await stage.untilUsedUp();
  await until(() => first.directives?.pause !== undefined);
  expect(first.directives?.pause).toMatchObject({ by: 'budget', cap });
  expect(first.answered).toBeGreaterThan(all * 0.99 - 1);
  expect(first.answered).toBeLessThanOrEqual(all + 4);
});

test.concurrent('a control workflow that continues as new again and again loses nothing: orders continue, and so do a pause and a budget', async () => {
  const cap = 12_000;
  await using stage = await startStage({ budget: { unit: 'tokens', cap } }, FORGETFUL);
  const first = await stage.enter('first');
  const second = await stage.enter('second');
  first.work(4);
  second.work(4);
  await until(() => first.answered + second.answered > 40);
  await stage.steer({ paused: true });
  await stage.untilNewRuns(2, ({ pause: paused }) => expect(paused).toEqual({ by: 'user' }));
  await stage.steer({ paused: false, concurrency: 6 });
  const before = await stage.untilUsedUp();
  await stage.untilNewRuns(2, ({ pause: paused, steering, spent }) => {
    expect(paused).toMatchObject({ by: 'budget', cap });
    expect(steering).toMatchObject({ concurrency: 6, budget: { cap } });
    expect(spent).toEqual(before.spent);
  });
  expect(before.spent.tokens).toBeLessThanOrEqual(cap + 8 * 120);
  expect(before.spent.tokens).toBeGreaterThan(cap * 0.98 - 120);

  await second.leave();
  await stage.steer({ budget: { unit: 'tokens', cap: cap * 2 } });
  const after = await stage.untilUsedUp();
  expect(after.spent.tokens).toBeLessThanOrEqual(cap * 2 + 4 * 120);
  expect(after.spent.tokens).toBeGreaterThan(cap * 2 * 0.98 - 120);
});
