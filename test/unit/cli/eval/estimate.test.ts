import { formatEvaluationStart, renderEvaluationEstimate } from '../../../../cli/eval/estimate';
import type { EvaluationEstimate } from '../../../../runs/evaluate/estimate';
import { expectGolden } from '../../../golden';

const AMOUNT = { calls: 100, input: 20_000, output: 2000, usd: 1.5 };
const LEFT = {
  low: { ...AMOUNT, calls: 90, usd: 1 },
  likely: AMOUNT,
  high: { ...AMOUNT, calls: 130, usd: 2.25 },
};
const NOTHING = { calls: 0, input: 0, output: 0, usd: 0 };
const FREE = { ...AMOUNT, usd: 0 };

const NEW: EvaluationEstimate = {
  run: 'cupid-eval-1',
  data: 'out/CUPID-Unverified/test.parquet',
  instances: { all: 12, open: 12 },
  undrawnStudies: [],
  rows: [
    {
      step: 'infer',
      spec: 'openai:m',
      spent: NOTHING,
      remaining: LEFT,
      usd: { spent: 0, remaining: { low: 1, likely: 1.5, high: 2.25 } },
    },
  ],
  total: LEFT,
  unpricedModels: [],
  closeNames: [],
};
const BEGUN = {
  instances: { all: 27, open: 12 },
  progress: { spent: { ...AMOUNT, calls: 50 }, remaining: LEFT },
};
const DONE = { low: NOTHING, likely: NOTHING, high: NOTHING };

test('an estimate and the line at the start say what is kept, what is left, and what no sum contains', () => {
  const cases: readonly (readonly [string, Partial<EvaluationEstimate>])[] = [
    ['a new evaluation', {}],
    ['one that was begun', BEGUN],
    ['studies of outcomes', { ...BEGUN, undrawnStudies: ['errors', 'repeats'] }],
    ['a model without a price', { unpricedModels: ['openai:x'] }],
    [
      'only models without a price',
      { unpricedModels: ['openai:x'], total: { low: FREE, likely: FREE, high: FREE } },
    ],
    ['models that cost nothing', { total: { low: FREE, likely: FREE, high: FREE } }],
    [
      'one call',
      { total: { low: { ...FREE, calls: 1 }, likely: { ...FREE, calls: 1 }, high: { ...FREE, calls: 1 } } },
    ],
    ['nothing left', { instances: { all: 27, open: 0 }, progress: { spent: AMOUNT, remaining: DONE } }],
  ];
  expectGolden('evaluation-estimate.txt', [
    [
      'the whole estimate',
      renderEvaluationEstimate(
        { ...NEW, undrawnStudies: ['stress'], cached: { tokens: 12_000, usd: 1.2 } },
        '2026-11-28',
      ).join('\n'),
    ],
    ...cases.map(([name, change]): [string, string] => [name, formatEvaluationStart({ ...NEW, ...change })]),
  ]);
});
