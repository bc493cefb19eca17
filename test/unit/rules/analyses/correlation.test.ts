import * as fc from 'fast-check';
import { computeCorrelation } from '../../../../rules/analyses/correlation';

const points = (xs: readonly number[], ys: readonly number[]) =>
  xs.map((x, place) => ({ x, y: ys[place] ?? Number.NaN }));

// Tables 1 (F1 of all instances), 11 and 3 of the paper, a number for each of its ten models.
const F1 = [28.6, 37.9, 36.2, 49.3, 43.0, 39.5, 47.6, 55.8, 44.4, 49.2];
const PREFMATCHER_F1 = [28.3, 38.6, 34.8, 48.7, 42.0, 39.2, 47.9, 55.7, 43.4, 48.3];
const SCORES = [4.76, 6.14, 4.93, 7.68, 6.46, 6.76, 5.78, 7.16, 6.54, 6.47];

test("the tables of the paper give its figures' correlations, but for the rounding of their numbers", () => {
  const tasks = computeCorrelation(points(F1, SCORES));
  expect(Math.abs((tasks.r ?? 0) - 0.764)).toBeLessThan(0.002);
  expect(tasks.p?.toFixed(3)).toBe('0.010');
  const matchers = computeCorrelation(points(F1, PREFMATCHER_F1));
  expect(matchers.r?.toFixed(3)).toBe('0.997');
  expect(matchers.p).toBeLessThan(0.001);
});

// Values by scipy 1.17.1's pearsonr.
test.each([
  ['tables 1 and 3', F1, SCORES, 0.7651092111331957, 0.009919210809500575],
  ['tables 1 and 11', F1, PREFMATCHER_F1, 0.9966379331471703, 5.567371522447627e-10],
  ['three points', [1, 2, 3], [1, 2, 4], 0.9819805060619655, 0.12103771832367739],
  ['five points', [1, 2, 3, 4, 5], [2, 1, 4, 3, 5], 0.8, 0.10408803866182782],
  ['unrelated', [1, 2, 3, 4], [1, -1, -1, 1], 0, 1],
] as const)('r and p are as another program computes them: %s', (_, xs, ys, r, p) => {
  const correlation = computeCorrelation(points(xs, ys));
  expect(correlation.n).toBe(xs.length);
  expect(correlation.r).toBeCloseTo(r, 12);
  expect((correlation.p ?? 0) / p).toBeCloseTo(1, 9);
});

test.each([
  [40, (x: number) => (7 * x) % 40, 0.020637898686679187, 0.8994153748586731],
  [2000, (x: number) => ((x * x * 7 + 3 * x) % 101) + 0.01 * x, 0.1888402741123697, 1.642352983163135e-17],
])('r and p hold for %i points', (n, yOf, r, p) => {
  const xs = Array.from({ length: n }, (_, place) => place + 1);
  const correlation = computeCorrelation(points(xs, xs.map(yOf)));
  expect(correlation.r).toBeCloseTo(r, 10);
  expect((correlation.p ?? 0) / p).toBeCloseTo(1, 7);
});

test('a line correlates fully, its mirror image fully the other way', () => {
  const up = computeCorrelation(points([1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4]));
  expect(up.r).toBeCloseTo(1, 12);
  expect(up.p).toBeLessThan(1e-12);
  expect(computeCorrelation(points([1, 2, 3, 4], [8, 6, 4, 2])).r).toBeCloseTo(-1, 12);
});

test('where nothing can be said, r and p are null', () => {
  for (const few of [[], points([1], [2]), points([1, 2], [3, 5])])
    expect(computeCorrelation(few)).toEqual({ n: few.length, r: null, p: null });
  expect(computeCorrelation(points([0.1, 0.1, 0.1, 0.1], [1, 2, 3, 4]))).toEqual({ n: 4, r: null, p: null });
  expect(computeCorrelation(points([1, 2, 3, 4], [0.7, 0.7, 0.7, 0.7]))).toEqual({ n: 4, r: null, p: null });
});

test('r lies between -1 and 1 and p between 0 and 1, the same with x and y exchanged', () => {
  const point = fc.record({ x: fc.integer({ min: -50, max: 50 }), y: fc.integer({ min: -50, max: 50 }) });
  fc.assert(
    fc.property(fc.array(point, { maxLength: 60 }), (given) => {
      const { n, r, p } = computeCorrelation(given);
      const turned = computeCorrelation(given.map(({ x, y }) => ({ x: y, y: x })));
      expect(n).toBe(given.length);
      if (r === null || p === null) {
        expect({ r, p }).toEqual({ r: null, p: null });
        expect(turned).toEqual({ n, r: null, p: null });
        return;
      }
      expect(Math.abs(r)).toBeLessThanOrEqual(1);
      expect(p).toBeGreaterThanOrEqual(0);
      expect(p).toBeLessThanOrEqual(1);
      expect(turned.r).toBeCloseTo(r, 12);
    }),
  );
});
