import { compareSynthesizers } from '../../../../rules/analyses/synthesizers';
import { buildGeneration, buildInferenceOf, open } from './rows';

test('each model has its numbers on the data of each synthesizer', () => {
  const rows = ['simulated:a', 'simulated:b', null].flatMap((synthesizer, n) => [
    buildInferenceOf(0.25 * (n + 1), { synthesizer }),
    buildInferenceOf(0.5, { synthesizer, model: 'simulated:b' }),
    buildGeneration(n + 5, { synthesizer }),
  ]);
  const comparisons = compareSynthesizers(rows);
  expect(comparisons.map(({ task }) => task)).toEqual(['inference', 'generation']);
  expect(
    comparisons[0]?.entries.map(({ model, synthesizer, own_data, n_instances, f1 }) => [
      model,
      synthesizer,
      own_data,
      n_instances,
      f1,
    ]),
  ).toEqual([
    ['simulated:a', null, null, 1, 0.75],
    ['simulated:a', 'simulated:a', true, 1, 0.25],
    ['simulated:a', 'simulated:b', false, 1, 0.5],
    ['simulated:b', null, null, 1, 0.5],
    ['simulated:b', 'simulated:a', false, 1, 0.5],
    ['simulated:b', 'simulated:b', true, 1, 0.5],
  ]);
  expect(comparisons[1]?.entries.map(({ average_score, f1 }) => [average_score, f1])).toEqual([
    [7, null],
    [5, null],
    [6, null],
  ]);
  expect(JSON.stringify(compareSynthesizers(rows.toReversed()))).toBe(JSON.stringify(comparisons));
});

test('no rows give nothing, rows without results give nulls', () => {
  expect(compareSynthesizers([])).toEqual([]);
  const [comparison] = compareSynthesizers([open(buildInferenceOf(1))]);
  expect(comparison?.entries[0]).toMatchObject({ n_instances: 0, f1: null, macro_f1: null });
});
