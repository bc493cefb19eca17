import {
  computeCost,
  computeExpected,
  findPrice,
  computeSavings,
  computeSpent,
  sumTokens,
  listUnpriced,
} from '../../../../engine/costs/prices';
import { computeTotals } from '../../../../engine/costs/ledger';
import type { LedgerRow } from '../../../../schemas/run/ledger';
import type { ModelTable } from '../../../../schemas/model/model-table';
import type { Tier } from '../../../../schemas/model/tier';
import { buildPriceTable } from '../../../price-table';

const PRICES = buildPriceTable({
  'openai:a': { input: 2, output: 10, cachedRead: 1, cachedWrite: 3 },
  'openai:b': { input: 2, output: 10 },
  'openai-compatible:c': { input: 1, output: 1 },
  'bedrock:anthropic.d': { input: 1, output: 1 },
  'module:priced.mjs': { input: 1, output: 1 },
});

function row(spec: string, counts: Partial<LedgerRow>): LedgerRow {
  return { ...computeTotals([]), spec, step: 'user', calls: 1, ...counts };
}

const MILLION = 1_000_000;

test('cached tokens cost their own price, and are not paid twice as input', () => {
  const counts = { input: 10 * MILLION, cachedRead: 4 * MILLION, cachedWrite: MILLION, output: MILLION };
  // 5 × 2 uncached + 4 × 1 read + 1 × 3 written + 1 × 10 out.
  expect(computeCost([row('openai:a', counts)], PRICES)).toEqual({ usd: 27, unpricedModels: [] });
  // All input has the same price if there are no cached prices.
  expect(computeCost([row('openai:b', counts)], PRICES)).toEqual({ usd: 30, unpricedModels: [] });
});

test('reasoning is part of the output and costs nothing more', () => {
  const counts = { output: MILLION, reasoning: MILLION };
  expect(computeCost([row('openai:a', counts)], PRICES).usd).toBe(10);
});

test('assumed tokens are paid like reported ones', () => {
  const assumedTokens = { input: MILLION, output: MILLION };
  expect(computeCost([row('openai:a', { assumedTokens })], PRICES).usd).toBe(12);
  expect(sumTokens([row('openai:a', { assumedTokens, input: 3, output: 4 })])).toBe(2 * MILLION + 7);
});

test('a model without a price makes the cost a lower bound that names it', () => {
  const ledger = [
    row('openai:a', { output: MILLION }),
    row('together:z', { output: MILLION }),
    row('openai-compatible:y@http://host/v1', { output: MILLION }),
  ];
  expect(computeCost(ledger, PRICES)).toEqual({
    usd: 10,
    unpricedModels: ['openai-compatible:y', 'together:z'],
  });
  expect(listUnpriced(['together:z', 'openai:a', 'together:z'], PRICES)).toEqual(['together:z']);
});

test('a model is priced whatever its address, its options, its folder or its Bedrock region', () => {
  expect(findPrice('openai-compatible:c@http://host:8000/v1', PRICES)).toEqual({ input: 1, output: 1 });
  expect(findPrice('module:./models/priced.mjs', PRICES)).toEqual({ input: 1, output: 1 });
  expect(findPrice('bedrock:us.anthropic.d', PRICES)).toEqual({ input: 1, output: 1 });
  expect(findPrice('openai:constructor', PRICES)).toBeUndefined();
});

test('simulated models and modules cost nothing, unless the table prices them', () => {
  expect(findPrice('simulated:default?latency=1s', PRICES)).toEqual({ input: 0, output: 0 });
  expect(findPrice('module:./own.mjs', PRICES)).toEqual({ input: 0, output: 0 });
  const priced = buildPriceTable({ 'simulated:default': { input: 5, output: 5 } });
  expect(findPrice('simulated:default?latency=1s', priced)).toEqual({ input: 5, output: 5 });
});

test('a call costs what the tier that served it costs; a tier without a price costs what the standard one does', () => {
  const standard = { input: 2, output: 10 };
  const prices = { standard, flex: { input: 1, output: 5 } };
  const entry = { model: 'openai:a', checked: '2026-01-01', source: 's', prices };
  const table: ModelTable = [entry];
  const counts = { input: MILLION, output: MILLION };
  const cost = (tier: Tier, of = table) => computeCost([row('openai:a', { ...counts, tier })], of).usd;
  expect([cost('standard'), cost('flex'), cost('priority'), cost('batch')]).toEqual([12, 6, 12, 12]);
  expect(cost('batch', [{ ...entry, batchPriceShare: 0.25 }])).toBe(3);
  expect(computeExpected({ spec: 'openai:a', tier: 'flex' }, counts, 'usd', table)).toBe(6);
});

test('what caching and cheaper tiers saved is counted apart, and writing to a cache may cost more than it saves', () => {
  const standard = { input: 2, output: 10, cachedRead: 0.2, cachedWrite: 2.5 };
  const prices = { standard, flex: { input: 1, output: 5, cachedRead: 0.1, cachedWrite: 1.25 } };
  const table = [{ model: 'openai:a', checked: '2026-01-01', source: 's', prices }];
  const read = row('openai:a', { input: 2 * MILLION, cachedRead: MILLION });
  const one = computeSavings([read], table);
  expect(one).toMatchObject({ cachedShare: 0.5, tierUsd: 0 });
  expect(one.cachingUsd).toBeCloseTo(1.8, 9);
  const written = row('openai:a', { input: MILLION, cachedRead: 0, cachedWrite: MILLION });
  expect(computeSavings([written], table).cachingUsd).toBeCloseTo(-0.5, 9);
  const flex = computeSavings([row('openai:a', { input: MILLION, output: MILLION, tier: 'flex' })], table);
  expect(flex).toEqual({ cachingUsd: 0, tierUsd: 6 });
});

test('what is spent is known in both units of a budget; a model without a price costs nothing', () => {
  const ledger = [row('openai:a', { input: 1000, output: 100 })];
  expect(computeSpent(ledger, PRICES).tokens).toBe(1100);
  expect(computeSpent(ledger, PRICES).usd).toBeCloseTo(0.003, 12);
  expect(computeSpent(ledger, [])).toEqual({ tokens: 1100, usd: 0 });
  expect(computeExpected({ spec: 'openai:a' }, { input: 1000, output: 100 }, 'usd', PRICES)).toBeCloseTo(
    0.003,
    12,
  );
  expect(computeExpected({ spec: 'together:z' }, { input: 1000, output: 100 }, 'tokens', [])).toBe(1100);
});
