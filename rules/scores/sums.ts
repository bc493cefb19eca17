import type { MatchSums } from './match-scores';

/** Adds amounts of one kind: over instances, over personas, over a resample of personas. */
export interface SumRule<Sums> {
  none: () => Sums;
  /** Adds the part to the total in place, because a bootstrap does so millions of times. */
  add: (total: Sums, part: Sums) => void;
}

/** Returns the sums of all instances, added in a fixed order, because floating-point sums depend on it. */
export function computeTotal<Sums>(
  instances: Iterable<{ readonly sums: Sums }>,
  { none, add }: SumRule<Sums>,
): Sums {
  const total = none();
  for (const { sums } of instances) add(total, sums);
  return total;
}

/** Sums behind the averages of inference. */
export interface InferenceSums extends MatchSums {
  n_instances: number;
  /** Sums of the instances' own scores. */
  precision: number;
  recall: number;
  f1: number;
}

export const inferenceSumRule: SumRule<InferenceSums> = {
  none: () => ({
    n_predicted: 0,
    n_predicted_matched: 0,
    n_true: 0,
    n_true_matched: 0,
    n_instances: 0,
    precision: 0,
    recall: 0,
    f1: 0,
  }),
  add: (total, part) => {
    total.n_predicted += part.n_predicted;
    total.n_predicted_matched += part.n_predicted_matched;
    total.n_true += part.n_true;
    total.n_true_matched += part.n_true_matched;
    total.n_instances += part.n_instances;
    total.precision += part.precision;
    total.recall += part.recall;
    total.f1 += part.f1;
  },
};

/** Sums behind the averages of generation. */
export interface GenerationSums {
  n_instances: number;
  score: number;
}

export const generationSumRule: SumRule<GenerationSums> = {
  none: () => ({ n_instances: 0, score: 0 }),
  add: (total, part) => {
    total.n_instances += part.n_instances;
    total.score += part.score;
  },
};

/** Sums behind the averages of choice. */
export interface ChoiceSums {
  n_instances: number;
  right: number;
  /** Sum of the chances of a blind guess, 1 by the number of options. */
  chance: number;
  stale: number;
  wrong_context: number;
  other: number;
  /** Personas whose consistent and changing rows count and have different right options; both right. */
  n_pairs: number;
  right_pairs: number;
  /** Pairs whose contrastive row counts as well; all three right. */
  n_triples: number;
  right_triples: number;
}

export const choiceSumRule: SumRule<ChoiceSums> = {
  none: () => ({
    n_instances: 0,
    right: 0,
    chance: 0,
    stale: 0,
    wrong_context: 0,
    other: 0,
    n_pairs: 0,
    right_pairs: 0,
    n_triples: 0,
    right_triples: 0,
  }),
  add: (total, part) => {
    total.n_instances += part.n_instances;
    total.right += part.right;
    total.chance += part.chance;
    total.stale += part.stale;
    total.wrong_context += part.wrong_context;
    total.other += part.other;
    total.n_pairs += part.n_pairs;
    total.right_pairs += part.right_pairs;
    total.n_triples += part.n_triples;
    total.right_triples += part.right_triples;
  },
};
