import { renderEstimate } from '../../../../cli/synth/estimate';
import type { Expense } from '../../../../engine/costs/projection';
import type { Estimate } from '../../../../runs/estimate/estimate';
import { planRun, readRunRequest } from '../../../../runs/plan/inputs';
import type { RunPlan } from '../../../../data/run/inputs';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';

let plan: RunPlan;

beforeAll(async () => {
  const models = { synthesis: 'openai:s', user: 'openai:s', assistant: 'together:a' };
  plan = await planRun(await readRunRequest(synthesisSettingsSchema.parse({ models }), {}));
});

const DAY = '2025-06-30';

const LOW = { calls: 10, input: 1000, output: 100, usd: 0.5 };
const LIKELY = { calls: 1200, input: 20_000, output: 200, usd: 1.25 };
const HIGH = { calls: 3000, input: 3_000_000, output: 300, usd: 2 };

const ESTIMATE: Estimate = {
  run: 'cupid-1',
  personas: { all: 4, finished: 0, failed: 0 },
  rows: [
    {
      step: 'describe',
      spec: 'openai:s',
      spent: { calls: 200, input: 5000, output: 50 },
      left: { low: LOW, likely: { calls: 1000, input: 15_000, output: 150 }, high: HIGH },
      usd: { spent: 0.25, left: { low: 0.5, likely: 1, high: 2 } },
    },
  ],
  total: { low: LOW, likely: LIKELY, high: HIGH },
  unpriced: [],
  pricesCheckedOn: '2025-01-01',
};

test('an estimate shows steps, sums with both bounds, and the date of its prices', () => {
  expect(renderEstimate(ESTIMATE, plan, DAY)).toEqual([
    'Estimate for 4 personas with 13 sessions of up to 16 turns. No model was called.',
    '',
    'step          calls  tokens in  tokens out   cost     model',
    'describe      1,200  20.0 ktok     200 tok  $1.25  openai:s',
    '',
    'likely total  1,200  20.0 ktok     200 tok  $1.25',
    'at least         10   1.0 ktok     100 tok  $0.50',
    'at most       3,000   3.0 Mtok     300 tok  $2.00',
    '',
    'Based on the lengths of the prompts and of the published dialogues. The range gets narrower as answers come in.',
    'Prices checked on 2025-01-01; cupid models shows them with their sources.',
  ]);
});

test('a model without a price makes every sum a lower bound, and is named with what fixes it', () => {
  const [row] = ESTIMATE.rows;
  if (row === undefined) throw new Error('The example has a row.');
  const { usd: _, ...unpriced } = row;
  const text = renderEstimate({ ...ESTIMATE, rows: [unpriced], unpriced: ['openai:s'] }, plan, DAY).join(
    '\n',
  );
  expect(text).toMatch(/describe .* no price {2}openai:s/);
  expect(text).toMatch(/likely total .* ≥ \$1\.25/);
  expect(text).toContain(
    'No price is known for openai:s, so the costs do not include it. Add prices with --models FILE.',
  );
});

test('the status of a run under way shows its directives, what is spent and what is left', () => {
  const begun = {
    spent: { calls: 1, input: 4000, output: 1000, usd: 0.25 },
    left: { low: left(100), likely: left(200), high: left(3000) },
  };
  const personas = { all: 4, finished: 1, failed: 2 };
  expect(renderEstimate({ ...ESTIMATE, personas, begun }, plan, DAY).slice(-4)).toEqual([
    'Based on 1 answered call; 1 of 4 personas finished, 2 failed. The range gets narrower as answers come in.',
    'Prices checked on 2025-01-01; cupid models shows them with their sources.',
    'Spent: 1 call, 5.0 ktok, $0.25.',
    'Left: 200 (100 to 3,000) calls, 200.0 ktok (100.0 ktok to 3.0 Mtok), $0.20 ($0.10 to $3.00).',
  ]);
});

test('prices that were checked more than 180 days ago are marked as old', () => {
  expect(renderEstimate(ESTIMATE, plan, '2025-07-01')).toContain(
    'Prices checked on 2025-01-01 (old: 181 days ago); cupid models shows them with their sources.',
  );
});

function left(calls: number): Expense {
  return { calls, input: calls * 900, output: calls * 100, usd: calls / 1000 };
}
