import { compareJudges } from '../../../../rules/analyses/judges';
import { buildGeneration, buildInference, markMissing, markTooLong } from './rows';

const STRICT = { evaluator: 'simulated:strict' };

/** Builds one response for each persona, with the scores of two judges. */
function judge(scores: readonly (readonly [number, number])[]) {
  return scores.flatMap(([usual, strict], at) => [
    buildGeneration(usual, { persona_id: `${at}` }),
    buildGeneration(strict, { persona_id: `${at}`, ...STRICT }),
  ]);
}

test('two judges are compared over the responses that both scored', () => {
  const [comparison, ...others] = compareJudges([
    ...judge([
      [2, 1],
      [5, 4],
      [9, 8],
    ]),
    buildInference(),
  ]);
  expect(others).toEqual([]);
  expect(comparison).toMatchObject({
    context: 'full',
    first: 'simulated:judge',
    second: 'simulated:strict',
    n_responses: 3,
    mean_difference: 1,
  });
  expect(comparison?.correlation.r).toBeCloseTo(1);
  // Observed: 3 pairs that differ by 1. Expected: the squared differences of all 15 pairs of the scores 2, 1, 5, 4, 9, 8.
  const [observed, expected] = [
    (2 * 3) / 6,
    (2 * (1 + 9 + 4 + 49 + 36 + 16 + 9 + 64 + 49 + 1 + 16 + 9 + 25 + 16 + 1)) / (6 * 5),
  ];
  expect(comparison?.alpha.interval).toBeCloseTo(1 - observed / expected);
});

test('equal scores agree wholly; missing ones and histories that were too long are left out', () => {
  const rows = judge([
    [3, 3],
    [8, 8],
    [5, 9],
    [5, 1],
  ]);
  const changed = rows.map((row, at) => (at === 5 ? markMissing(row) : at === 7 ? markTooLong(row) : row));
  expect(compareJudges(changed)).toMatchObject([
    { n_responses: 2, alpha: { ordinal: 1, interval: 1 }, mean_difference: 0 },
  ]);
});

test('one judge is compared with nobody', () => {
  expect(compareJudges([buildGeneration(3)])).toEqual([]);
});
