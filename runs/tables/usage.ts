import { computeTotals, type LedgerTotals } from '../../engine/costs/ledger';
import { computeCost } from '../../engine/costs/prices';
import { groupBy } from '../../rules/group-by';
import { formatResultName } from '../../rules/trials/rows';
import type { ModelTable } from '../../schemas/model/model-table';
import type { Ledger, LedgerRow } from '../../schemas/run/ledger';
import { formatCost } from '../../schemas/text/amount-text';
import { formatNumber } from '../../schemas/text/count-text';
import {
  type Table,
  type TableCell,
  type TableColumn,
  type TableRow,
  toQuantity,
} from '../../schemas/text/table';

/** Builds a row for each model, its steps below it, and the total if there are several models. */
function buildUsageRows(
  ledger: Ledger,
  buildCells: (totals: LedgerTotals, rows: Ledger) => TableCell[],
): TableRow[] {
  const models = groupBy(ledger, createNaming(ledger));
  const modelTableRows = [...models].flatMap(([model, modelRows]) => [
    { name: model, cells: buildCells(computeTotals(modelRows), modelRows) },
    ...[...groupBy(modelRows, nameStep)].map(([step, rows]) => ({
      name: step,
      depth: 1,
      cells: buildCells(computeTotals(rows), rows),
    })),
  ]);
  return models.size < 2
    ? modelTableRows
    : [...modelTableRows, { name: 'total', cells: buildCells(computeTotals(ledger), ledger) }];
}

/** Names models as results do: models that differ in their options or servers have different names. */
export function createNaming(ledger: Ledger): (row: LedgerRow) => string {
  const specs = [...new Set(ledger.map(({ spec }) => spec))];
  return ({ spec }) => formatResultName(specs, spec);
}

function nameStep({ step, tier }: LedgerRow): string {
  return tier === undefined ? step : `${step} (${tier})`;
}

/** Builds the answers, errors, tokens and cost of each model, and of its steps below it. */
export function buildCallTable(ledger: Ledger, table: ModelTable): Table {
  const kinds = [...new Set(ledger.flatMap(({ failures }) => Object.keys(failures)))].toSorted();
  return {
    title: 'Answers, errors and cost by model and step',
    columns: [
      ...['answered', 'bad', '% bad', 'refused', 'lost'].map((title) => ({ title })),
      ...kinds.map((title) => ({ title, group: 'errors' })),
      ...COST_COLUMNS,
    ],
    rows: buildUsageRows(ledger, (totals, rows) => {
      const { calls, badAnswers, refusals, lostCalls, failures } = totals;
      return [
        toQuantity(calls),
        toQuantity(badAnswers),
        toQuantity(calls === 0 ? null : badAnswers / calls, 'percent'),
        toQuantity(refusals),
        toQuantity(lostCalls),
        ...kinds.map((kind) => toQuantity(failures[kind] ?? 0)),
        ...buildCostCells(totals, rows, table),
      ];
    }),
  };
}

/** Builds the tokens and cost of each model, and of its steps below it. */
export function buildCostTable(ledger: Ledger, table: ModelTable): Table {
  return {
    columns: COST_COLUMNS,
    rows: buildUsageRows(ledger, (totals, rows) => buildCostCells(totals, rows, table)),
  };
}

const COST_COLUMNS: readonly TableColumn[] = [
  ...['read', '% cached', 'written'].map((title) => ({ title, group: 'tokens' })),
  { title: 'cost' },
  { title: 's/call' },
];

function buildCostCells(
  { calls, input, output, cachedRead, uncountedCalls, durationMs }: LedgerTotals,
  rows: Ledger,
  table: ModelTable,
): TableCell[] {
  const { usd, unpricedModels } = computeCost(rows, table);
  // The sums are a lower bound if a provider did not report tokens.
  const sumTokens = (value: number) =>
    uncountedCalls > 0 ? { value, text: `≥ ${formatNumber(value)}` } : { value };
  return [
    sumTokens(input),
    toQuantity(cachedRead === undefined || input === 0 ? null : cachedRead / input, 'percent'),
    sumTokens(output),
    unpricedModels.length > 0 && usd > 0
      ? { value: usd, text: formatCost(usd, true) }
      : toQuantity(unpricedModels.length > 0 ? null : usd, 'usd'),
    toQuantity(calls === 0 ? null : durationMs / 1_000 / calls, 'mean'),
  ];
}
