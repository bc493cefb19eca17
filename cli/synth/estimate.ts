import { formatAmount, formatCost } from '../../schemas/text/amount-text';
import type { Amount } from '../../engine/costs/expected-tokens';
import type { Expense, ProjectedRow } from '../../engine/costs/projection';
import { buildEstimate, type BegunRun, type Estimate } from '../../runs/estimate/estimate';
import { formatCloseNames } from '../../schemas/text/close-names';
import { computeStaleDays, getToday } from '../../engine/model-facts/dates';
import type { RunPlan } from '../../data/run/inputs';
import { formatCount, formatNumber, pluralize } from '../../schemas/text/count-text';
import { EXIT } from '../exit';
import type { SynthOptions } from '../options';
import { getWidth, printResult } from '../output';
import { readSteeringRequest, type SteeringOptions } from '../../runs/control/request';
import { renderTable } from '../terminal/table';
import type { TableRow } from '../../schemas/text/table';
import { listPresent } from '../../schemas/text/list-present';

/**
 * Runs `cupid synth --estimate`: prints the expected calls, tokens and cost of the whole run. Calls no model, writes
 * nothing, needs no key. Returns the exit code.
 * @param plan the run that the command would start or continue
 * @param begun the part of it that is in the folder
 */
export async function printEstimate(
  options: SteeringOptions & Pick<SynthOptions, 'json' | 'batch'>,
  plan: RunPlan,
  begun: BegunRun | undefined,
): Promise<number> {
  const change = await readSteeringRequest(options, Object.values(plan.inputs.settings.models));
  const estimate = await buildEstimate(plan, begun, change, options.batch !== undefined);
  printResult(options, estimate, () => renderEstimate(estimate, plan, getToday()));
  return EXIT.done;
}

/** Renders an estimate for a terminal. @param day today, as YYYY-MM-DD */
export function renderEstimate(estimate: Estimate, { inputs: { settings } }: RunPlan, day: string): string[] {
  const { personas, rows, total } = estimate;
  const { nSessions, maxTurns } = settings;
  return [
    `Estimate for ${formatCount(personas.all, 'persona')} with ${formatCount(nSessions, 'session')} of up to ${formatCount(maxTurns, 'turn')}. No model was called.`,
    '',
    ...renderTable(
      COLUMNS,
      [
        ...rows.map((row) => buildRow(row)),
        '',
        buildTotalRow('likely total', total.likely, estimate),
        buildTotalRow('at least', total.low, estimate),
        buildTotalRow('at most', total.high, estimate),
      ],
      getWidth(),
    ),
    '',
    formatBasis(estimate),
    ...renderPrices(estimate, day),
    ...renderStand(estimate),
  ];
}

const COLUMNS = [
  { title: 'step' },
  { title: 'calls' },
  { title: 'tokens in' },
  { title: 'tokens out' },
  { title: 'cost' },
  { title: 'model' },
];

/** Builds the row of a step: its total, spent and left. */
function buildRow({ step, spec, spent, left: { likely }, usd }: ProjectedRow): string[] {
  const cost = usd === undefined ? 'no price' : formatAmount(usd.spent + usd.left.likely, 'usd');
  return [
    step,
    ...buildAmountCells({
      calls: spent.calls + likely.calls,
      input: spent.input + likely.input,
      output: spent.output + likely.output,
    }),
    cost,
    spec,
  ];
}

function buildTotalRow(title: string, bound: Estimate['total']['likely'], { unpriced }: Estimate): TableRow {
  return [title, ...buildAmountCells(bound), formatCost(bound.usd, unpriced.length > 0, '≥ ')];
}

function buildAmountCells({ calls, input, output }: Amount): string[] {
  return [formatNumber(calls), formatAmount(input, 'tokens'), formatAmount(output, 'tokens')];
}

function formatBasis({ begun, personas: { all, finished, failed } }: Estimate): string {
  if (begun === undefined || begun.spent.calls === 0) {
    return 'Based on the lengths of the prompts and of the published dialogues. The range gets narrower as answers come in.';
  }
  const failing = failed === 0 ? '' : `, ${formatNumber(failed)} failed`;
  return `Based on ${formatCount(begun.spent.calls, 'answered call')}; ${formatNumber(finished)} of ${formatCount(all, 'persona')} finished${failing}. The range gets narrower as answers come in.`;
}

function renderPrices({ pricesCheckedOn, unpriced, closeNames }: Estimate, day: string): string[] {
  const old = pricesCheckedOn === undefined ? undefined : computeStaleDays(pricesCheckedOn, day);
  return listPresent(
    pricesCheckedOn !== undefined &&
      `Prices checked on ${pricesCheckedOn}${old === undefined ? '' : ` (old: ${formatCount(old, 'day')} ago)`}; cupid models shows them with their sources.`,
    unpriced.length !== 0 &&
      `No price is known for ${unpriced.join(', ')}, so the costs do not include ${pluralize(unpriced.length, 'it', 'them')}.${formatCloseNames(closeNames)} Add prices with --models FILE.`,
  );
}

function renderStand({ begun, unpriced }: Estimate): string[] {
  if (begun === undefined) return [];
  const { spent, left } = begun;
  const range = (of: (bound: typeof left.likely) => string) =>
    `${of(left.likely)} (${of(left.low)} to ${of(left.high)})`;
  const isBound = unpriced.length > 0;
  const formatUsd = (most: Expense, text: string) =>
    isBound && most.usd === 0 ? 'cost unknown' : `${isBound ? 'at least ' : ''}${text}`;
  const spentUsd = formatUsd(spent, formatAmount(spent.usd, 'usd'));
  const leftUsd = formatUsd(
    left.high,
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
