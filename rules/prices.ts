import type { CallEstimate, Ledger, LedgerRow } from '../schemas/ledger';
import { modelName } from '../schemas/model-spec';
import type { Price, Prices } from '../schemas/prices';
import type { Budget } from '../schemas/steering';

/** What calls cost. */
export interface Cost {
  /** US dollars; where a model has no price, what the others cost: a lower bound. */
  readonly usd: number;
  /** The models without a price, as `provider:model`, sorted. */
  readonly unpriced: readonly string[];
}

/** What all that a ledger tells of costs; tokens that were assumed are paid as if they were reported. */
export function costOf(ledger: Ledger, prices: Prices): Cost {
  let usd = 0;
  for (const row of ledger) {
    const price = priceOf(row.spec, prices);
    if (price !== undefined) usd += rowCost(row, price);
  }
  const specs = ledger.map(({ spec }) => spec);
  return { usd, unpriced: unpricedOf(specs, prices) };
}

/** The models that a table does not price, as `provider:model`, sorted: a budget in money cannot hold for them. */
export function unpricedOf(specs: Iterable<string>, prices: Prices): string[] {
  const unpriced = [...specs].filter((spec) => priceOf(spec, prices) === undefined);
  return [...new Set(unpriced.map(modelName))].toSorted();
}

/**
 * A model's price; undefined when it is unknown. A table's own line goes first. Without one, `simulated:` and `module:` cost
 * nothing: the one asks nobody, and what the other's file asks, and for how much, only its author knows. All others may be paid for.
 */
export function priceOf(spec: string, { usdPerMillionTokens }: Prices): Price | undefined {
  const name = modelName(spec);
  for (const known of [name, withoutRegion(name)]) {
    if (Object.hasOwn(usdPerMillionTokens, known)) return usdPerMillionTokens[known];
  }
  return /^(simulated|module):/.test(name) ? FREE : undefined;
}

/** Bedrock's inference profiles put where a model runs before its name: `us.anthropic.claude-…`. */
function withoutRegion(name: string): string {
  return name.replace(/^bedrock:(?:us|eu|apac|jp|au|global)\./, 'bedrock:');
}

const FREE: Price = { input: 0, output: 0 };

/** Tokens read and written, cached and assumed ones included. */
export function tokensOf(ledger: Ledger): number {
  return ledger.reduce(
    (sum, { input, output, assumed }) => sum + input + output + assumed.input + assumed.output,
    0,
  );
}

/**
 * What a ledger takes from a budget, in the budget's unit.
 * @throws Error for dollars without prices; models that have none count as nothing, so they are refused beforehand
 */
export function spentOf(ledger: Ledger, unit: Budget['unit'], prices: Prices | undefined): number {
  return unit === 'tokens' ? tokensOf(ledger) : costOf(ledger, given(prices)).usd;
}

/** What one call is expected to take from a budget, in its unit. @throws Error for dollars without prices */
export function expectedOf(
  spec: string,
  { input, output }: CallEstimate,
  unit: Budget['unit'],
  prices: Prices | undefined,
): number {
  if (unit === 'tokens') return input + output;
  const price = priceOf(spec, given(prices));
  return price === undefined ? 0 : usdOf({ input, output }, price);
}

function given(prices: Prices | undefined): Prices {
  if (prices === undefined) throw new Error('A budget in dollars needs prices.');
  return prices;
}

function rowCost(
  { input, output, cachedRead = 0, cachedWrite = 0, assumed }: LedgerRow,
  price: Price,
): number {
  // `input` has the cached tokens in it, but for calls that reported nothing else.
  const uncached = Math.max(0, input - cachedRead - cachedWrite);
  const cached =
    cachedRead * (price.cachedRead ?? price.input) + cachedWrite * (price.cachedWrite ?? price.input);
  return (
    usdOf({ input: uncached + assumed.input, output: output + assumed.output }, price) + cached / MILLION
  );
}

function usdOf({ input, output }: CallEstimate, price: Price): number {
  return (input * price.input + output * price.output) / MILLION;
}

const MILLION = 1_000_000;
