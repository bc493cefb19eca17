import type { Distribution } from '../../schemas/dataset/data-statistics';

export class Mean {
  count = 0;
  #sum = 0;

  add(value: number): void {
    this.count += 1;
    this.#sum += value;
  }

  value(): number | undefined {
    return this.count === 0 ? undefined : this.#sum / this.count;
  }
}

export class Tally {
  readonly #counts: Map<string, number>;

  /** @param vocabulary types that are listed even if none occurs */
  constructor(vocabulary: readonly string[] = []) {
    this.#counts = new Map(vocabulary.map((type) => [type, 0]));
  }

  add(type: string): void {
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
  }

  distribution(): Distribution {
    const all = this.#total();
    return [...this.#counts]
      .map(([type, count]) => ({ type, count, share: all === 0 ? 0 : count / all }))
      .toSorted((a, b) => b.count - a.count);
  }

  /**
   * Returns Shannon's entropy of the counted types, divided by that of equally frequent ones: 1 if all types of the vocabulary are equally
   * frequent, 0 if only one occurs. Types outside of the vocabulary cannot raise it above 1.
   * @param vocabulary number of types
   */
  normalizedEntropy(vocabulary: number): number {
    const all = this.#total();
    const shares = [...this.#counts.values()].filter((count) => count > 0).map((count) => count / all);
    const entropy = shares.reduce((sum, share) => sum - share * Math.log(share), 0);
    return Math.min(1, entropy / Math.log(vocabulary));
  }

  #total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }
}
