import { ModelHealth } from '../../../../runs/leases/model-health';
import type { CallEnd } from '../../../../engine/limits/call-guard';
import { buildJournalEntry } from '../../../journal-entry';

const ANSWERED: CallEnd = { entry: buildJournalEntry('run/p1#r0.factors.t0.a0') };
const GONE: CallEnd = { failure: { kind: 'connection', message: 'connection refused' } };
const granted = { version: 1, grants: {}, reportIntervalMs: 1, queryIntervalMs: 1 };

test('a provider that asks to wait is not called for as long', () => {
  const health = new ModelHealth();
  const limited = { kind: 'rate-limit', message: 'Slow down.' };
  expect(health.ended({ failure: { ...limited, retryAfterMs: 30_000 } }, 0, 1_000)).toBe(true);
  expect(health.waitMs(0, 11_000)).toBe(20_000);
  expect(health.report(11_000)).toEqual({ isFailing: false, retryAfterMs: 20_000 });
  // A backoff that another worker received applies here, too.
  health.direct({ ...granted, backoffMs: 60_000 }, 11_000);
  expect(health.waitMs(0, 11_000)).toBe(60_000);
});

test('a provider that limits its rate without a time gets as many calls as it holds, and others begin with that', () => {
  const health = new ModelHealth();
  const limited = { failure: { kind: 'rate-limit', message: 'Slow down.' } };
  for (let sent = 0; sent < 4; sent += 1) health.sent(0);
  const urgent: boolean[] = [];
  for (let nowMs = 100; nowMs < 2_000; nowMs += 20) {
    for (let sent = 0; sent < 4; sent += 1) health.sent(nowMs);
    for (let sent = 0; sent < 4; sent += 1) urgent.push(health.ended(limited, nowMs, nowMs + 5));
  }
  expect(urgent.filter(Boolean)).toHaveLength(1);
  expect([3, 4].map((inFlight) => health.waitMs(inFlight, 2_000))).toEqual([0, Infinity]);
  expect(health.report(2_000).adaptiveLimit).toBe(4);
  const joining = new ModelHealth();
  joining.direct({ ...granted, adaptiveLimit: 2 }, 1_000);
  expect([1, 2].map((inFlight) => joining.waitMs(inFlight, 1_000))).toEqual([0, Infinity]);
});

test('when calls fail, one is sent after the other, less and less often, until one is answered', () => {
  const health = new ModelHealth();
  const urgent = Array.from({ length: 10 }, () => health.ended(GONE, 990, 1_000));
  expect(urgent.indexOf(true)).toBe(9);
  // Calls from before the outage do not hold up the next one.
  expect(health.waitMs(1, 1_000)).toBe(0);
  const probe = (atMs: number) => {
    health.sent(atMs);
    const hanging = health.waitMs(1, atMs);
    health.ended(GONE, atMs, atMs);
    return [health.waitMs(0, atMs), hanging];
  };
  expect([1_000, 9_000, 60_000].map(probe)).toEqual([
    [500, 5_000],
    [2_000, 5_000],
    [5_000, 5_000],
  ]);
  for (const atMs of [70_000, 75_000, 80_000]) health.sent(atMs);
  expect(health.waitMs(3, 90_000)).toBe(Infinity);
  // A call sent before the failure does not show that the model is available again.
  expect(health.ended(ANSWERED, 900, 2_000)).toBe(false);
  expect(health.isOpen).toBe(true);
  expect(health.ended(ANSWERED, 70_000, 91_000)).toBe(true);
  expect(health.waitMs(5, 91_000)).toBe(0);
});

test('a provider that rejects every call is unavailable; one that rejects what is above its limit is not', () => {
  const limited = { failure: { kind: 'rate-limit', message: 'Slow down.' } };
  const [everyCall, aboveLimit] = [new ModelHealth(), new ModelHealth()];
  aboveLimit.sent(0);
  for (let nowMs = 100; nowMs < 1_000; nowMs += 20) {
    for (const health of [everyCall, aboveLimit]) {
      health.sent(nowMs);
      health.ended(limited, nowMs, nowMs + 5);
    }
  }
  expect(everyCall.report(1_000)).toMatchObject({ isFailing: true, failure: 'Slow down.' });
  expect(aboveLimit.report(1_000)).toMatchObject({ isFailing: false });
});

test.each(['unavailable', 'connection'])(
  'a provider that fails calls (%s) is available as long as it answers those that it holds',
  (kind) => {
    const health = new ModelHealth();
    const overloaded = { failure: { kind, message: 'Overloaded.' } };
    /** Sends four calls, and for a minute others that are all rejected. */
    const overload = (fromMs: number) => {
      for (let held = 0; held < 4; held += 1) health.sent(fromMs);
      for (let nowMs = fromMs + 100; nowMs < fromMs + 60_000; nowMs += 500) {
        health.sent(nowMs);
        health.ended(overloaded, nowMs, nowMs + 50);
      }
      expect(health.isOpen).toBe(false);
    };
    const answer = (fromMs: number) => {
      for (let held = 0; held < 4; held += 1) health.ended(ANSWERED, fromMs, fromMs + 60_000);
    };
    for (let minute = 0; minute < 5; minute += 1) {
      overload(minute * 60_000);
      answer(minute * 60_000);
    }
    expect(health.report(300_000).adaptiveLimit).toBeUndefined();
    // The four are not answered now.
    overload(300_000);
    for (let nowMs = 360_000; nowMs < 460_000; nowMs += 500) {
      health.sent(nowMs);
      health.ended(overloaded, nowMs, nowMs + 50);
    }
    expect(health.isOpen).toBe(true);
  },
);

test('a worker that is not to probe sends nothing until the circuit is closed', () => {
  const health = new ModelHealth();
  health.direct({ ...granted, circuit: 'open' }, 1_000);
  expect(health.waitMs(0, 60_000)).toBe(Infinity);
  health.direct({ ...granted, circuit: 'probe' }, 60_000);
  expect(health.waitMs(0, 60_000)).toBe(0);
  health.direct(granted, 61_000);
  expect(health.waitMs(9, 61_000)).toBe(0);
});
