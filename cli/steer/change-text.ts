import { formatAmount } from '../../schemas/text/amount-text';
import type { Budget } from '../../schemas/run/steering';
import type { AppliedSteering, SteeringChange } from '../../runs/steer/steer';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { describeContinuation, describeExtension } from '../command-line';
import { quotePath } from '../../schemas/text/shell-text';
import { formatDuration } from '../../schemas/text/numbers';
import { listPresent } from '../../schemas/text/list-present';
import { formatLimits } from '../status/status-text';

/** Renders the result of pausing, resuming or changing a run. */
export function renderSteeringChange({ run, how, wanted, before, now }: SteeringChange): string[] {
  const { name, held } = run;
  const finished = held?.folder.run?.state === 'finished';
  const repeat = describeContinuation(run, isBudgetSpent(now ?? before) ? 'budget' : undefined);
  const resting = finished ? 'The run is finished.' : 'The run is stopped.';
  const restingAndNext = finished ? resting : `${resting} ${repeat}`;
  const resume = `cupid resume ${quotePath(name)}`;
  const atRest = how === 'kept';
  if (now === undefined) {
    if (wanted.paused === true) return [`The run is already paused.${atRest ? ` ${resting}` : ''}`];
    return [`The run is not paused.${atRest ? ` ${restingAndNext}` : ''}`];
  }
  if (wanted.paused === true) {
    return [
      atRest
        ? `${resting} ${finished ? 'If you extend it, it' : 'It'} will start paused. Resume it with: ${resume}`
        : `Paused. Calls in flight are answered and kept; no new call is sent. Resume it with: ${resume}`,
    ];
  }
  if (wanted.paused === false) {
    if (atRest) return [`The run is no longer paused. ${restingAndNext}`];
    return [
      isBudgetSpent(now)
        ? `The run is no longer paused, but its budget of ${formatCap(now.steering.budget)} is spent. Raise it: cupid set ${quotePath(name)} --budget AMOUNT`
        : 'The run continues.',
    ];
  }
  return listPresent(
    ...renderChanges({ wanted, before, now }),
    atRest && (finished ? describeFinished(run) : `${resting} The change applies when it continues.`),
    before.paused !== undefined && now.paused === undefined && !atRest && 'The run continues.',
    now.paused?.by === 'user' && `The run is still paused. Resume it with: ${resume}`,
  );
}

/** Describes what a change does to a finished run. */
function describeFinished(run: SteeringChange['run']): string {
  return `The run is finished, so nothing changes now. The change applies to the new calls if you continue the run: ${describeExtension(run)}.`;
}

/** Returns true if the run would pause at once when it continues. */
function isBudgetSpent({ steering: { budget }, spent = 0 }: AppliedSteering): boolean {
  return budget !== undefined && spent >= budget.cap;
}

/** Renders each new setting with its previous value. */
function renderChanges({
  wanted,
  before,
  now,
}: Pick<SteeringChange, 'wanted' | 'before'> & { readonly now: AppliedSteering }): string[] {
  const limited = Object.keys(wanted.limits ?? {});
  return listPresent(
    wanted.concurrency !== undefined &&
      `Concurrency: ${formatNumber(wanted.concurrency)}${before.concurrency === undefined ? '' : ` (was ${formatNumber(before.concurrency)})`}.`,
    wanted.budget !== undefined &&
      `Budget: ${formatCap(wanted.budget)} (was ${formatCap(before.steering.budget)}); ${formatAmount(now.spent ?? 0, wanted.budget.unit)} spent.`,
    ...limited.map(
      (spec) => `Rate of ${spec}: ${rateText(now.steering, spec)} (was ${rateText(before.steering, spec)}).`,
    ),
    wanted.modelTable !== undefined &&
      `Model table: ${formatTable(now.steering)} (was ${formatTable(before.steering)}).`,
    ...Object.entries(wanted.tiers ?? {}).map(
      ([spec, tier]) => `Tier of ${spec}: ${tier} (was ${before.steering.tiers?.[spec] ?? 'standard'}).`,
    ),
    wanted.tierFallbackMs !== undefined &&
      `Standard tier after ${formatDuration(wanted.tierFallbackMs / 1_000)} without capacity.`,
  );
}

function formatCap(budget: Budget | undefined): string {
  return budget === undefined ? 'none' : formatAmount(budget.cap, budget.unit);
}

function rateText({ limits }: AppliedSteering['steering'], spec: string): string {
  return formatLimits(limits[spec] ?? {}) ?? 'unlimited';
}

function formatTable({ modelTable }: AppliedSteering['steering']): string {
  return modelTable === undefined
    ? 'the built-in one'
    : `the built-in one and ${formatCount(modelTable.length, 'entry', 'entries')} of yours`;
}
