import { InputError } from '../../schemas/input-error';
import { parseModelSpec } from '../../schemas/model/model-spec';
import type { ModelTable } from '../../schemas/model/model-table';
import { isService } from '../../schemas/model/provider';
import type { SingleTier } from '../../schemas/model/tier';
import { collectFacts } from '../model-facts/facts';

/** The tier of one model, or, without a SPEC, of every model of the run that has this tier. */
export interface TierRequest {
  readonly spec?: string;
  readonly tier: SingleTier;
}

/**
 * Returns the tier of each model, by SPEC. A tier for all models applies to those that have it, or may have it.
 * @throws InputError if no model has it, or the named one does not
 */
export function chooseTiers(
  requests: readonly TierRequest[],
  models: readonly string[],
  table: ModelTable,
): Record<string, SingleTier> {
  const tiers: Record<string, SingleTier> = {};
  for (const { spec, tier } of requests) {
    const having = (spec === undefined ? models : [spec]).filter((model) => has(model, tier, table));
    if (having.length === 0) {
      throw new InputError(
        `${spec ?? models.join(', ')} ${spec === undefined && models.length > 1 ? 'have' : 'has'} no ${tier} tier. Leave out --tier, or add the tier to a table that you give with --models.`,
      );
    }
    for (const model of having) tiers[model] = tier;
  }
  return tiers;
}

function has(spec: string, tier: SingleTier, table: ModelTable): boolean {
  if (tier === 'standard') return true;
  const { provider } = parseModelSpec(spec);
  if (!isService(provider)) return false;
  return collectFacts(spec, table).tiers?.includes(tier) ?? true;
}
