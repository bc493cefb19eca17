import type { Amount } from '../../engine/costs/expected-tokens';
import type { Expense, ProjectedRow } from '../../engine/costs/projection';
import { formatCloseNames } from '../../schemas/text/close-names';
import { computeStaleDays } from '../../engine/model-facts/dates';
import type { CostEstimate } from '../../runs/estimate/cost-estimate';
import { formatAmount, formatCost } from '../../schemas/text/amount-text';
import { formatCount, formatNumber, pluralize } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';
import type { TableRow } from '../../schemas/text/table';
import { getWidth } from '../output';
import { renderTable } from '../../schemas/text/text-table';

/**
 * Renders an estimate for a terminal.
 * @param title what is estimated
 * @param basis what the numbers rest on, and what they lack
 * @param day today, as YYYY-MM-DD
 */
export function renderCostEstimate(
  title: string,
  estimate: CostEstimate,
  basis: readonly string[],
  day: string,
): string[] {
  const { rows, total } = estimate;
  return [
    `${title} No model was called.`,
    '',
    ...renderTable(
      {
        names: 'step',
        columns: COLUMNS,
        rows: [
          ...rows.map((row) => buildStepRow(row)),
          { name: '', cells: [] },
          buildTotalRow('likely total', total.likely, estimate),
          buildTotalRow('at least', total.low, estimate),
          buildTotalRow('at most', total.high, estimate),
        ],
      },
      getWidth(),
    ),
    '',
    ...basis,
    ...renderPrices(estimate, day),
    ...renderStand(estimate),
  ];
}

/** Formats what a run is expected to ask from now on, in a sentence: calls, and their cost. */
export function formatExpectation({ progress, total, unpricedModels }: CostEstimate): string {
  const { likely, low, high } = progress?.remaining ?? total;
  if (high.calls === 0) return 'No call is left.';
  const calls = `About ${formatCount(likely.calls, 'call')} left (${formatNumber(low.calls)} to ${formatNumber(high.calls)})`;
  if (unpricedModels.length > 0 && high.usd === 0) return `${calls}; the cost is unknown.`;
  if (unpricedModels.length === 0 && high.usd === 0) return `${calls}, at no cost.`;
  const [lowest, highest] = [formatAmount(low.usd, 'usd'), formatAmount(high.usd, 'usd')];
  const range = lowest === highest ? '' : ` (${lowest} to ${highest})`;
  const exclusion = unpricedModels.length === 0 ? '' : `, without ${unpricedModels.join(', ')}`;
  return `${calls}, about ${formatAmount(likely.usd, 'usd')}${range}${exclusion}.`;
}

/** Formats the basis of an estimate without answers. @param lengths what the lengths were taken from */
export function formatPrior(lengths: string): string {
  return `Based on ${lengths}. The range gets narrower as answers come in.`;
}

const COLUMNS = [
  { title: 'calls' },
  { title: 'tokens in' },
  { title: 'tokens out' },
  { title: 'cost' },
  { title: 'model' },
];

/** Builds the row of a step: its total, spent and left. */
function buildStepRow({ step, spec, spent, remaining: { likely }, usd }: ProjectedRow): TableRow {
  const cost = usd === undefined ? 'no price' : formatAmount(usd.spent + usd.remaining.likely, 'usd');
  const amount = {
    calls: spent.calls + likely.calls,
    input: spent.input + likely.input,
    output: spent.output + likely.output,
  };
  return { name: step, cells: [...buildAmountCells(amount), cost, spec] };
}

function buildTotalRow(
  title: string,
  expense: CostEstimate['total']['likely'],
  { unpricedModels }: CostEstimate,
): TableRow {
  return {
    name: title,
    cells: [...buildAmountCells(expense), formatCost(expense.usd, unpricedModels.length > 0, '≥ ')],
  };
}

function buildAmountCells({ calls, input, output }: Amount): string[] {
  return [formatNumber(calls), formatAmount(input, 'tokens'), formatAmount(output, 'tokens')];
}

function renderPrices({ pricesCheckedOn, unpricedModels, closeNames }: CostEstimate, day: string): string[] {
  const staleDays = pricesCheckedOn === undefined ? undefined : computeStaleDays(pricesCheckedOn, day);
  return listPresent(
    pricesCheckedOn !== undefined &&
      `Prices checked on ${pricesCheckedOn}${staleDays === undefined ? '' : ` (old: ${formatCount(staleDays, 'day')} ago)`}; cupid models shows them with their sources.`,
    unpricedModels.length !== 0 &&
      `No price is known for ${unpricedModels.join(', ')}, so the costs do not include ${pluralize(unpricedModels.length, 'it', 'them')}.${formatCloseNames(closeNames)} Add prices with --models FILE.`,
  );
}

function renderStand({ progress, unpricedModels }: CostEstimate): string[] {
  if (progress === undefined) return [];
  const { spent, remaining } = progress;
  const range = (formatExpense: (expense: typeof remaining.likely) => string) =>
    `${formatExpense(remaining.likely)} (${formatExpense(remaining.low)} to ${formatExpense(remaining.high)})`;
  const isBound = unpricedModels.length > 0;
  const formatUsd = (expense: Expense, text: string) =>
    isBound && expense.usd === 0 ? 'cost unknown' : `${isBound ? 'at least ' : ''}${text}`;
  const spentUsd = formatUsd(spent, formatAmount(spent.usd, 'usd'));
  const leftUsd = formatUsd(
    remaining.high,
    range(({ usd }) => formatAmount(usd, 'usd')),
  );
  return [
    `Spent: ${formatCount(spent.calls, 'call')}, ${formatTokens(spent)}, ${spentUsd}.`,
    `Left: ${range(({ calls }) => formatNumber(calls))} calls, ${range(formatTokens)}, ${leftUsd}.`,
  ];
}

function formatTokens({ input, output }: Amount): string {
  return formatAmount(input + output, 'tokens');
}
