import { compareTasks } from '../../../../rules/analyses/tasks';
import { buildGeneration, buildInferenceOf, markMissing } from './rows';

const models = ['simulated:a', 'simulated:b', 'simulated:c'];

test('models that did both tasks in one context are laid side by side and correlated', () => {
  const rows = [
    ...[0.25, 0.5, 0.75].map((f1, n) => buildInferenceOf(f1, { model: models[n] ?? '' })),
    ...[3, 9, 6].map((score, n) => buildGeneration(score, { model: models[n] ?? '' })),
    buildInferenceOf(1, { model: 'simulated:inference only' }),
    buildGeneration(10, { model: 'simulated:generation only' }),
    markMissing(buildGeneration(10, { model: 'simulated:inference only' })),
  ];
  const comparisons = compareTasks(rows);
  expect(comparisons).toHaveLength(1);
  expect(comparisons[0]).toMatchObject({
    context: 'full',
    matcher: 'simulated:judge',
    matcher_form: 'evaluator',
    decomposer: 'simulated:judge',
    judge: 'simulated:judge',
    models: [
      {
        model: 'simulated:a',
        f1: 0.25,
        n_inference_instances: 1,
        average_score: 3,
        n_generation_instances: 1,
      },
      { model: 'simulated:b', f1: 0.5, average_score: 9 },
      { model: 'simulated:c', f1: 0.75, average_score: 6 },
    ],
    correlation: { n: 3 },
  });
  // Deviations -0.25, 0, 0.25 and -3, 3, 0: 0.75 / √(0.125 · 18)
  expect(comparisons[0]?.correlation.r).toBeCloseTo(0.5, 12);
  // With one degree of freedom: 1 - 2/π · atan(t), t = r / √(1 - r²) = 1/√3.
  expect(comparisons[0]?.correlation.p).toBeCloseTo(2 / 3, 12);
});

test('each way of matching is compared with each judge, within one context only', () => {
  const rows = [
    buildInferenceOf(0.5),
    buildInferenceOf(0.5, { evaluator: 'simulated:p', evaluator_form: 'prefmatcher' }),
    buildInferenceOf(0.5, { context: 'oracle' }),
    buildInferenceOf(0.5, { context: 'none' }),
    buildGeneration(5),
    buildGeneration(5, { evaluator: 'simulated:other judge' }),
    buildGeneration(5, { context: 'oracle' }),
    buildGeneration(5, { context: 'preference' }),
  ];
  const named = compareTasks(rows).map(({ context, matcher, judge }) => `${context} ${matcher} ${judge}`);
  expect(named).toEqual([
    'full simulated:judge simulated:judge',
    'full simulated:judge simulated:other judge',
    'full simulated:p simulated:judge',
    'full simulated:p simulated:other judge',
    'oracle simulated:judge simulated:judge',
  ]);
});

test('one model gives no correlation; one task or no rows give no comparison', () => {
  expect(compareTasks([buildInferenceOf(0.5), buildGeneration(5)])[0]?.correlation).toEqual({
    n: 1,
    r: null,
    p: null,
  });
  expect(compareTasks([buildInferenceOf(0.5)])).toEqual([]);
  expect(compareTasks([])).toEqual([]);
});

test('the order of the rows changes nothing', () => {
  const rows = models.flatMap((model, n) => [
    buildInferenceOf(n / 10, { model }),
    buildGeneration(n + 1, { model }),
  ]);
  expect(JSON.stringify(compareTasks(rows.toReversed()))).toBe(JSON.stringify(compareTasks(rows)));
});
