import { TimeLeft } from '../../../../engine/costs/time-left';

/** Second, calls answered and in flight, and the newest reading: calls left, and those answered here when it was read. */
type Row = readonly [second: number, answered: number, inFlight: number, left: number, counted: number];

/** Four personas with 32 calls in flight of four seconds each, as recorded from the first dialogue on. The last call ended at 61 s. */
const FOUR_PERSONAS: readonly Row[] = [
  [0, 69, 32, 258, 69],
  [4, 101, 32, 302, 69],
  [8, 133, 32, 287, 101],
  [13, 165, 32, 276, 133],
  [18, 197, 32, 146, 167],
  [22, 229, 16, 136, 199],
  [25, 237, 23, 136, 229],
  [29, 259, 22, 126, 259],
  [33, 281, 15, 74, 281],
  [37, 296, 8, 42, 295],
  [41, 304, 6, 29, 304],
  [45, 310, 2, 9, 310],
  [49, 312, 1, 3, 312],
  [53, 313, 1, 3, 312],
  [57, 314, 1, 5, 314],
];

/** Eight personas with calls of 0.8 s on a slow machine. The last call ended at 26 s. */
const EIGHT_PERSONAS: readonly Row[] = [
  [0, 112, 32, 542, 112],
  [3, 176, 32, 547, 144],
  [7, 273, 17, 580, 240],
  [10, 322, 32, 524, 273],
  [13, 419, 32, 333, 355],
  [16, 524, 24, 251, 453],
  [20, 598, 13, 116, 548],
  [23, 624, 3, 26, 612],
];

/** The journal could not be read again for half a minute, while 20 calls a second were answered. */
const OLD_READING: readonly Row[] = Array.from({ length: 31 }, (_, second) => [
  second,
  20 * second,
  32,
  640,
  10,
]);

test.each([
  [
    'calls of four seconds',
    FOUR_PERSONAS,
    [
      [4, '-'],
      [13, 34],
      [25, 22],
      [33, 13],
      [45, 6],
      [57, 20],
    ],
  ],
  [
    'a slow machine',
    EIGHT_PERSONAS,
    [
      [3, '-'],
      [10, 23],
      [16, 5],
      [23, 1],
    ],
  ],
  [
    'an old reading',
    OLD_READING,
    [
      [4, '-'],
      [10, 23],
      [20, 13],
      [30, 3],
    ],
  ],
] as const)('the time left follows the calls: %s', (_, rows, expected) => {
  const claims = replay(rows);
  expect(expected.map(([second]) => [second, claims.get(second)])).toEqual(expected);
});

test('a call in flight is left, whatever was expected', () => {
  const timeLeft = new TimeLeft();
  timeLeft.callSent(0);
  timeLeft.callSent(0);
  for (let second = 1; second < 6; second += 1) timeLeft.tick(second * 1_000);
  timeLeft.callAnswered(6_000);
  timeLeft.read('dialogues', { of: 'calls', done: 1, left: 0, counted: 1 }, 6_000);
  expect(timeLeft.left).toBe(1);
  expect(timeLeft.seconds(6_000)).toBe(6);
  timeLeft.callFailed('timeout', 6_000);
  expect(timeLeft.left).toBe(0);
});

test('other processes shorten the time: their calls are in the readings', () => {
  const [alone, beside] = [new TimeLeft(), new TimeLeft()];
  for (let second = 0; second <= 20; second += 1) {
    const now = second * 1_000;
    for (const timeLeft of [alone, beside]) {
      timeLeft.callSent(now);
      timeLeft.callAnswered(now);
    }
    const counted = second + 1;
    alone.read('dialogues', { of: 'calls', done: counted, left: 100, counted }, now);
    beside.read('dialogues', { of: 'calls', done: counted + 3 * second, left: 100, counted }, now);
  }
  expect(alone.seconds(20_000)).toBeCloseTo(100, -1);
  expect(beside.seconds(20_000)).toBeCloseTo(25, 0);
});

test('after a stop of this process, neither the stop nor the work of others during it changes the time left', () => {
  const [alone, beside] = [new TimeLeft(), new TimeLeft()];
  let [done, others] = [0, 0];
  for (let call = 0; call < 8; call += 1) for (const timeLeft of [alone, beside]) timeLeft.callSent(0);
  const work = (from: number, to: number) => {
    for (let second = from; second <= to; second += 1) {
      done += 1;
      others += 3;
      for (const timeLeft of [alone, beside]) {
        timeLeft.callSent(second * 1_000);
        timeLeft.callAnswered(second * 1_000);
      }
      alone.read('dialogues', { of: 'calls', done, left: 40, counted: done }, second * 1_000);
      beside.read('dialogues', { of: 'calls', done: done + others, left: 40, counted: done }, second * 1_000);
    }
  };
  work(0, 30);
  others += 1_800;
  work(630, 640);
  expect(alone.seconds(640_000)).toBeCloseTo(40, -1);
  expect(beside.seconds(640_000)).toBeCloseTo(10, 0);
});

test('studies have a pace of their own', () => {
  const timeLeft = new TimeLeft();
  for (let second = 0; second <= 20; second += 1) {
    for (let call = 0; call < 9; call += 1) {
      timeLeft.callSent(second * 1_000);
      timeLeft.callAnswered(second * 1_000);
    }
    timeLeft.read('studies', { of: 'studies', done: second, left: 40 - second }, second * 1_000);
  }
  expect(timeLeft.seconds(20_000)).toBeCloseTo(20, 0);
});

/** Replays a recorded sequence. Returns the claimed seconds left, rounded, by second. */
function replay(rows: readonly Row[]): Map<number, number | '-'> {
  const timeLeft = new TimeLeft();
  const claims = new Map<number, number | '-'>();
  let [sent, before, beforeMs] = [0, 0, 0];
  for (const [second, answered, inFlight, left, counted] of rows) {
    const now = second * 1_000;
    for (; sent < answered + inFlight; sent += 1) timeLeft.callSent(beforeMs);
    for (let call = before; call < answered; call += 1)
      timeLeft.callAnswered(beforeMs + ((now - beforeMs) * (call - before + 1)) / (answered - before));
    [before, beforeMs] = [answered, now];
    timeLeft.read(
      second === 0 ? 'planning' : 'dialogues',
      { of: 'calls', done: counted, left, counted },
      now,
    );
    const seconds = timeLeft.seconds(now);
    claims.set(second, seconds === undefined ? '-' : Math.round(seconds));
  }
  return claims;
}
