import { getSplit } from '../../data/sets/persona-split';
import { SPLITS, type Split } from '../../schemas/dataset/split';
import { formatNumber } from '../../schemas/text/count-text';
import type { PersonaSelection } from '../export/selection';

/** Returns true for a persona that models may be trained on: they are evaluated on those of the test split. */
function isForTraining(personaId: string): boolean {
  return getSplit(personaId) !== 'test';
}

/** Personas of training data by split, and those that were left out of it. */
export class TrainingPersonas {
  readonly #taken = new Map<string, Split>();
  readonly #left = new Map<string, Split>();
  #first: string | undefined;

  /** @param selection absent for all but the test split */
  constructor(private readonly selection?: Pick<PersonaSelection, 'has' | 'check'>) {}

  /**
   * Returns the split of a persona; undefined if it is left out. The first one always is: its record is what the canary of the data is derived from,
   * so a model that learned it would seem to know the data.
   */
  place(personaId: string): Split | undefined {
    this.#first ??= personaId;
    if (personaId === this.#first) return undefined;
    const isTaken = (this.selection?.has ?? isForTraining)(personaId);
    const split = getSplit(personaId);
    (isTaken ? this.#taken : this.#left).set(personaId, split);
    return isTaken ? split : undefined;
  }

  /** Throws DataError if the selection names personas that the data lack, once all were placed. @param name of the data, for messages */
  check(name: string): void {
    const names = new Set([
      ...(this.#first === undefined ? [] : [this.#first]),
      ...this.#taken.keys(),
      ...this.#left.keys(),
    ]);
    this.selection?.check(names, name);
  }

  /** Says how many personas are in the data and which were left out, once all were placed. */
  describe(): string {
    const omissions = [
      ...countSplits(this.#left),
      'the first one, from whose record cupid derives the canary of a data set',
    ];
    return `Personas: ${countSplits(this.#taken).join(', ') || 'none'}. Left out: ${omissions.join('; ')}.`;
  }
}

function countSplits(places: ReadonlyMap<string, Split>): string[] {
  return SPLITS.flatMap((split) => {
    const count = [...places.values()].filter((place) => place === split).length;
    return count === 0 ? [] : [`${formatNumber(count)} of the split ${split}`];
  });
}
