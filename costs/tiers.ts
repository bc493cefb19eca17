import { parseModelSpec } from '../schemas/model-spec';
import type { ModelTable } from '../schemas/model-table';
import type { Tier } from '../schemas/tier';
import { factsOf } from '../model-facts/facts';

/** The tier of one model, or, without a SPEC, of every model of the run that has it. */
export interface WantedTier {
  readonly spec?: string;
  readonly tier: Tier;
}

/** Reads `flex`, or a SPEC and a tier: `openai:gpt-6-luna flex`. @throws Error that says what was expected */
export function parseTier(text: string): WantedTier {
  const words = text.trim().split(/\s+/);
  const name = words.at(-1) ?? '';
  const tier = ASKABLE.find((one) => one === name);
  if (tier === undefined) {
    throw new Error(
      `"${name}" is not a tier. Write flex or standard, after a SPEC to change one model only: --tier 'openai:gpt-6-luna flex'.`,
    );
  }
  const spec = words.slice(0, -1).join(' ');
  if (spec === '') return { tier };
  parseModelSpec(spec);
  return { spec, tier };
}

const ASKABLE = ['standard', 'flex'] as const satisfies readonly Tier[];

/** Reads `90s`, `30m` or `2h`. Returns milliseconds. @throws Error that says what was expected */
export function parseMinutes(text: string): number {
  const { number = '', unit = '' } = /^(?<number>\d+(?:\.\d+)?)(?<unit>[smh])$/.exec(text)?.groups ?? {};
  const milliseconds = Number(number) * (UNITS[unit] ?? Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds > 0) return milliseconds;
  throw new Error(`"${text}" is not a time. Write seconds, minutes or hours, for example 90s, 30m or 2h.`);
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * The tier of each model, by SPEC. What is wanted of all models goes to those that have the tier, or of which that is unknown.
 * @throws Error when no model has it, or the named one has not
 */
export function tiersFor(
  wanted: readonly WantedTier[],
  models: readonly string[],
  table: ModelTable,
): Record<string, Tier> {
  const tiers: Record<string, Tier> = {};
  for (const { spec, tier } of wanted) {
    const having = (spec === undefined ? models : [spec]).filter((one) => has(one, tier, table));
    if (having.length === 0) {
      throw new Error(
        `${spec ?? models.join(', ')} ${spec === undefined && models.length > 1 ? 'have' : 'has'} no ${tier} tier. Leave out --tier, or add the tier to a table that you give with --models.`,
      );
    }
    for (const one of having) tiers[one] = tier;
  }
  return tiers;
}

function has(spec: string, tier: Tier, table: ModelTable): boolean {
  if (tier === 'standard') return true;
  const { provider } = parseModelSpec(spec);
  if (provider === 'simulated' || provider === 'module') return false;
  return factsOf(spec, table).tiers?.includes(tier) ?? true;
}
