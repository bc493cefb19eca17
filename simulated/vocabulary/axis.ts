import type { PREFERENCE_TYPES } from '../../schemas/factor';

/**
 * One end of a choice about answers. `{n}` in a rule stands for `two`, `three` or `four`.
 * The sentences are how people speak of it: a user who misses it, a user who finds it, an answer that keeps it.
 */
export interface Pole {
  /** What the answer does, a verb phrase that follows "must" and "Does the answer". */
  readonly rules: readonly string[];
  /** Says that it is missing without saying what it is. */
  readonly hints: readonly string[];
  readonly praise: readonly string[];
  /** A sentence of an answer that keeps the rule; `{topic}` stands for what it is about. */
  readonly shows: readonly string[];
}

/** A choice about answers; its two poles contradict each other. A preference takes one pole of an axis at most. */
export interface Axis {
  readonly type: (typeof PREFERENCE_TYPES)[number];
  /** Axes of one group do not meet in one preference: they would speak of the same thing twice or quarrel. */
  readonly group: string;
  readonly poles: readonly [Pole, Pole];
}
