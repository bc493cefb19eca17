import { AdaptiveLimit } from '../../../../engine/limits/adaptive-limit';
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

/** Sends calls as fast as the limit and the concurrency allow. Returns answers a second, the share of rejected calls, and the limit, after warming up. */
function simulate(rejects: Rejects, { concurrency = 64, fromMs = 20_000, untilMs = 80_000, held = 0 } = {}) {
  const limit = new AdaptiveLimit(held === 0 ? undefined : held);
  const random = createRandom(1, 'adaptive-limit');
  const calls: { readonly sentAtMs: number; readonly endMs: number; readonly isRejected: boolean }[] = [];
  let [answers, rejections, ends] = [0, 0, 0];
  for (let nowMs = 0; nowMs < untilMs; nowMs += 1) {
    for (const call of calls.filter(({ endMs }) => endMs <= nowMs)) {
      calls.splice(calls.indexOf(call), 1);
      if (call.isRejected) limit.rejected(call.sentAtMs, calls.length, nowMs);
      else limit.answered(calls.length);
      if (nowMs < fromMs) continue;
      ends += 1;
      if (call.isRejected) rejections += 1;
      else answers += 1;
    }
    while (calls.length < Math.min(limit.inFlight, concurrency)) {
      const accepted = calls.filter(({ isRejected }) => !isRejected).length;
      const isRejected = rejects(accepted, nowMs, random);
      calls.push({ sentAtMs: nowMs, endMs: nowMs + (isRejected ? REJECTION_MS : ANSWER_MS), isRejected });
    }
  }
  return {
    perSecond: answers / ((untilMs - fromMs) / 1_000),
    rejected: rejections / ends,
    held: limit.held,
  };
}

test.each<[string, Rejects, { concurrency?: number }, number]>([
  ['nothing', () => false, {}, 64],
  ['nothing, with a concurrency below its start', () => false, { concurrency: 8 }, 8],
  ['more than 37 calls in flight', capacity(37), {}, 37],
  ['more than 4', capacity(4), {}, 4],
  ['more than one', capacity(1), {}, 1],
  ['5 % whatever is in flight', share(0.05), {}, 64],
  ['20 %', share(0.2), {}, 64],
  ['50 %', share(0.5), {}, 64],
  ['20 %, with 8 calls in flight', share(0.2), { concurrency: 8 }, 8],
  ['5 %, with 8 calls in flight', share(0.05), { concurrency: 8 }, 8],
])('a provider that rejects %s is used at nine tenths of its pace at least', (_, rejects, options, most) => {
  const { perSecond } = simulate(rejects, options);
  expect(perSecond).toBeGreaterThan((0.9 * most * 1_000) / ANSWER_MS);
});

test('a provider that rejects what is above its capacity rejects hardly any call, and what it holds is found', () => {
  const { held, rejected } = simulate(capacity(37));
  expect(rejected).toBeLessThan(0.01);
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
  for (let answered = 0; answered < inFlight; answered += 1) limit.answered(0);
  expect(limit.inFlight).toBe(2 * inFlight);
  expect(limit.held).toBeUndefined();
});
