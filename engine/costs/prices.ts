import type { CallEstimate, Ledger, LedgerRow } from '../../schemas/run/ledger';
import { formatModelName, parseModelSpec } from '../../schemas/model/model-spec';
import type { ModelTable, Price } from '../../schemas/model/model-table';
import { isService } from '../../schemas/model/provider';
import type { SpentAmounts } from '../../schemas/run/steering';
import type { AmountUnit } from '../../schemas/text/amount-text';
import type { Tier } from '../../schemas/model/tier';
import type { WorkerLedger } from './ledger';
import { findEntry, collectFacts } from '../model-facts/facts';

export interface Cost {
  /** US dollars; a lower bound if models have no price. */
  readonly usd: number;
  /** The models without a price, as `provider:model`, sorted. */
  readonly unpricedModels: readonly string[];
}

/** Computes the cost of a ledger; estimated tokens are charged like reported ones. */
export function computeCost(ledger: Ledger, table: ModelTable): Cost {
  let usd = 0;
  for (const row of ledger) {
    const price = findPrice(row.spec, table, row.tier);
    if (price !== undefined) usd += computeRowCost(row, price);
  }
  const specs = ledger.map(({ spec }) => spec);
  return { usd, unpricedModels: listUnpriced(specs, table) };
}

/** Savings from cached tokens and cheaper tiers, and the share of cached tokens. */
export interface Savings {
  /** Share of the input tokens read from a cache, 0 to 1; absent if no call reported any. */
  readonly cachedShare?: number;
  /** US dollars; negative if writing to the cache cost more than reading from it saved. */
  readonly cachingUsd: number;
  readonly tierUsd: number;
}

/** Computes how much more the calls of a ledger would have cost without caching, and in the standard tier. */
export function computeSavings(ledger: Ledger, table: ModelTable): Savings {
  const reporting = ledger.filter(({ cachedRead }) => cachedRead !== undefined);
  const input = reporting.reduce((sum, row) => sum + row.input, 0);
  const cached = reporting.reduce((sum, { cachedRead = 0 }) => sum + cachedRead, 0);
  let [cachingUsd, tierUsd] = [0, 0];
  for (const { cachedRead: _read, cachedWrite: _write, ...row } of ledger) {
    const [price, standard] = [findPrice(row.spec, table, row.tier), findPrice(row.spec, table)];
    if (price === undefined || standard === undefined) continue;
    const uncached = computeRowCost(row, price);
    tierUsd += computeRowCost(row, standard) - uncached;
    cachingUsd += uncached;
  }
  cachingUsd -= computeCost(ledger, table).usd;
  return { ...(input === 0 ? {} : { cachedShare: cached / input }), cachingUsd, tierUsd };
}

/** Returns the models without a price in the table, as `provider:model`, sorted. A budget in money cannot be kept for them. */
export function listUnpriced(specs: Iterable<string>, table: ModelTable): string[] {
  const unpriced = [...specs].filter((spec) => findPrice(spec, table) === undefined);
  return [...new Set(unpriced.map(formatModelName))].toSorted();
}

/**
 * Returns a model's price; undefined if unknown. A tier without a price costs as much as the standard tier, which is an upper bound. `simulated:`,
 * `module:` and `memory:` cost nothing without an entry: the first calls no provider, and only the authors of the others know their costs. All
 * others may cost money.
 */
export function findPrice(spec: string, table: ModelTable, tier: Tier = 'standard'): Price | undefined {
  const { prices, batchPriceShare = 1 } = collectFacts(spec, table);
  if (prices !== undefined) {
    return tier === 'batch'
      ? scalePrice(prices.standard, batchPriceShare)
      : (prices[tier] ?? prices.standard);
  }
  return isService(parseModelSpec(spec).provider) ? undefined : FREE;
}

function scalePrice({ input, output, cachedRead, cachedWrite }: Price, factor: number): Price {
  return {
    input: input * factor,
    output: output * factor,
    ...(cachedRead === undefined ? {} : { cachedRead: cachedRead * factor }),
    ...(cachedWrite === undefined ? {} : { cachedWrite: cachedWrite * factor }),
  };
}

/** Returns the day of the oldest price of these models; undefined if the table has none. */
export function findOldestPriceDate(specs: Iterable<string>, table: ModelTable): string | undefined {
  return [...specs].flatMap((spec) => findEntry(spec, 'prices', table)?.checked ?? []).toSorted()[0];
}

const FREE: Price = { input: 0, output: 0 };

/** Adds up tokens read and written, including cached and estimated ones. */
export function sumTokens(ledger: Ledger): number {
  return ledger.reduce(
    (sum, { input, output, assumedTokens }) =>
      sum + input + output + assumedTokens.input + assumedTokens.output,
    0,
  );
}

/**
 * Computes a ledger's share of a budget in both units, with calls in flight at their estimates. Models without a price count as 0, so budgets in
 * dollars are rejected for them.
 */
export function computeSpent(
  ledger: Ledger,
  table: ModelTable,
  inFlight: Iterable<{
    readonly spec: string;
    readonly tier?: Tier | undefined;
    readonly estimate: CallEstimate;
  }> = [],
): SpentAmounts {
  let [usd, tokens] = [computeCost(ledger, table).usd, sumTokens(ledger)];
  for (const call of inFlight) {
    usd += computeExpected(call, call.estimate, 'usd', table);
    tokens += computeExpected(call, call.estimate, 'tokens', table);
  }
  return { usd, tokens };
}

/** Returns the amounts that workers spent, by name; workers without a call are left out. */
export function computeSpentByWorker(
  ledgers: readonly WorkerLedger[],
  table: ModelTable,
): Record<string, SpentAmounts> {
  const activeLedgers = ledgers.filter(({ rows, inFlight }) => rows.length + inFlight.length > 0);
  return Object.fromEntries(
    activeLedgers.map(({ worker, rows, inFlight }) => [worker, computeSpent(rows, table, inFlight)]),
  );
}

/** Computes the expected cost of one call, in the unit of the budget. */
export function computeExpected(
  { spec, tier }: { readonly spec: string; readonly tier?: Tier | undefined },
  { input, output }: CallEstimate,
  unit: AmountUnit,
  table: ModelTable,
): number {
  if (unit === 'tokens') return input + output;
  const price = findPrice(spec, table, tier);
  return price === undefined ? 0 : computeUsd({ input, output }, price);
}

function computeRowCost(
  { input, output, cachedRead = 0, cachedWrite = 0, assumedTokens }: LedgerRow,
  price: Price,
): number {
  // `input` includes the cached tokens, unless the call reported nothing else.
  const uncached = Math.max(0, input - cachedRead - cachedWrite);
  const cached =
    cachedRead * (price.cachedRead ?? price.input) + cachedWrite * (price.cachedWrite ?? price.input);
  return (
    computeUsd({ input: uncached + assumedTokens.input, output: output + assumedTokens.output }, price) +
    cached / MILLION
  );
}

function computeUsd({ input, output }: CallEstimate, price: Price): number {
  return (input * price.input + output * price.output) / MILLION;
}

const MILLION = 1_000_000;
