import type { FACTOR_TYPES } from '../../schemas/factor';

/** A part of working life that several occupations share, and what stands around in it. */
export interface World {
  /** Occupations at home here, as they stand in a sentence. */
  readonly occupations: readonly string[];
  /** Work in hand, as it follows "about" or "for". */
  readonly topics: readonly string[];
  /** What a working life here runs up against, as it follows "such as". */
  readonly troubles: readonly string[];
  /** What somebody who knows this world would say; `{topic}`. */
  readonly advice: readonly string[];
  /**
   * Names of context factors. `{full}`, `{surname}` and `{place}` are filled in; a leading `the ` is not part
   * of the name but says that it takes an article in a sentence.
   */
  readonly factors: Readonly<Record<(typeof FACTOR_TYPES)[number], readonly string[]>>;
}
