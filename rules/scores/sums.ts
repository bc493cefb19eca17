/** Sums of no instance, behind the averages of each task. */
export const NO_SUMS = {
  inference: {
    n_predicted: 0,
    n_predicted_matched: 0,
    n_true: 0,
    n_true_matched: 0,
    n_instances: 0,
    // Sums of the instances' own scores.
    precision: 0,
    recall: 0,
    f1: 0,
  },
  generation: { n_instances: 0, score: 0 },
  choice: {
    n_instances: 0,
    right: 0,
    // Sum of the chances of a blind guess, 1 by the number of options.
    chance: 0,
    stale: 0,
    wrong_context: 0,
    other: 0,
    // Personas whose consistent and changing rows count and have different right options; both right.
    n_pairs: 0,
    right_pairs: 0,
    // Sum of the chances that blind guesses are right in both.
    pair_chance: 0,
    // Pairs whose contrastive row counts as well; all three right.
    n_triples: 0,
    right_triples: 0,
  },
};
export type InferenceSums = typeof NO_SUMS.inference;
export type GenerationSums = typeof NO_SUMS.generation;
export type ChoiceSums = typeof NO_SUMS.choice;

/** Amounts by name, which are added over instances, over personas, or over a resample of personas. */
export type Sums<Name extends string> = Readonly<Record<Name, number>>;

/**
 * Returns the sums of all instances, added in a fixed order, because floating-point sums depend on it.
 * @param none the sums of no instance
 */
export function computeTotal<Name extends string>(
  instances: Iterable<{ readonly sums: Sums<Name> }>,
  none: Sums<Name>,
): Sums<Name> {
  const total: Record<Name, number> = { ...none };
  for (const { sums } of instances) {
    for (const name in total) total[name] += sums[name];
  }
  return total;
}
