import { gammaln, sampleCorrelation } from 'simple-statistics';
import type { Correlation } from '../../schemas/evaluation/results/figures';

/** Computes Pearson's correlation of the points' x and y. */
export function computeCorrelation(points: readonly { x: number; y: number }[]): Correlation {
  const n = points.length;
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  if (n < 3 || isConstant(xs) || isConstant(ys)) return { n, r: null, p: null };
  const r = Math.min(1, Math.max(-1, sampleCorrelation(xs, ys)));
  // With t² = (n − 2) r² / (1 − r²), this is the probability of both tails of Student's t.
  return { n, r, p: computeIncompleteBeta((1 - r) * (1 + r), (n - 2) / 2, 0.5) };
}

function isConstant(values: readonly number[]): boolean {
  return values.every((value) => value === values[0]);
}

/** Returns the regularized incomplete beta function I_x(a, b), for x from 0 to 1 (Abramowitz and Stegun, 26.5). */
function computeIncompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(gammaln(a + b) - gammaln(a) - gammaln(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The fraction converges fast on this side only; symmetry gives the other side.
  return x < (a + 1) / (a + b + 2)
    ? front / (a * computeBetaFraction(x, a, b))
    : 1 - front / (b * computeBetaFraction(1 - x, b, a));
}

/** Returns the continued fraction 1 + d₁x/(1 + d₂x/(1 + …)) of 26.5.8, from its far end to its front. */
function computeBetaFraction(x: number, a: number, b: number): number {
  // The number of terms grows with the root of the larger parameter.
  const terms = 50 + Math.ceil(5 * Math.sqrt(Math.max(a, b)));
  let fraction = 1;
  for (let m = terms; m >= 0; m -= 1) {
    const oddTerm = (-(a + m) * (a + b + m)) / ((a + 2 * m) * (a + 2 * m + 1));
    const evenTerm = (m * (b - m)) / ((a + 2 * m - 1) * (a + 2 * m));
    fraction = 1 + (oddTerm * x) / fraction;
    if (m > 0) fraction = 1 + (evenTerm * x) / fraction;
  }
  return fraction;
}
