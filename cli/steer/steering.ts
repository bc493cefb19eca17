import { chooseTiers, type TierRequest } from '../../engine/costs/tiers';
import type { SteeringRequest } from '../../engine/limits/steering';
import { readModelTable, buildModelTable } from '../../data/model-table';
import type { ModelTable } from '../../schemas/model/model-table';
import { UsageError } from '../exit';
import type { SteeringOptions } from '../options';
import type { Rates } from './parse';
import { omitUndefined } from '../../schemas/omit-undefined';

/** What is asked for, for a run of these models. @throws ModelTableError, UsageError */
export async function parseSteering(
  { budget: wanted, rate, models: file, tier, tierFallback }: SteeringOptions,
  models: readonly string[],
): Promise<SteeringRequest> {
  const modelTable = file === undefined ? undefined : await readModelTable(file);
  return omitUndefined({
    budget: wanted,
    limits: rate && buildLimits(rate, models),
    modelTable,
    tiers: tier && buildTiers(tier, models, buildModelTable({ modelTable })),
    tierFallbackMs: tierFallback,
  });
}

function buildTiers(
  wanted: readonly TierRequest[],
  models: readonly string[],
  table: ModelTable,
): NonNullable<SteeringRequest['tiers']> {
  try {
    return chooseTiers(wanted, models, table);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** By SPEC: later ones replace earlier ones, and those without a SPEC are every model's. */
function buildLimits(
  given: readonly Rates[],
  models: readonly string[],
): NonNullable<SteeringRequest['limits']> {
  return Object.fromEntries(
    given.flatMap(({ spec, limits }) => (spec === undefined ? models : [spec]).map((one) => [one, limits])),
  );
}
