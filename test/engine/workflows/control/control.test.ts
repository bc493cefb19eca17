import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { readLedger } from '../../../../runs/estimate/ledgers';
import { computeTotals } from '../../../../engine/costs/ledger';
import { sumTokens } from '../../../../engine/costs/prices';
import { until } from '../../../end-to-end/processes';
import { EXPECTED, CONCURRENCY, startStage, type SteeredWorker } from './stage';

// Concurrent, because each mostly waits for the next report.

test.concurrent('a budget is used up by those that are left when a worker dies: its lease comes back, its lost calls are charged as expected', async () => {
  const cap = 60_000;
  await using stage = await startStage({ budget: { unit: 'tokens', cap } });
  const first = await stage.enter('first');
  const second = await stage.enter('second');
  first.work(4);
  second.work(4);
  while (second.answered < 30 || first.answered < 30) {
    const { spent } = await stage.state();
    expect(spent.tokens).toBeLessThanOrEqual(cap + 8 * 120);
    await wait(20);
  }
  await until(() => second.sent - second.answered > 1);
  const lost = await second.die();
  const state = await stage.untilUsedUp();
  expect(state.pause).toMatchObject({ by: 'budget', cap });
  const ledger = await readLedger(stage.store);
  expect(sumTokens(ledger)).toBeLessThanOrEqual(cap + 8 * 120);
  expect(sumTokens(ledger)).toBeGreaterThan(cap * 0.99 - 120);
  expect(computeTotals(ledger)).toMatchObject({
    calls: first.answered + second.answered,
    lostCalls: lost,
    assumedTokens: { input: lost * EXPECTED.input, output: lost * EXPECTED.output },
  });
  // The engine and the folder have the same numbers.
  expect(state.spent.tokens).toBe(sumTokens(ledger));
});

test.concurrent('calls in flight that are set are divided among the workers, again when one comes or goes, and none is left without', async () => {
  await using stage = await startStage({});
  const first = await stage.enter('first');
  await until(() => first.concurrency === CONCURRENCY);
  await stage.steer({ concurrency: 5 });
  await until(() => first.concurrency === 5);
  const second = await stage.enter('second');
  await until(() => first.concurrency === 3 && second.concurrency === 2);
  const beyond: SteeredWorker[] = [];
  for (const worker of [first, second]) {
    worker.sending = () => worker.gate.inFlight > worker.concurrency && beyond.push(worker);
    worker.work(10);
  }
  await until(() => first.answered > 10 && second.answered > 10);
  await expect(stage.steer({ concurrency: 1 })).rejects.toThrow(WorkflowUpdateFailedError);
  await stage.steer({ concurrency: 2 });
  await until(() => first.concurrency === 1 && second.concurrency === 1);
  const third = await stage.enter('third');
  third.work(2);
  // Another worker must send its calls.
  await until(() => third.concurrency === 0 && third.givenBack > 2);
  await third.leave();
  await stage.steer({ concurrency: 6 });
  await until(() => first.concurrency === 3 && second.concurrency === 3);
  await second.leave();
  await until(() => first.concurrency === 6);
  expect(beyond).toEqual([]);
});
