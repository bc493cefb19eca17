import { setImmediate as turn } from 'node:timers/promises';
import { RunEvents } from '../../../activities/run-events';
import { CallGate } from '../../../activities/call-gate';
import { createFolderStore } from '../../../data/store/store';
import type { Guard, PlannedCall } from '../../../engine/limits/call-guard';
import { RunLedger } from '../../../activities/run-ledger';
import { buildJournalEntry, PARAMETERS } from '../../journal-entry';
import { buildPriceTable } from '../../price-table';
import { createTemporaryFolder } from '../../temporary-folder';

const folder = createTemporaryFolder();
const SPEC = 'simulated:default';
const TABLE = buildPriceTable({ [SPEC]: { input: 1, output: 1 } });

function buildCall(turnNumber: number): PlannedCall {
  const key = `run/p1/s1#r0.user.t${turnNumber}.a0`;
  return { key, spec: SPEC, step: 'user', estimate: { input: 60, output: 60 } };
}

test('of calls that may be sent at the same moment, each counts before the next is admitted', async () => {
  const events = new RunEvents();
  const ledger = new RunLedger(createFolderStore(folder), 'one', events);
  let cap = 0;
  const budget: Guard = { admits: () => ledger.spent(TABLE).tokens < cap };
  const gate = new CallGate(events);
  const sent: string[] = [];
  const failed: Promise<unknown>[] = [];
  for (const call of [1, 2, 3, 4, 5].map(buildCall)) {
    const passed = gate.pass(call, [budget], async () => {
      sent.push(call.key);
      if (sent.length === 1) throw new Error('It was not sent after all.');
      await ledger.sent({ ...call, tier: 'standard' }, PARAMETERS);
      return new Promise<never>(() => undefined);
    });
    failed.push(passed.catch(() => undefined));
  }
  cap = 250;
  gate.reconsider();
  expect(ledger.spent(TABLE).tokens).toBe(360);
  await failed[0];
  await turn();
  // The first released its unused part.
  expect(sent).toHaveLength(4);
  expect(ledger.spent(TABLE).tokens).toBe(360);
});

test('the reported pace is that of slow calls, without the time in which the process was stopped', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  using ledger = new RunLedger(createFolderStore(folder), 'stopped', new RunEvents());
  const answer = async (turnNumber: number) => {
    const call = buildCall(turnNumber);
    const sent = await ledger.sent({ ...call, tier: 'standard' }, PARAMETERS);
    await jest.advanceTimersByTimeAsync(8_000);
    await sent.answered(buildJournalEntry(call.key), 'good');
  };
  for (let turnNumber = 1; turnNumber <= 6; turnNumber += 1) await answer(turnNumber);
  const readClock = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => readClock() + 600_000);
  await answer(7);
  expect(ledger.perMinute).toBeCloseTo(60 / 8, -1);
  clock.mockRestore();
  jest.useRealTimers();
});
