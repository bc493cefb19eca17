import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import type { RowProblem } from './row-form';

export interface RowKey {
  readonly persona_id: string;
  /** Absent in CUPID-Raw. */
  readonly instance_type?: string;
}

/** The keys of the rows so far, each of which stands once. */
export class Keys {
  readonly #places = new Map<string, string>();

  get count(): number {
    return this.#places.size;
  }

  /**
   * Takes a row's key; gives what is wrong when an earlier row has it.
   * @param place names the row in messages
   */
  add({ persona_id: persona, instance_type: type }: RowKey, place: string): RowProblem | undefined {
    const key = buildInstanceKey({ persona_id: persona, instance_type: type ?? '' });
    const earlier = this.#places.get(key);
    if (earlier === undefined) {
      this.#places.set(key, place);
      return undefined;
    }
    return type === undefined
      ? {
          rule: 'unique-key',
          field: 'persona_id',
          message:
            `"${persona}" already occurs in ${earlier}. ` +
            'It is the key of a row: leave one of the two out, or give it another persona_id.',
        }
      : {
          rule: 'unique-key',
          field: 'persona_id and instance_type',
          message:
            `"${persona}" and "${type}" already occur together in ${earlier}. ` +
            'They are the key of a row: leave one of the two out, or give it another persona_id.',
        };
  }
}
