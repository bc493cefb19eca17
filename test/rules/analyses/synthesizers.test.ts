import { compareSynthesizers, lowestPersonas } from '../../../rules/analyses/synthesizers';
import { generation, inferenceOf, missing, open } from './rows';

test('each model has its numbers on the data of each synthesizer', () => {
  const rows = ['simulated:a', 'simulated:b', null].flatMap((synthesizer, n) => [
    inferenceOf(0.25 * (n + 1), { synthesizer }),
    inferenceOf(0.5, { synthesizer, model: 'simulated:b' }),
    generation(n + 5, { synthesizer }),
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
  const [comparison] = compareSynthesizers([open(inferenceOf(1))]);
  expect(comparison?.entries[0]).toMatchObject({ n_instances: 0, f1: null, macro_f1: null });
});

test('the personas that models found hardest come first, each model counting alike', () => {
  const rows = [
    // Mean of a is 0.5 (two instances), of b 0.1: 0.3.
    inferenceOf(0.4, { persona_id: '1+baker' }),
    inferenceOf(0.6, { persona_id: '1+baker', instance_type: 'changing' }),
    inferenceOf(0.1, { persona_id: '1+baker', model: 'simulated:b' }),
    inferenceOf(0.2, { persona_id: '2+cook' }),
    missing(inferenceOf(1, { persona_id: '2+cook', instance_type: 'changing' })),
    inferenceOf(0.9, { persona_id: '3+judge' }),
    inferenceOf(0.2, { persona_id: '10+nurse' }),
    missing(inferenceOf(0, { persona_id: '4+clerk' })),
    generation(1, { persona_id: '3+judge' }),
  ];
  expect(lowestPersonas(rows, 3)).toEqual(['10+nurse', '2+cook', '1+baker']);
  expect(lowestPersonas(rows.toReversed(), 99)).toEqual(['10+nurse', '2+cook', '1+baker', '3+judge']);
  expect(lowestPersonas([], 64)).toEqual([]);
});
