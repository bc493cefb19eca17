import type { ModelTable } from '../../schemas/model/model-table';
import type { SpentAmounts, Steering } from '../../schemas/run/steering';
import { formatAmount, formatBudget } from '../../schemas/text/amount-text';
import { listUnpriced } from '../costs/prices';
import { listCloseNames } from '../model-facts/close-names';
import { formatCloseNames } from '../../schemas/text/close-names';
import { formatCount } from '../../schemas/text/count-text';

/** Changes to the steering of a run. Models that it does not name keep their limits and tiers. */
export type SteeringRequest = Partial<Steering>;

/** Returns the steering of a run after a change. */
export function applySteering(steering: Steering, change: SteeringRequest): Steering {
  const { limits, tiers } = change;
  return {
    ...steering,
    ...change,
    limits: { ...steering.limits, ...limits },
    ...(tiers === undefined ? {} : { tiers: { ...steering.tiers, ...tiers } }),
  };
}

/** Current state of a run that is to be steered. */
export interface SteeringNow {
  readonly steering: Steering;
  /** True while the run is paused because its budget is spent. */
  readonly outOfBudget: boolean;
  /** The SPECs of the models that the run asks. */
  readonly models: readonly string[];
  /** Processes that work for the run. */
  readonly workers: number;
  readonly spent: SpentAmounts;
}

/** Explains why a change makes no sense now, and which one would; undefined if it is fine. */
export function findRefusal(change: SteeringRequest, now: SteeringNow): string | undefined {
  const { paused, concurrency, limits = {} } = change;
  const { steering, outOfBudget, models, workers } = now;
  const budget = change.budget ?? steering.budget;
  const unknownModels = Object.keys(limits).filter((spec) => !models.includes(spec));
  if (paused === true && steering.paused) return 'The run is already paused.';
  if (paused === false && !steering.paused)
    return outOfBudget && budget !== undefined
      ? `The run is paused because its budget of ${formatAmount(budget.cap, budget.unit)} is spent. Raise the budget with cupid set RUN --budget AMOUNT to continue.`
      : 'The run is not paused.';
  if (concurrency !== undefined && concurrency < workers)
    return `${formatCount(workers, 'worker process needs', 'worker processes need')} at least one call in flight each. Set a concurrency of ${workers} or more, stop some of the workers, or pause the run.`;
  if (unknownModels.length > 0)
    return `The run does not use ${unknownModels.join(', ')}. Its models are ${models.join(', ')}. Name one of these.`;
  return findSpentRefusal(change, now.spent);
}

/** Explains why a budget cannot be set after this much was spent; undefined if it can, or if none is set. */
export function findSpentRefusal(
  { budget }: SteeringRequest,
  spentAmounts: SpentAmounts,
): string | undefined {
  if (budget === undefined || spentAmounts[budget.unit] < budget.cap) return undefined;
  return `The run has already spent ${formatAmount(spentAmounts[budget.unit], budget.unit)}, so a budget of ${formatBudget(budget)} would stop it at once. Set a higher budget.`;
}

/**
 * Explains why a run cannot be steered with these prices; undefined if it can.
 * @param table the model table in force after the change
 */
export function findPriceRefusal(
  { budget }: Pick<Steering, 'budget'>,
  models: readonly string[],
  table: ModelTable,
): string | undefined {
  const unpriced = budget?.unit === 'usd' ? listUnpriced(models, table) : [];
  if (unpriced.length === 0) return undefined;
  return `A budget in dollars needs the price of every model, but ${unpriced.join(', ')} has none.${formatCloseNames(listCloseNames(unpriced, table))} Add its price with --models, or set a budget in tokens.`;
}
