import { compareDataSets } from '../../../../rules/analyses/data-sets';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { buildJudgedRow, buildMatchedRow } from '../scores/rows';

const RESAMPLING = { seed: 1, resamples: 200 };
const DEVIATING = 3.8416 / 13.8416;

const personas = (count: number, build: (given: Partial<ScoreRow>) => ScoreRow) =>
  Array.from({ length: count }, (_, at) => build({ persona_id: `${at}+baker` }));

test('the same model in the same setting is compared, with an interval over the personas of both', () => {
  const own = personas(20, (given) => buildJudgedRow(4, given));
  const other = personas(10, (given) => buildJudgedRow(7, given));
  expect(compareDataSets(own, [{ source: 'hub:kixlab/CUPID', rows: other }], RESAMPLING)).toEqual([
    {
      task: 'generation',
      context: 'full',
      evaluator: 'openai:evaluator',
      evaluator_form: 'judge',
      decomposer: null,
      model: 'openai:one',
      other_data: 'hub:kixlab/CUPID',
      value: 4,
      other_value: 7,
      difference: -3,
      // None deviates, of 10 personas at the least: 3.8416 / 13.8416 of all may, each to a difference of −9 or 9.
      interval: {
        low: expect.closeTo(-3 - 6 * DEVIATING, 12),
        high: expect.closeTo(-3 + 12 * DEVIATING, 12),
      },
      n_instances: 20,
      other_n_instances: 10,
    },
  ]);
});

test('an interval covers what chance makes of two halves of the same data', () => {
  const rows = Array.from({ length: 40 }, (_, at) =>
    buildMatchedRow(at % 2 === 0 ? 'F' : 'N', at % 3 === 0 ? 'F' : 'N', { persona_id: `${at}+baker` }),
  );
  const [found] = compareDataSets(rows, [{ source: 'other', rows }], RESAMPLING);
  expect(found?.difference).toBe(0);
  expect(found?.interval?.low).toBeLessThan(0);
  expect(found?.interval?.high).toBeGreaterThan(0);
});

test('other models and settings, and data without numbers, are not compared', () => {
  const own = personas(3, (given) => buildJudgedRow(4, given));
  const rows = [
    ...personas(3, (given) => buildJudgedRow(4, { ...given, model: 'together:two' })),
    ...personas(3, (given) => buildJudgedRow(4, { ...given, context: 'none' })),
    ...personas(3, (given) => ({ ...buildJudgedRow(4, given), state: 'missing' as const, score: null })),
  ];
  expect(compareDataSets(own, [{ source: 'other', rows }], RESAMPLING)).toEqual([]);
});
