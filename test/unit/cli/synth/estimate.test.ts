import { renderEstimate } from '../../../../cli/synth/estimate';
import type { Expense } from '../../../../engine/costs/projection';
import type { Estimate } from '../../../../runs/synthesize/estimate';
import { planRun, readRunRequest } from '../../../../runs/synthesize/inputs';
import type { RunPlan } from '../../../../data/run/inputs';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { expectGolden, renderChangedLines } from '../../../golden';

let plan: RunPlan;

beforeAll(async () => {
  const models = { synthesis: 'openai:s', user: 'openai:s', assistant: 'together:a' };
  plan = await planRun(await readRunRequest(synthesisSettingsSchema.parse({ models }), {}));
});

const DAY = '2025-06-30';

const LOW = { calls: 10, input: 1000, output: 100, usd: 0.5 };
const LIKELY = { calls: 1200, input: 20_000, output: 200, usd: 1.25 };
const HIGH = { calls: 3000, input: 3_000_000, output: 300, usd: 2 };

const ROW = {
  step: 'describe',
  spec: 'openai:s',
  spent: { calls: 0, input: 0, output: 0 },
  remaining: { low: LOW, likely: LIKELY, high: HIGH },
  usd: { spent: 0, remaining: { low: 0.5, likely: 1.25, high: 2 } },
} satisfies Estimate['rows'][number];

const ESTIMATE: Estimate = {
  run: 'cupid-1',
  personas: { all: 4, finished: 0, failed: 0 },
  rows: [ROW],
  total: { low: LOW, likely: LIKELY, high: HIGH },
  unpricedModels: [],
  closeNames: [],
  pricesCheckedOn: '2025-01-01',
};

const FREE = { ...LOW, usd: 0 };
const MISTYPED = {
  total: { low: FREE, likely: FREE, high: FREE },
  unpricedModels: ['openai:gpt-6-lun'],
  closeNames: ['openai:gpt-6-luna'],
  progress: { spent: FREE, remaining: { low: FREE, likely: FREE, high: FREE } },
};

const BEGUN = {
  spent: { calls: 1, input: 4000, output: 1000, usd: 0.25 },
  remaining: { low: left(100), likely: left(200), high: left(3000) },
};

test('an estimate shows steps, sums with both bounds, the date of its prices, and what is spent', () => {
  const { usd: _, ...unpriced } = ROW;
  const personas = { all: 4, finished: 1, failed: 2 };
  const first = render({});
  const describe = (change: Partial<Estimate>, day = DAY) => renderChangedLines(first, render(change, day));
  expectGolden('estimate.txt', [
    ['a run that has not begun', first],
    ['a model without a price', describe({ rows: [unpriced], unpricedModels: ['openai:s'] })],
    ['a run of mistyped models', describe({ ...MISTYPED, rows: [unpriced] })],
    ['a run under way', describe({ personas, progress: BEGUN })],
    ['prices that were checked more than 180 days ago', describe({}, '2025-07-01')],
  ]);
});

function render(change: Partial<Estimate>, day = DAY): string {
  return renderEstimate({ ...ESTIMATE, ...change }, plan, day).join('\n');
}

function left(calls: number): Expense {
  return { calls, input: calls * 900, output: calls * 100, usd: calls / 1000 };
}
