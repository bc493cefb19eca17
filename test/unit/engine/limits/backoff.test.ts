import { computeBackoffMs } from '../../../../engine/limits/backoff';

test.each([
  [1, 0, 125],
  [1, 1, 250],
  [2, 1, 500],
  [5, 1, 4_000],
  [6, 1, 4_000],
  [60, 0, 2_000],
  [60, 1, 4_000],
])(
  'after %i failures, a call with the draw %d waits %i ms, and no less than its provider asks',
  (failures, draw, expected) => {
    expect(computeBackoffMs(failures, draw, { waiting: 100 })).toBe(expected);
    expect(computeBackoffMs(failures, draw, { waiting: 100, askedMs: 30_000 })).toBe(30_000);
  },
);

test.each([
  [1, 250],
  [2, 250],
  [8, 1_000],
  [32, 4_000],
])('with %i calls waiting, one that failed often waits %i ms at most', (waiting, expected) => {
  expect(computeBackoffMs(9, 1, { waiting })).toBe(expected);
  expect(computeBackoffMs(1, 1, { waiting })).toBe(250);
});

test('a call that fails very often waits longer, also alone', () => {
  const waits = [8, 20, 21, 24, 25, 60].map((failures) => computeBackoffMs(failures, 1, { waiting: 1 }));
  expect(waits).toEqual([250, 250, 500, 4_000, 4_000, 4_000]);
});
