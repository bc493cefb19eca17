import { compareContexts } from '../../../../rules/analyses/contexts';
import { buildGeneration, buildInference, buildInferenceOf, markMissing, NO_AVERAGES } from './rows';

const other = { persona_id: '2+cook' };

test('a model has its numbers in each context, and the difference to the full history over shared instances', () => {
  const rows = [
    buildInferenceOf(0.25),
    buildInferenceOf(0.75, other),
    buildInferenceOf(0.5, { context: 'summary' }),
    markMissing(buildInferenceOf(1, { ...other, context: 'summary' })),
    buildInferenceOf(1, { context: 'oracle' }),
    buildInferenceOf(1, { ...other, context: 'oracle' }),
  ];
  const [all] = compareContexts(rows);
  expect(all).toMatchObject({ model: 'simulated:a', task: 'inference', instance_type: 'all' });
  expect(all?.contexts.map(({ context, n_instances, f1 }) => [context, n_instances, f1])).toEqual([
    ['full', 2, 0.5],
    ['oracle', 2, 1],
    ['summary', 1, 0.5],
  ]);
  expect(all?.contexts.map(({ difference_to_full }) => difference_to_full)).toEqual([
    null,
    { ...NO_AVERAGES, n_instances: 2, precision: 0.5, recall: 0.5, f1: 0.5, macro_f1: 0.5 },
    // Excludes the instance that is missing there: 0.5 against 0.25.
    { ...NO_AVERAGES, n_instances: 1, precision: 0.25, recall: 0.25, f1: 0.25, macro_f1: 0.25 },
  ]);
  expect(JSON.stringify(compareContexts(rows.toReversed()))).toBe(JSON.stringify(compareContexts(rows)));
});

test('responses are compared by their mean score', () => {
  const rows = [
    buildGeneration(4),
    buildGeneration(9, { context: 'preference' }),
    buildGeneration(3, { context: 'none' }),
  ];
  const [all] = compareContexts(rows);
  expect(
    all?.contexts.map(({ context, average_score, difference_to_full }) => [
      context,
      average_score,
      difference_to_full?.average_score,
    ]),
  ).toEqual([
    ['full', 4, undefined],
    ['none', 3, -1],
    ['preference', 9, 5],
  ]);
});

test('each instance type is distinguished, those only that have rows', () => {
  const rows = [
    buildInferenceOf(0.25),
    buildInferenceOf(0.75, { instance_type: 'changing' }),
    buildInferenceOf(0.5, { instance_type: 'changing', context: 'summary' }),
  ];
  const comparisons = compareContexts(rows);
  expect(comparisons.map(({ instance_type }) => instance_type)).toEqual(['all', 'consistent', 'changing']);
  expect(comparisons[1]?.contexts.map(({ context }) => context)).toEqual(['full']);
  expect(comparisons[2]?.contexts[1]?.difference_to_full?.f1).toBe(-0.25);
});

test('models and evaluators are kept apart', () => {
  const rows = [
    buildInference(),
    buildInference({ model: 'simulated:b' }),
    buildInference({ evaluator: 'simulated:other' }),
    buildGeneration(5),
  ];
  const all = compareContexts(rows).filter(({ instance_type }) => instance_type === 'all');
  expect(all).toHaveLength(4);
});

test('without the full history, or without shared instances, the difference is null', () => {
  expect(compareContexts([])).toEqual([]);
  const [alone] = compareContexts([buildInference({ context: 'summary' })]);
  expect(alone?.contexts[0]?.difference_to_full).toBeNull();
  const [apart] = compareContexts([buildInference(), buildInference({ ...other, context: 'summary' })]);
  expect(apart?.contexts[1]?.difference_to_full).toBeNull();
});
