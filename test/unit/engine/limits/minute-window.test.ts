import { MinuteWindow } from '../../../../engine/limits/minute-window';

/** Returns the milliseconds at which requests passed, with one try every 50 ms. */
function passed(window: MinuteWindow, limit: number, seconds: number, amount = 1): number[] {
  const times: number[] = [];
  for (let nowMs = 0; nowMs < seconds * 1_000; nowMs += 50) {
    while (window.waitMs(amount, limit, nowMs) === 0) {
      window.add(amount, nowMs);
      times.push(nowMs);
    }
  }
  return times;
}

function mostInAMinute(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length));
}

test.each([1, 7, 600])('%i a minute pass evenly, never more, and nearly as many', (limit) => {
  const times = passed(new MinuteWindow(), limit, 300);
  expect(mostInAMinute(times)).toBeLessThanOrEqual(limit);
  expect(times.length / 5).toBeGreaterThan(limit * 0.9);
  const inASecond = times.filter((at) => at < 1_000).length;
  expect(inASecond).toBeLessThanOrEqual(Math.max(1, limit / 20));
});

test('what is larger than a limit passes by itself, and nothing else in that minute', () => {
  const times = passed(new MinuteWindow(), 100, 200, 250);
  expect(times[0]).toBe(0);
  expect(times.length).toBeGreaterThan(1);
  expect(mostInAMinute(times)).toBe(1);
});

test('what turns out larger than it was counted leaves less for the minute; what turns out smaller, more', () => {
  const window = new MinuteWindow();
  const second = window.add(100, 0);
  expect(window.countUsed(1_000)).toBe(100);
  window.correct(second, 50);
  expect(window.countUsed(1_000)).toBe(150);
  window.correct(second, -120);
  expect(window.countUsed(1_000)).toBe(30);
  // The minute is over, whatever is reported later.
  expect(window.countUsed(64_000)).toBe(0);
  window.correct(second, 500);
  expect(window.countUsed(64_000)).toBe(0);
});

test('nothing passes without a share', () => {
  expect(new MinuteWindow().waitMs(1, 0, 0)).toBeGreaterThan(0);
});
