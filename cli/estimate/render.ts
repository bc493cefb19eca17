import type { Amount } from '../../engine/costs/expected-tokens';
import type { ProjectedRow } from '../../engine/costs/projection';
import { formatCloseNames } from '../../schemas/text/close-names';
import { computeStaleDays } from '../../engine/model-facts/dates';
import { getRemaining, type CostEstimate } from '../../runs/estimate/cost-estimate';
import { formatAmount, formatCost } from '../../schemas/text/amount-text';
import { formatCount, formatNumber, pluralize } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';
import type { TableRow } from '../../schemas/text/table';
import { getWidth } from '../terminal/width';
import { renderTable } from '../../schemas/text/text-table';

/**
 * Renders an estimate for a terminal. Of a run that has begun, it lists what is left: what the command would ask.
 * @param subject what is estimated
 * @param basis what the numbers rest on, and what they lack
 * @param day today, as YYYY-MM-DD
 */
export function renderCostEstimate(
  subject: string,
  estimate: CostEstimate,
  basis: readonly string[],
  day: string,
): string[] {
  const { rows } = estimate;
  const { likely, low, high } = getRemaining(estimate);
  const title = `Estimate ${hasAnswers(estimate) ? 'of what is left for' : 'for'} ${subject}. No model was called.`;
  if (high.calls === 0) return [title, '', formatExpectation(estimate), ...renderSpent(estimate)];
  return [
    title,
    '',
    ...renderTable(
      {
        names: 'step',
        columns: COLUMNS,
        rows: [
          ...rows.filter(({ remaining }) => remaining.high.calls > 0).map(buildStepRow),
          { name: '', cells: [] },
          buildTotalRow('likely total', likely, estimate),
          buildTotalRow('at least', low, estimate),
          buildTotalRow('at most', high, estimate),
        ],
      },
      getWidth(),
    ),
    '',
    ...basis,
    ...renderPrices(estimate, day),
    ...renderSpent(estimate),
  ];
}

/** Formats what a run is expected to ask from now on, in a sentence: calls, and their cost. */
export function formatExpectation(estimate: CostEstimate): string {
  const { unpricedModels } = estimate;
  const { likely, low, high } = getRemaining(estimate);
  if (high.calls === 0) return 'No call is left.';
  const callRange =
    low.calls === high.calls ? '' : ` (${formatNumber(low.calls)} to ${formatNumber(high.calls)})`;
  const calls = `About ${formatCount(likely.calls, 'call')}${hasAnswers(estimate) ? ' left' : ''}${callRange}`;
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

/** Returns whether the run has calls from before. */
function hasAnswers({ progress }: CostEstimate): boolean {
  return progress !== undefined && progress.spent.calls > 0;
}

/** Builds the row of a step with what is left of it. */
function buildStepRow({ step, spec, remaining: { likely }, usd }: ProjectedRow): TableRow {
  const cost = usd === undefined ? 'no price' : formatAmount(usd.remaining.likely, 'usd');
  return { name: step, cells: [...buildAmountCells(likely), cost, spec] };
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

function renderSpent(estimate: CostEstimate): string[] {
  const { progress, unpricedModels } = estimate;
  if (progress === undefined || !hasAnswers(estimate)) return [];
  const { spent } = progress;
  const cost = formatCost(spent.usd, unpricedModels.length > 0, 'at least ');
  return [
    `Spent before, and not in the table: ${formatCount(spent.calls, 'call')}, ${formatTokens(spent)}, cost ${cost}.`,
  ];
}

function formatTokens({ input, output }: Amount): string {
  return formatAmount(input + output, 'tokens');
}
