import type { ShareFigure } from '../../schemas/dataset/data-figures';
import { sum } from '../../schemas/sum';

interface CountedShare {
  count: number;
  of: number;
}

/** Counts by persona how many of some things have a property. */
export class ShareCounter {
  readonly #personas = new Map<string, CountedShare>();

  add(persona: string, count: number, total: number): void {
    if (total === 0) return;
    const counts = this.#personas.get(persona) ?? { count: 0, of: 0 };
    counts.count += count;
    counts.of += total;
    this.#personas.set(persona, counts);
  }

  /** Lists the personas with a thing that has the property. */
  listPersonas(): string[] {
    return [...this.#personas].filter(([, { count }]) => count > 0).map(([persona]) => persona);
  }

  /** @param z quantile of the normal distribution for the interval; by default of 95 %, two-sided */
  end(z = Z_95): ShareFigure | undefined {
    const personas = [...this.#personas.values()];
    const count = sum(personas.map((counts) => counts.count));
    const total = sum(personas.map((counts) => counts.of));
    if (total === 0) return undefined;
    return {
      share: count / total,
      count,
      of: total,
      interval: computeInterval(personas, count / total, total, z),
    };
  }
}

/** Returns the share of things of personas that have a property; null without any. */
export function computeShare<Thing extends { readonly persona_id: string }>(
  things: readonly Thing[],
  has: (thing: Thing) => boolean,
): ShareFigure | null {
  const counter = new ShareCounter();
  for (const thing of things) counter.add(thing.persona_id, has(thing) ? 1 : 0, 1);
  return counter.end() ?? null;
}

/**
 * Computes the interval with the effective number of observations. Observations of one persona are similar, so they count for fewer,
 * depending on how much personas differ (ratio estimator). If all or none have the property, which shows no such difference, each persona counts
 * once.
 */
function computeInterval(
  personas: readonly CountedShare[],
  share: number,
  total: number,
  z: number,
): ShareFigure['interval'] {
  const n = personas.length;
  const squares = sum(personas.map((counts) => (counts.count - share * counts.of) ** 2));
  const variance = n < 2 ? 0 : ((n / (n - 1)) * squares) / total ** 2;
  const effective = variance === 0 ? n : Math.min(total, (share * (1 - share)) / variance);
  return computeWilsonInterval(share, effective, z);
}

/**
 * Computes Wilson's interval (1927) of a share among n independent observations.
 * @param z quantile of the normal distribution; by default for 95 %, two-sided
 */
export function computeWilsonInterval(share: number, n: number, z = Z_95): ShareFigure['interval'] {
  const z2 = z ** 2 / n;
  const middle = (share + z2 / 2) / (1 + z2);
  const half = (Math.sqrt(z2 * (share * (1 - share) + z2 / 4)) || 0) / (1 + z2);
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** Quantile of the normal distribution for a two-sided interval of 95 %. */
const Z_95 = 1.96;
