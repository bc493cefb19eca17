import { computeRatings } from '../../../../rules/review/ratings';

test('requests and preferences have means and deviations of their own', () => {
  const ratings = computeRatings([
    { kind: 'request', realism: 4, implicitness: 7 },
    { kind: 'request', realism: 6, implicitness: 7 },
    { kind: 'preference', realism: 1, implicitness: 2 },
  ]);
  expect(ratings).toEqual({
    request: {
      realism: { mean: 5, deviation: Math.SQRT2 },
      implicitness: { mean: 7, deviation: 0 },
    },
    preference: {
      realism: { mean: 1, deviation: null },
      implicitness: { mean: 2, deviation: null },
    },
  });
});

test('what nobody rated is not there', () => {
  expect(computeRatings([])).toEqual({});
});
