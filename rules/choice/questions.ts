import type { ChoiceQuestion } from '../../schemas/dataset/benchmark';
import type { InstanceForm } from '../../schemas/dataset/instance';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { DEFAULT_SEED } from '../../schemas/run/settings';
import { findRightOption, listOptions } from './options';
import { PersonaRows } from './persona-rows';

/** The options of an instance, as `cupid eval --task choice` shows them with its default seed. */
type ShownChoice = Pick<ChoiceQuestion, 'choices' | 'answer'>;

/** Collects the questions of a data set, instance by instance. */
export class ChoiceQuestions {
  readonly #questions = new Map<string, ShownChoice>();
  readonly #personas = new PersonaRows((_persona, rows) => {
    const options = listOptions(rows, DEFAULT_SEED);
    const choices = options.map(({ preference }) => preference);
    for (const row of rows) {
      const answer = findRightOption(options, row);
      if (answer !== undefined) this.#questions.set(buildInstanceKey(row), { choices, answer });
    }
  });

  add(instance: InstanceForm): void {
    this.#personas.add(instance);
  }

  /** Returns the questions by the key of their instance. Instances with fewer than two options have none. */
  end(): ReadonlyMap<string, ShownChoice> {
    this.#personas.end();
    return this.#questions;
  }
}
