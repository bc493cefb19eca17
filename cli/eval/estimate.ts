import { getToday } from '../../engine/model-facts/dates';
import type { EvaluationEstimate } from '../../runs/evaluate/estimate';
import { formatAmount } from '../../schemas/text/amount-text';
import { formatStudyOption } from '../../schemas/evaluation/studies';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';
import { formatExpectation, formatPrior, renderCostEstimate } from '../estimate/render';
import { EXIT } from '../exit';
import type { CarryOutOptions } from '../options';
import { printResult } from '../output';

/** Prints the expected calls, tokens and cost of an evaluation or a verification, for `--estimate`. Returns the exit code. */
export function printEvaluationEstimate(
  options: Pick<CarryOutOptions, 'json'>,
  estimate: EvaluationEstimate,
): number {
  printResult(options, estimate, () => renderEvaluationEstimate(estimate, getToday()));
  return EXIT.done;
}

/** Prints the estimate of a command that asks nothing, because everything is answered. Returns the exit code. */
export function printNothingLeft(options: Pick<CarryOutOptions, 'json'>): number {
  printResult(options, { remaining: { calls: 0 } }, () => NOTHING_LEFT);
  return EXIT.done;
}

const NOTHING_LEFT =
  'No call is left: every answer is stored. Without --estimate, the command computes the results from them.';

/** Renders an estimate for a terminal. @param day today, as YYYY-MM-DD */
export function renderEvaluationEstimate(estimate: EvaluationEstimate, day: string): string[] {
  const basis = listPresent(formatCached(estimate), formatBasis(estimate), formatUndrawn(estimate));
  return renderCostEstimate(formatData(estimate), estimate, basis, day);
}

/** Formats the line before the first call: the data, what of them is done, and what is expected. */
export function formatEvaluationStart(estimate: EvaluationEstimate): string {
  return listPresent(
    `Data: ${formatData(estimate)}.`,
    formatExpectation(estimate),
    formatUndrawn(estimate),
  ).join(' ');
}

function formatData({ data, instances: { all, open } }: EvaluationEstimate): string {
  const progress =
    open === all ? '' : `: ${formatNumber(all - open)} done and kept, ${formatNumber(open)} to do`;
  return `${data}, ${formatCount(all, 'instance')}${progress}`;
}

function formatBasis({ progress }: EvaluationEstimate): string {
  if (progress === undefined || progress.spent.calls === 0)
    return formatPrior('the texts of the data and usual lengths of answers');
  return `Based on ${formatCount(progress.spent.calls, 'answered call')}. The range gets narrower as answers come in.`;
}

/** Says what a prompt cache may save where several calls show one history. */
function formatCached({ cached }: EvaluationEstimate): string | false {
  return (
    cached !== undefined &&
    `With the provider's prompt cache, which may give ${formatAmount(cached.tokens, 'tokens')} of this input, likely ${formatAmount(cached.usd, 'usd')} in all.`
  );
}

function formatUndrawn({ undrawnStudies }: EvaluationEstimate): string | false {
  return (
    undrawnStudies.length > 0 &&
    `Not included, because they are drawn from the outcomes: the calls of ${undrawnStudies.map(formatStudyOption).join(', ')}.`
  );
}
