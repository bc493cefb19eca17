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
