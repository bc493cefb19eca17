import { getSplit } from '../../data/sets/persona-split';
import { SPLITS, type Split } from '../../schemas/dataset/split';
import { formatNumber } from '../../schemas/text/count-text';

/** Splits that training data have unless others are chosen: models are evaluated on the personas of the other one. */
const TRAINING_SPLITS: readonly Split[] = ['train', 'validation'];

/** Personas of a data set, by the split of training data that they belong to. */
export class TrainingPersonas {
  readonly #places = new Map<string, Split | 'canary'>();

  constructor(readonly splits: readonly Split[] = TRAINING_SPLITS) {}

  /**
   * Returns the split of a persona. That of the first one is `canary`: its record is what the canary of the data is derived from, so a model that
   * learned it would seem to know the data.
   */
  place(personaId: string): Split | 'canary' {
    const place = this.#places.get(personaId) ?? (this.#places.size === 0 ? 'canary' : getSplit(personaId));
    this.#places.set(personaId, place);
    return place;
  }

  /** Says how many personas are in the data and which were left out, once all were placed. */
  describe(): string {
    const count = (place: Split) => [...this.#places.values()].filter((one) => one === place).length;
    const left = SPLITS.filter((split) => !this.splits.includes(split) && count(split) > 0).map(
      (split) => `${formatNumber(count(split))} of the split ${split}`,
    );
    const taken = this.splits.map((split) => `${formatNumber(count(split))} in ${split}`);
    const others = [...left, 'the first one, from whose record cupid derives the canary of a data set'];
    return `Personas: ${formatNumber(this.#places.size)}, of which ${taken.join(' and ')}. Left out: ${others.join(', and ')}.`;
  }
}
