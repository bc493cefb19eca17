import { computeMisapplication, type MisappliedRow } from '../../../../rules/analyses/misapplication';
import { buildJudgedRow } from '../scores/rows';

const build = (persona: number, score: number, misapplied: number | null): MisappliedRow => ({
  ...buildJudgedRow(score, { persona_id: `${persona}+baker`, instance_type: 'contrastive' }),
  misapplied,
});

test('the rate counts responses that a judge accepts, and the means are over the same responses', () => {
  const [found] = computeMisapplication([build(1, 9, 2), build(2, 8, 6), build(3, 4, 7), build(4, 1, null)]);
  expect(found).toMatchObject({ n_responses: 3, n_missing: 1, mean: 5, true_mean: 7 });
  expect(found?.rate).toMatchObject({ share: 2 / 3 });
});

test('without a usable score there is no rate', () => {
  expect(computeMisapplication([build(1, 9, null)])).toEqual([
    expect.objectContaining({ n_responses: 0, n_missing: 1, rate: null, mean: null, true_mean: null }),
  ]);
  expect(computeMisapplication([])).toEqual([]);
});
