import { analyzeHistories, listOwnHistories } from '../../../../rules/analyses/histories';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { buildInferenceOf, markMissing } from './rows';

const row = (
  context: ScoreRow['context'],
  f1: number,
  [relevant_position, n_prior_sessions]: readonly [number | null, number],
  persona_id = '1+a',
) =>
  buildInferenceOf(f1, {
    context,
    persona_id,
    relevant_position,
    n_prior_sessions,
    prior_tokens: context === 'full' ? 8_000 : 31_000,
  });

test('results are grouped by the fifth of the history in which their evidence lies, beside those of the own history', () => {
  const rows = [
    row('full', 1, [1, 8]),
    row('full', 0.5, [8, 8], '2+b'),
    row('full@32k', 0.5, [1, 40]),
    row('full@32k', 0.25, [8, 40], '2+b'),
    row('full@32k', 0, [39.5, 40], '3+c'),
    row('full@32k', 0, [null, 40], '4+d'),
    markMissing(row('full@32k', 0, [20, 40], '5+e')),
    row('oracle', 1, [1, 8]),
  ];
  expect(
    analyzeHistories(rows).map(({ context, mean_tokens, n_instances, by_depth }) => {
      return { context, mean_tokens, n_instances, by_depth };
    }),
  ).toEqual([
    {
      context: 'full',
      mean_tokens: 8_000,
      n_instances: 2,
      by_depth: [
        { max_depth: 0.2, n_instances: 1, mean: 1 },
        { max_depth: 1, n_instances: 1, mean: 0.5 },
      ],
    },
    {
      context: 'full@32k',
      mean_tokens: 31_000,
      n_instances: 4,
      by_depth: [
        { max_depth: 0.2, n_instances: 2, mean: 0.375 },
        { max_depth: 1, n_instances: 1, mean: 0 },
      ],
    },
  ]);
});

test('without extended histories there is nothing to compare', () => {
  const rows = [row('full', 1, [1, 8]), row('memory', 1, [1, 8])];
  expect(analyzeHistories(rows)).toEqual([]);
  expect(listOwnHistories([...rows, row('full@1M', 1, [1, 8])])).toEqual(rows);
});
