import type { RecordForm } from '../../../schemas/dataset/record';
import { quoteAnswer } from '../../answers/form/checks';
import { buildPersonaId } from '../../instances/persona-id';
import type { RowFinding } from '../finding';

/** Whether personas are named by their numbers and occupations, each with a number of its own. */
export class PersonaNames {
  /** By number, the persona that has it. */
  private readonly numbers = new Map<number, string>();

  add({ persona_id: name, persona: { id, occupation } }: RecordForm): RowFinding[] {
    const rule = 'persona-id';
    const expected = buildPersonaId(id, occupation);
    const earlier = this.numbers.get(id);
    this.numbers.set(id, earlier ?? name);
    return [
      ...(name === expected
        ? []
        : [
            {
              rule,
              field: 'persona_id',
              message: `expected ${quoteAnswer(expected)}, derived from the persona's id and occupation, found ${quoteAnswer(name)}.`,
            } as const,
          ]),
      ...(earlier === undefined || earlier === name
        ? []
        : [
            {
              rule,
              field: 'persona.id',
              message: `expected a unique number, found ${id}, which ${quoteAnswer(earlier)} already has.`,
            } as const,
          ]),
    ];
  }
}
