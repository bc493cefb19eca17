import {
  findPriceRefusal,
  findRefusal,
  applySteering,
  type SteeringNow,
} from '../../../../engine/limits/steering';
import type { Steering } from '../../../../schemas/run/steering';
import { buildPriceTable } from '../../../price-table';

const MODEL = 'openai:gpt-4o-2024-11-20';
const BARE: Steering = { paused: false, limits: {} };
const USD = { unit: 'usd', cap: 5 } as const;
const SPENT = { steering: { ...BARE, budget: USD }, outOfBudget: true, spent: { usd: 5, tokens: 5 } };

test("a change leaves what it does not name as it was, and replaces a model's limits as a whole", () => {
  const before: Steering = {
    paused: true,
    concurrency: 8,
    limits: { a: { requestsPerMinute: 60, inFlight: 4 }, b: { inFlight: 2 } },
  };
  expect(applySteering(before, { limits: { a: { tokensPerMinute: 1_000 } } })).toEqual({
    ...before,
    limits: { a: { tokensPerMinute: 1_000 }, b: { inFlight: 2 } },
  });
});

test.each<[string, Partial<Steering>, Partial<SteeringNow>, ...string[]]>([
  [
    'leaves a process at work without a call in flight',
    { concurrency: 1 },
    { workers: 2 },
    'Set a concurrency of 2',
  ],
  ['pauses what is paused', { paused: true }, { steering: { ...BARE, paused: true } }, 'is already paused.'],
  ['resumes what is not paused', { paused: false }, {}, 'The run is not paused.'],
  ['lifts a pause of the budget', { paused: false }, SPENT, 'Raise the budget with cupid set RUN --budget'],
  [
    'limits a model that the run does not ask',
    { limits: { 'openai:x': { inFlight: 1 } } },
    {},
    'openai:x',
    MODEL,
  ],
  ['lowers a budget to what is spent', { budget: USD }, { spent: SPENT.spent }, 'has already spent $5.00'],
])('a change is refused that %s', (_, change, now, ...why) => {
  for (const part of why) expect(refused(change, now)).toContain(part);
});

test.each<[Partial<Steering>, Partial<SteeringNow>]>([
  [{ concurrency: 2 }, { workers: 2 }],
  [{ paused: true }, {}],
  [{ paused: false }, { steering: { ...BARE, paused: true } }],
  [{ limits: { [MODEL]: { inFlight: 1 } } }, {}],
  [{ budget: { ...USD, cap: 6 } }, SPENT],
])('a change that makes sense is not refused: %j', (change, now) => {
  expect(refused(change, now)).toBeUndefined();
});

test('a run with a model without a price has no budget in dollars', () => {
  const models = [MODEL, 'openai-compatible:nobody-knows@http://localhost:1/v1'];
  const table = buildPriceTable({ [MODEL]: { input: 1, output: 1 } });
  expect(findPriceRefusal({ budget: USD }, models, table)).toContain(
    'openai-compatible:nobody-knows has none',
  );
  expect(findPriceRefusal({ budget: { unit: 'tokens', cap: 5 } }, models, table)).toBeUndefined();
  expect(findPriceRefusal({ budget: USD }, [MODEL], table)).toBeUndefined();
  expect(findPriceRefusal({}, models, table)).toBeUndefined();
});

function refused(change: Partial<Steering>, now: Partial<SteeringNow>): string | undefined {
  const usual = { steering: BARE, outOfBudget: false, workers: 1, models: [MODEL] };
  return findRefusal(change, { ...usual, spent: { usd: 0, tokens: 0 }, ...now });
}
