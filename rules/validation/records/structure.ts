import { listPresent } from '../../../schemas/text/list-present';
import type { RecordForm } from '../../../schemas/dataset/record';
import type { FileFinding, RowFinding, Place } from '../finding';
import { findMostCommon } from '../most-common';
import { validateChecklists } from './checklists';
import { validateDialogues } from './dialogues';
import { validateJourney } from './journey';
import { validatePair, validateUniqueNames } from '../../answers/synthesis/factors';
import { quoteAnswer } from '../../answers/form/checks';
import { buildPersonaId } from '../../instances/persona-id';

/** The rules of structure over the records of a data set: each by itself (paper, B.2 to B.4), and journeys of one length. */
export class RecordStructure {
  private readonly found: FileFinding[] = [];
  private readonly names = new PersonaNames();
  private readonly lengths: { readonly place: Place; readonly sessions: number }[] = [];

  /** Returns true where the record by itself breaks no rule. */
  add(record: RecordForm, row: number): boolean {
    const place = { row, persona_id: record.persona_id };
    const journey = validateJourney(record);
    const dialogues = validateDialogues(record, listFields(journey));
    const checklists = validateChecklists(record, listFields([...journey, ...dialogues]));
    const lapses = [
      ...this.names.add(record),
      ...validateFactors(record),
      ...journey,
      ...checklists,
      ...dialogues,
    ];
    for (const lapse of lapses) {
      this.found.push({ ...place, ...lapse });
    }
    this.lengths.push({ place, sessions: record.sessions.length });
    return lapses.length === 0;
  }

  end(): FileFinding[] {
    const expected = findMostCommon(this.lengths.map(({ sessions }) => sessions));
    const known = new Set(this.found.filter(({ field }) => field === 'sessions').map(({ row }) => row));
    const others = this.lengths
      .filter(({ sessions, place }) => sessions !== expected && !known.has(place.row))
      .map(({ place, sessions }): FileFinding => ({
        ...place,
        rule: 'journey-structure',
        field: 'sessions',
        message: `expected ${expected} sessions, as most records have, found ${sessions}. Give the journey all of its sessions, or leave the persona out.`,
      }));
    return [...this.found, ...others].toSorted((one, other) => one.row - other.row);
  }
}

function listFields(lapses: readonly RowFinding[]): Set<string> {
  return new Set(lapses.map(({ field }) => field));
}

/** Where the context factors are not ones of different names, of which the last two are a contrastive pair (paper, B.2). */
function validateFactors({ context_factors: factors }: RecordForm): RowFinding[] {
  return [...validateUniqueNames(factors), ...validatePair(factors)].map((problem) => ({
    rule: 'contrastive-pair',
    field: 'context_factors',
    message: `${problem}.`,
  }));
}

/** Whether personas are named by their numbers and occupations, each with a number of its own. */
class PersonaNames {
  /** By number, the persona that has it. */
  private readonly numbers = new Map<number, string>();

  add({ persona_id: name, persona: { id, occupation } }: RecordForm): RowFinding[] {
    const rule = 'persona-id';
    const expected = buildPersonaId(id, occupation);
    const earlier = this.numbers.get(id) ?? name;
    this.numbers.set(id, earlier);
    return listPresent<RowFinding>(
      name !== expected && {
        rule,
        field: 'persona_id',
        message: `expected ${quoteAnswer(expected)}, derived from the persona's id and occupation, found ${quoteAnswer(name)}.`,
      },
      earlier !== name && {
        rule,
        field: 'persona.id',
        message: `expected a unique number, found ${id}, which ${quoteAnswer(earlier)} already has.`,
      },
    );
  }
}
