import type { Ledger } from '../schemas/ledger';
import type { ModelTable } from '../schemas/model-table';
import type { Tier } from '../schemas/tier';
import { costOf, expectedOf, priceOf } from './prices';
import type { Amount, Band, EstimateRow } from './run-estimate';

/** US dollars: what a step cost, and what it is expected to cost still. */
export interface RowCost {
  readonly spent: number;
  readonly left: Band<number>;
}

/**
 * What a row of an estimate costs; undefined for a model without a price. Cached tokens are unknown before they are read: where the
 * ledger has calls of the row's model and step, the rest is expected to come as much cheaper as these did.
 * @param tier that the calls which are left go to
 */
export function costOfRow(
  row: EstimateRow,
  ledger: Ledger,
  table: ModelTable,
  tier?: Tier,
): RowCost | undefined {
  if (priceOf(row.spec, table) === undefined) return undefined;
  const known = ledger.filter(({ step, spec }) => step === row.step && spec === row.spec);
  const spent = costOf(known, table).usd;
  const uncached = known.reduce((sum, { input, output, assumed, ...call }) => {
    const tokens = { input: input + assumed.input, output: output + assumed.output };
    return sum + expectedOf(call, tokens, 'usd', table);
  }, 0);
  const part = uncached > 0 ? spent / uncached : 1;
  const cost = (amount: Amount) => expectedOf({ spec: row.spec, tier }, amount, 'usd', table) * part;
  const { low, likely, high } = row.left;
  return { spent, left: { low: cost(low), likely: cost(likely), high: cost(high) } };
}
