import type { RecordForm } from '../../../schemas/record';
import { quoted } from '../../answers/form/checks';
import { personaId } from '../../instances/persona-id';
import type { Lapse } from '../finding';

/** Whether personas are named by their numbers and occupations, each with a number of its own. */
export class PersonaNames {
  /** By number, the persona that has it. */
  private readonly numbers = new Map<number, string>();

  add({ persona_id: name, persona: { id, occupation } }: RecordForm): Lapse[] {
    const rule = 'persona-id';
    const expected = personaId(id, occupation);
    const earlier = this.numbers.get(id);
    this.numbers.set(id, earlier ?? name);
    return [
      ...(name === expected
        ? []
        : [
            {
              rule,
              field: 'persona_id',
              message: `expected ${quoted(expected)}, derived from the persona's id and occupation, found ${quoted(name)}.`,
            } as const,
          ]),
      ...(earlier === undefined || earlier === name
        ? []
        : [
            {
              rule,
              field: 'persona.id',
              message: `expected a unique number, found ${id}, which ${quoted(earlier)} already has.`,
            } as const,
          ]),
    ];
  }
}
