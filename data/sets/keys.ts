import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import type { RowProblem } from './row-form';

export interface RowKey {
  readonly persona_id: string;
  /** Absent in CUPID-Raw. */
  readonly instance_type?: string;
}

/** Keys of the rows so far, which must be unique. */
export class Keys {
  readonly #places = new Map<string, string>();

  get count(): number {
    return this.#places.size;
  }

  /**
   * Adds a row's key; returns the problem if an earlier row has the same key.
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
