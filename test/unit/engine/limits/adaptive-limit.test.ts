import { AdaptiveLimit } from '../../../../engine/limits/adaptive-limit';
import { computeBackoffMs } from '../../../../engine/limits/backoff';
import { createRandom, type Random } from '../../../../rules/sampling/random';

/** Time of an answer, and of a rejection. */
const ANSWER_MS = 500;
const REJECTION_MS = 5;

/** A provider that decides at the arrival of a call whether it rejects it. */
type Rejects = (held: number, nowMs: number, random: Random) => boolean;

const capacity =
  (most: number): Rejects =>
  (held) =>
    held >= most;
const changing =
  (before: number, after: number): Rejects =>
  (held, nowMs) =>
    held >= (nowMs < 20_000 ? before : after);
const share =
  (rejected: number): Rejects =>
  (_held, _nowMs, random) =>
    random.integer(1_000) < rejected * 1_000;

/** A call that may be sent, from the time on that its backoff ends. */
interface Task {
  readonly failures: number;
  readonly readyAtMs: number;
}

/**
 * Sends calls as fast as the limit and the concurrency allow; twice as many as the concurrency always wait. Returns answers a second, the share of
 * rejected calls, and the limit, after some seconds.
 */
function simulate(
  rejects: Rejects,
  { concurrency = 64, fromMs = 0, untilMs = 60_000, isLimited = true } = {},
) {
  const limit = new AdaptiveLimit();
  const random = createRandom(1, 'adaptive-limit');
  const calls: {
    readonly task: Task;
    readonly sentAtMs: number;
    readonly endMs: number;
    readonly isRejected: boolean;
  }[] = [];
  const tasks: Task[] = Array.from({ length: 2 * concurrency }, () => ({ failures: 0, readyAtMs: 0 }));
  let [answers, rejections] = [0, 0];
  for (let nowMs = 0; nowMs < untilMs; nowMs += 1) {
    for (const call of calls.filter(({ endMs }) => endMs <= nowMs)) {
      calls.splice(calls.indexOf(call), 1);
      const failures = call.isRejected ? call.task.failures + 1 : 0;
      const waiting = tasks.filter(({ readyAtMs }) => readyAtMs > nowMs).length + 1;
      const draw = random.integer(1_000) / 1_000;
      const waitMs = call.isRejected ? computeBackoffMs(failures, draw, { waiting }) : 0;
      tasks.push({ failures, readyAtMs: nowMs + waitMs });
      limit.ended(call.sentAtMs, call.isRejected, nowMs);
      if (nowMs < fromMs) continue;
      if (call.isRejected) rejections += 1;
      else answers += 1;
    }
    while (calls.length < Math.min(isLimited ? limit.inFlight : Infinity, concurrency)) {
      const at = tasks.findIndex(({ readyAtMs }) => readyAtMs <= nowMs);
      const [task] = at < 0 ? [] : tasks.splice(at, 1);
      if (task === undefined) break;
      const accepted = calls.filter(({ isRejected }) => !isRejected).length;
      const isRejected = rejects(accepted, nowMs, random);
      limit.sent(nowMs);
      const endMs = nowMs + (isRejected ? REJECTION_MS : ANSWER_MS);
      calls.push({ task, sentAtMs: nowMs, endMs, isRejected });
    }
  }
  return {
    perSecond: answers / ((untilMs - fromMs) / 1_000),
    rejected: rejections / (rejections + answers),
    held: limit.held,
  };
}

test.each<[string, Rejects, { concurrency?: number }]>([
  ['nothing', () => false, {}],
  ['nothing, with a concurrency below its start', () => false, { concurrency: 8 }],
  ['more than 37 calls in flight', capacity(37), {}],
  ['more than 4', capacity(4), {}],
  ['more than one', capacity(1), {}],
  ['5 % whatever is in flight', share(0.05), {}],
  ['20 %', share(0.2), {}],
  ['50 %', share(0.5), {}],
  ['50 %, with 8 calls in flight', share(0.5), { concurrency: 8 }],
  ['20 %, with 8 calls in flight', share(0.2), { concurrency: 8 }],
  ['5 %, with 8 calls in flight', share(0.05), { concurrency: 8 }],
])('a provider that rejects %s is used as well as without a limit', (_, rejects, options) => {
  const { perSecond } = simulate(rejects, options);
  const without = simulate(rejects, { ...options, isLimited: false });
  expect(perSecond).toBeGreaterThan(0.95 * without.perSecond);
});

test('a provider that rejects what is above its capacity rejects few calls, and what it holds is found', () => {
  const { held, rejected } = simulate(capacity(37), { fromMs: 30_000 });
  expect(rejected).toBeLessThan(0.1);
  const without = simulate(capacity(37), { fromMs: 30_000, isLimited: false });
  expect(rejected).toBeLessThan(without.rejected / 2);
  expect(held).toBeGreaterThanOrEqual(37);
  expect(held).toBeLessThanOrEqual(38);
});

test('a capacity that shrinks or grows is found again', () => {
  const shrunk = simulate(changing(37, 10), { fromMs: 90_000, untilMs: 120_000 });
  expect(shrunk.held).toBeLessThanOrEqual(11);
  expect(shrunk.perSecond).toBeGreaterThan(18);
  expect(simulate(changing(10, 40), { fromMs: 90_000, untilMs: 120_000 }).perSecond).toBeGreaterThan(72);
});

test('a limit that was found before is where it begins; without one it doubles', () => {
  expect(new AdaptiveLimit(5).inFlight).toBe(5);
  const limit = new AdaptiveLimit();
  const { inFlight } = limit;
  for (let answered = 0; answered < inFlight; answered += 1) {
    limit.sent(answered);
    limit.ended(answered, false, answered);
  }
  expect(limit.inFlight).toBe(2 * inFlight);
  expect(limit.held).toBeUndefined();
});
