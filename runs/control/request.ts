import { chooseTiers, type TierRequest } from '../../engine/costs/tiers';
import type { SteeringRequest } from '../../engine/limits/steering';
import { readModelTable, buildModelTable } from '../../data/model-table';
import type { Budget, ModelLimits } from '../../schemas/run/steering';
import { omitUndefined } from '../../schemas/omit-undefined';

/** Limits of one model, or, without a SPEC, of every model of the run. */
export interface Rates {
  readonly spec?: string;
  /** Empty: its limits are lifted. */
  readonly limits: ModelLimits;
}

/** Options that steer a run. */
export interface SteeringOptions {
  readonly budget?: Budget;
  readonly rate?: readonly Rates[];
  /** Path of a model table. */
  readonly models?: string;
  readonly tier?: readonly TierRequest[];
  /** Milliseconds. */
  readonly tierFallback?: number;
}

/** Reads the requested steering of a run with these models. @throws InputError */
export async function readSteeringRequest(
  { budget, rate, models: file, tier, tierFallback }: SteeringOptions,
  models: readonly string[],
): Promise<SteeringRequest> {
  const modelTable = file === undefined ? undefined : await readModelTable(file);
  return omitUndefined({
    budget,
    limits: rate && buildLimits(rate, models),
    modelTable,
    tiers: tier && chooseTiers(tier, models, buildModelTable({ modelTable })),
    tierFallbackMs: tierFallback,
  });
}

/** Builds the limits by SPEC: later ones replace earlier ones, and those without a SPEC apply to every model. */
function buildLimits(
  rates: readonly Rates[],
  models: readonly string[],
): NonNullable<SteeringRequest['limits']> {
  return Object.fromEntries(
    rates.flatMap(({ spec, limits }) =>
      (spec === undefined ? models : [spec]).map((model) => [model, limits]),
    ),
  );
}
