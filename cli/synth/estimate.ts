import type { RunPlan } from '../../data/run/inputs';
import { getToday } from '../../engine/model-facts/dates';
import type { Estimate } from '../../runs/synthesize/estimate';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { formatExpectation, formatPrior, renderCostEstimate } from '../estimate/render';
import { EXIT } from '../exit';
import type { CarryOutOptions } from '../options';
import { printResult } from '../output';

/** Prints the expected calls, tokens and cost of a whole synthesis run, for `--estimate`. Returns the exit code. */
export function printEstimate(
  options: Pick<CarryOutOptions, 'json'>,
  estimate: Estimate,
  plan: RunPlan,
): number {
  printResult(options, estimate, () => renderEstimate(estimate, plan, getToday()));
  return EXIT.done;
}

/** Renders an estimate for a terminal. @param day today, as YYYY-MM-DD */
export function renderEstimate(estimate: Estimate, { inputs: { settings } }: RunPlan, day: string): string[] {
  const { nSessions, maxTurns } = settings;
  const subject = `${formatCount(estimate.personas.all, 'persona')} with ${formatCount(nSessions, 'session')} of up to ${formatCount(maxTurns, 'turn')}`;
  return renderCostEstimate(subject, estimate, [formatBasis(estimate)], day);
}

function formatBasis({ progress, personas: { all, finished, failed } }: Estimate): string {
  if (progress === undefined || progress.spent.calls === 0)
    return formatPrior('the lengths of the prompts and of the published dialogues');
  const failing = failed === 0 ? '' : `, ${formatNumber(failed)} failed`;
  return `Based on ${formatCount(progress.spent.calls, 'answered call')}; ${formatNumber(finished)} of ${formatCount(all, 'persona')} finished${failing}. The range gets narrower as answers come in.`;
}

/** Formats the line before the first call of a synthesis: its data, and what is expected. */
export function formatStart(estimate: Estimate): string {
  const { all, finished, failed } = estimate.personas;
  const failing = failed === 0 ? '' : `, ${formatNumber(failed)} failed`;
  const open = formatNumber(all - finished - failed);
  const progress = finished + failed === 0 ? '' : `: ${formatNumber(finished)} done${failing}, ${open} to do`;
  return `Data: ${formatCount(all, 'persona')} for ${formatCount(all * INSTANCE_TYPES.length, 'instance')}${progress}. ${formatExpectation(estimate)}`;
}
