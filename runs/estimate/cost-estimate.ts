import { buildModelTable } from '../../data/model-table';
import type { Band } from '../../engine/costs/expectation';
import { findOldestPriceDate, listUnpriced } from '../../engine/costs/prices';
import {
  sumExpenses,
  type Expense,
  type ProjectedRow,
  type RunProjection,
} from '../../engine/costs/projection';
import type { SteeringRequest } from '../../engine/limits/steering';
import { listCloseNames } from '../../engine/model-facts/close-names';
import { omitUndefined } from '../../schemas/omit-undefined';

/** Expected calls, tokens and costs of a run from beginning to end, and how much of them an already started run has used. */
export interface CostEstimate {
  readonly run: string;
  readonly rows: readonly ProjectedRow[];
  /** Sum of all rows, including past spending. */
  readonly total: Band<Expense>;
  /** Present only for a run that was started. */
  readonly progress?: Pick<RunProjection, 'spent' | 'remaining'>;
  /** Models without a price, whose costs are in no sum. */
  readonly unpricedModels: readonly string[];
  /** Models of the table that mistyped names among these mean. */
  readonly closeNames: readonly string[];
  /** Day of the oldest price; absent if no model has one. */
  readonly pricesCheckedOn?: string;
}

/** Returns what is expected from now on: of a run that was not started, everything. */
export function getRemaining({ total, progress }: Pick<CostEstimate, 'total' | 'progress'>): Band<Expense> {
  return progress?.remaining ?? total;
}

/** Completes a projection of a run with the facts that its costs rest on. */
export function buildCostEstimate(
  { rows, spent, remaining }: RunProjection,
  {
    run,
    models,
    isBegun,
    terms,
  }: {
    readonly run: string;
    /** SPECs besides those of the rows. */
    readonly models: readonly string[];
    readonly isBegun: boolean;
    readonly terms: Pick<SteeringRequest, 'modelTable'>;
  },
): CostEstimate {
  const table = buildModelTable(terms);
  const specs = [...models, ...rows.map(({ spec }) => spec)];
  const unpricedModels = listUnpriced(specs, table);
  return {
    run,
    rows,
    total: {
      low: sumExpenses([spent, remaining.low]),
      likely: sumExpenses([spent, remaining.likely]),
      high: sumExpenses([spent, remaining.high]),
    },
    unpricedModels,
    closeNames: listCloseNames(unpricedModels, table),
    ...omitUndefined({
      pricesCheckedOn: findOldestPriceDate(specs, table),
      progress: isBegun ? { spent, remaining } : undefined,
    }),
  };
}
