import type { Ledger } from '../schemas/ledger';
import type { Prices } from '../schemas/prices';
import { totalsOf } from './ledger';
import { costOf, expectedOf, priceOf } from './prices';
import type { Amount, EstimateRow } from './run-estimate';

/** US dollars. */
export interface CostBand {
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

/**
 * What a row of an estimate costs; undefined for a model without a price. Cached tokens are unknown before they are read: where the
 * ledger has calls of the row's model and step, the rest is expected to come as much cheaper as these did.
 */
export function costOfRow(row: EstimateRow, ledger: Ledger, prices: Prices): CostBand | undefined {
  if (priceOf(row.spec, prices) === undefined) return undefined;
  const known = ledger.filter(({ step, spec }) => step === row.step && spec === row.spec);
  const { input, output, assumed } = totalsOf(known);
  const plain = usdOf(row.spec, { input: input + assumed.input, output: output + assumed.output }, prices);
  const part = plain > 0 ? costOf(known, prices).usd / plain : 1;
  const cost = (amount: Amount) => usdOf(row.spec, amount, prices) * part;
  return { low: cost(row.low), likely: cost(row.likely), high: cost(row.high) };
}

function usdOf(spec: string, { input, output }: Pick<Amount, 'input' | 'output'>, prices: Prices): number {
  return expectedOf(spec, { input, output }, 'usd', prices);
}
