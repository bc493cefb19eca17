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
    expect(computeBackoffMs(failures, draw)).toBe(expected);
    expect(computeBackoffMs(failures, draw, 30_000)).toBe(30_000);
  },
);
