import { computeSecondsLeft, Pace } from '../../../../engine/costs/pace';

const SECOND = 1_000;

/** More calls in flight than are answered in half a minute, so the whole minute counts. */
const MANY = 1_000;

/** Advances the clock as its owner does, while nothing is answered. */
function wait(pace: Pace, from: number, to: number) {
  for (let second = from + 1; second <= to; second += 1) pace.tick(second * SECOND);
}

/** Records a steady pace, from one second to another. */
function answer(
  pace: Pace,
  { from, to, perSecond }: { from: number; to: number; perSecond: number },
  done = 0,
) {
  for (let second = from + 1; second <= to; second += 1) {
    pace.record(done + (second - from) * perSecond, second * SECOND);
  }
}

function startPace() {
  const pace = new Pace();
  pace.begin(0);
  return pace;
}

test('the first seconds count as seconds, and not as a minute; the very first say nothing', () => {
  const pace = startPace();
  answer(pace, { from: 0, to: 10, perSecond: 2 });
  const short = startPace();
  wait(short, 0, 4);
  expect(short.perMinute(4 * SECOND, MANY)).toBeUndefined();
  expect(pace.perMinute(10 * SECOND, MANY)).toBeCloseTo(120);
});

test('only the last minute counts, also after an hour without an answer', () => {
  const pace = startPace();
  answer(pace, { from: 0, to: 60, perSecond: 5 });
  answer(pace, { from: 60, to: 120, perSecond: 1 }, 300);
  expect(pace.perMinute(120 * SECOND, MANY)).toBeCloseTo(60);
  wait(pace, 120, 3_720);
  expect(pace.perMinute(3_720 * SECOND, MANY)).toBe(0);
  answer(pace, { from: 3_720, to: 3_750, perSecond: 2 }, 360);
  // Half of the last minute.
  expect(pace.perMinute(3_750 * SECOND, MANY)).toBeCloseTo(60);
});

test('a pause of any length changes nothing, neither during it nor after it', () => {
  const pace = startPace();
  answer(pace, { from: 0, to: 30, perSecond: 2 });
  pace.setPaused(true, 30 * SECOND);
  // Each report repeats it.
  pace.setPaused(true, 600 * SECOND);
  expect(pace.perMinute(600 * SECOND, MANY)).toBeCloseTo(120);
  pace.setPaused(false, 3_600 * SECOND);
  expect(pace.perMinute(3_600 * SECOND, MANY)).toBeCloseTo(120);
  answer(pace, { from: 3_600, to: 3_605, perSecond: 2 }, 60);
  pace.setPaused(false, 3_605 * SECOND);
  answer(pace, { from: 3_605, to: 3_620, perSecond: 2 }, 70);
  expect(pace.perMinute(3_620 * SECOND, MANY)).toBeCloseTo(120);
});

test('time in which the process did not run changes nothing, while a late tick counts', () => {
  const pace = startPace();
  answer(pace, { from: 0, to: 30, perSecond: 2 });
  expect(pace.tick(630 * SECOND)).toBe(true);
  expect(pace.perMinute(630 * SECOND, 8)).toBeCloseTo(120);
  answer(pace, { from: 630, to: 640, perSecond: 2 }, 60);
  expect(pace.perMinute(640 * SECOND, MANY)).toBeCloseTo(120);
  expect(pace.tick(644 * SECOND)).toBe(false);
  expect(pace.perMinute(644 * SECOND, MANY)).toBeCloseTo((80 / 44) * 60);
});

test('a stop within a pause changes nothing either', () => {
  const pace = startPace();
  answer(pace, { from: 0, to: 30, perSecond: 2 });
  pace.setPaused(true, 30 * SECOND);
  pace.setPaused(false, 630 * SECOND);
  answer(pace, { from: 630, to: 640, perSecond: 2 }, 60);
  expect(pace.perMinute(640 * SECOND, MANY)).toBeCloseTo(120);
});

test('there is no pace while the provider is away, and the one from before after it', () => {
  const pace = startPace();
  answer(pace, { from: 0, to: 30, perSecond: 2 });
  for (let second = 30; second < 300; second += 1) pace.recordFailure('unavailable', second * SECOND);
  expect(pace.perMinute(300 * SECOND, 8)).toBeUndefined();
  answer(pace, { from: 300, to: 310, perSecond: 2 }, 60);
  expect(pace.perMinute(310 * SECOND, MANY)).toBeCloseTo(120, -1);
});

test('a provider that rejects calls while it answers slow ones is not away', () => {
  const pace = startPace();
  for (let second = 0; second <= 600; second += 0.5) {
    pace.tick(second * SECOND);
    pace.recordFailure('unavailable', second * SECOND);
    if (second >= 60 && second % 15 === 0) pace.record(second / 15 - 3, second * SECOND, 60 * SECOND);
    if (second < 120) continue;
    expect(pace.perMinute(second * SECOND, 4)).toBeGreaterThan(2.5);
    expect(pace.perMinute(second * SECOND, 4)).toBeLessThan(6);
  }
});

test.each([
  ['waiting for a rate limit', 'rate-limit', 20],
  ['a few failures', 'unavailable', 9],
])('%s is part of the pace', (_, kind, failures) => {
  const pace = startPace();
  answer(pace, { from: 0, to: 20, perSecond: 2 });
  wait(pace, 20, 40);
  for (let failure = 0; failure < failures; failure += 1) pace.recordFailure(kind, 40 * SECOND);
  wait(pace, 40, 49);
  pace.record(41, 50 * SECOND);
  expect(pace.perMinute(50 * SECOND, MANY)).toBeCloseTo((41 / 50) * 60);
});

test('what many calls of one second added up to is the same as one reading of them', () => {
  const [single, many] = [startPace(), startPace()];
  answer(single, { from: 0, to: 20, perSecond: 40 });
  for (let call = 1; call <= 800; call += 1) many.record(call, call * 25);
  expect(many.perMinute(20 * SECOND, MANY)).toBeCloseTo(single.perMinute(20 * SECOND, MANY) ?? 0);
});

test.each([
  [
    'fewer calls in flight than before',
    [
      [40, 5],
      [20, 0.5],
    ],
    2,
    30,
  ],
  [
    'more calls in flight than before',
    [
      [40, 0.5],
      [10, 8],
    ],
    32,
    480,
  ],
  [
    'a change that is newer than two rounds',
    [
      [40, 0.5],
      [10, 8],
    ],
    64,
    120,
  ],
  [
    'the last seconds of a run, with one slow call',
    [
      [50, 2],
      [20, 0],
    ],
    1,
    5.7,
  ],
] as const)(
  'the pace is that of the last two rounds of calls in flight: %s',
  (_, stretches, inFlight, expected) => {
    const pace = startPace();
    let [at, done] = [0, 0];
    for (const [seconds, perSecond] of stretches) {
      answer(pace, { from: at, to: at + seconds, perSecond }, done);
      at += seconds;
      done += seconds * perSecond;
    }
    expect(pace.perMinute(at * SECOND, inFlight)).toBeCloseTo(expected, 0);
  },
);

test('work that is retried, and no longer done, begins another measurement', () => {
  const pace = startPace();
  answer(pace, { from: 0, to: 30, perSecond: 2 });
  answer(pace, { from: 30, to: 40, perSecond: 3 }, 10);
  expect(pace.perMinute(40 * SECOND, MANY)).toBeCloseTo(180);
});

test('the time left is the rest at that pace, and not known while nothing is done', () => {
  expect(computeSecondsLeft(240, 120)).toBe(120);
  expect(computeSecondsLeft(240, 0)).toBeUndefined();
  expect(computeSecondsLeft(240, undefined)).toBeUndefined();
});
