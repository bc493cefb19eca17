import { ModelHealth } from '../../../../runs/leases/model-health';
import type { CallEnd } from '../../../../engine/limits/call-guard';
import { FAILURES_TO_OPEN } from '../../../../engine/limits/circuit';
import { buildJournalEntry } from '../../../journal-entry';

const ANSWERED: CallEnd = { entry: buildJournalEntry('run/p1#g0.factors.t0.a0') };
const GONE: CallEnd = { failure: { kind: 'connection', message: 'connection refused' } };
const granted = { version: 1, granted: {}, reportIntervalMs: 1, queryIntervalMs: 1 };

function failed(health: ModelHealth, nowMs: number): boolean[] {
  return Array.from({ length: FAILURES_TO_OPEN }, () => health.ended(GONE, nowMs - 10, nowMs));
}

test('a provider that asks to wait is not called for as long, and without a time for two seconds', () => {
  const health = new ModelHealth();
  const limited = { kind: 'rate-limit', message: 'Slow down.' };
  expect(health.ended({ failure: limited }, 0, 1_000)).toBe(true);
  expect(health.waitMs(0, 1_000)).toBe(2_000);
  health.ended({ failure: { ...limited, retryAfterMs: 30_000 } }, 0, 1_000);
  expect(health.waitMs(0, 11_000)).toBe(20_000);
  expect(health.report(11_000)).toEqual({ failures: 0, retryAfterMs: 20_000 });
  // A backoff that another worker received applies here, too.
  health.direct({ ...granted, backoffMs: 60_000 }, 11_000);
  expect(health.waitMs(0, 11_000)).toBe(60_000);
});

test('after five failures in a row one call is sent every five seconds, until one is answered', () => {
  const health = new ModelHealth();
  expect(failed(health, 1_000)).toEqual([false, false, false, false, true]);
  expect(health.waitMs(1, 1_000)).toBe(Infinity);
  expect(health.waitMs(0, 1_000)).toBe(0);
  health.sent(1_000);
  expect(health.waitMs(0, 1_000)).toBe(5_000);
  // A call sent before the failure does not show that the model is available again.
  expect(health.ended(ANSWERED, 900, 2_000)).toBe(false);
  expect(health.isOpen).toBe(true);
  expect(health.ended(ANSWERED, 1_000, 2_000)).toBe(true);
  expect(health.waitMs(5, 2_000)).toBe(0);
});

test('a worker that is not to probe sends nothing until the circuit is closed', () => {
  const health = new ModelHealth();
  health.direct({ ...granted, circuit: 'open' }, 1_000);
  expect(health.waitMs(0, 60_000)).toBe(Infinity);
  health.direct({ ...granted, circuit: 'probe' }, 60_000);
  expect(health.waitMs(0, 60_000)).toBe(0);
  health.direct(granted, 61_000);
  expect(health.waitMs(9, 61_000)).toBe(0);
});
