import { createRandom } from '../sampling/random';

/** A persona, and the types of which a sample should have as many as the data: of its instances, and of its factor and preference. */
export interface TypedPersona {
  readonly persona_id: string;
  readonly types: readonly string[];
}

/**
 * Draws personas by the seed so that each type is as frequent among them as in the data. The next one is always a persona whose types the sample
 * lacks most. A larger sample contains every smaller one.
 */
export function drawReviewSample(
  personas: readonly TypedPersona[],
  count: number,
  seed: number,
): TypedPersona[] {
  const shares = new Map<string, number>();
  for (const type of personas.flatMap(({ types }) => types)) {
    shares.set(type, (shares.get(type) ?? 0) + 1 / personas.length);
  }
  const drawnCounts = new Map<string, number>();
  const remainingPersonas = createRandom(seed, 'review/sample').shuffle(personas);
  const sample: TypedPersona[] = [];
  while (sample.length < count && remainingPersonas.length > 0) {
    const lacks = (type: string) =>
      (sample.length + 1) * (shares.get(type) ?? 0) - (drawnCounts.get(type) ?? 0);
    // This minimizes the squared differences between wanted and drawn numbers: a type that is half wanted may come or not.
    const deficits = remainingPersonas.map(({ types }) =>
      types.reduce((sum, type) => sum + lacks(type) - 0.5, 0),
    );
    // The first in the shuffled order wins if several lack the same.
    const at = deficits.reduce(
      (best, value, index) => (value > (deficits[best] ?? 0) + EQUAL ? index : best),
      0,
    );
    for (const next of remainingPersonas.splice(at, 1)) {
      sample.push(next);
      for (const type of next.types) drawnCounts.set(type, (drawnCounts.get(type) ?? 0) + 1);
    }
  }
  return sample;
}

/** Sums that differ by less are the same but for rounding. */
const EQUAL = 1e-9;
