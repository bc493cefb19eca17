import type { ModelTable, Price } from '../schemas/model/model-table';

/** Builds a model table with prices only, in the standard tier, checked on 1 January 2025. */
export function buildPriceTable(prices: Readonly<Record<string, Price>>): ModelTable {
  return Object.entries(prices).map(([model, standard]) => ({
    model,
    checked: '2025-01-01',
    source: 'a test',
    prices: { standard },
  }));
}
