import { tiersFor, type WantedTier } from '../../costs/tiers';
import type { WantedSteering } from '../../limits/steering';
import { readModelTable, tableFor } from '../../data/model-table';
import type { ModelTable } from '../../schemas/model-table';
import { UsageError } from '../exit';
import type { SteeringOptions } from '../options';
import type { Rates } from './parse';

/** What is asked for, for a run of these models. @throws ModelTableError, UsageError */
export async function steeringOf(
  { budget: wanted, rate, models: file, tier, tierFallback }: SteeringOptions,
  models: readonly string[],
): Promise<WantedSteering> {
  const modelTable = file === undefined ? undefined : await readModelTable(file);
  return {
    ...(wanted === undefined ? {} : { budget: wanted }),
    ...(rate === undefined ? {} : { limits: limitsOf(rate, models) }),
    ...(modelTable === undefined ? {} : { modelTable }),
    ...(tier === undefined ? {} : { tiers: tiersOf(tier, models, tableFor({ modelTable })) }),
    ...(tierFallback === undefined ? {} : { tierFallbackMs: tierFallback }),
  };
}

function tiersOf(
  wanted: readonly WantedTier[],
  models: readonly string[],
  table: ModelTable,
): NonNullable<WantedSteering['tiers']> {
  try {
    return tiersFor(wanted, models, table);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** By SPEC: later ones replace earlier ones, and those without a SPEC are every model's. */
function limitsOf(given: readonly Rates[], models: readonly string[]): NonNullable<WantedSteering['limits']> {
  return Object.fromEntries(
    given.flatMap(({ spec, limits }) => (spec === undefined ? models : [spec]).map((one) => [one, limits])),
  );
}
