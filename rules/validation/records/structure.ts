import type { RecordForm } from '../../../schemas/record';
import type { Found, Lapse, Place } from '../finding';
import { mostCommon } from '../most-common';
import { checklistLapses } from './checklists';
import { dialogueLapses } from './dialogues';
import { factorLapses } from './factors';
import { journeyLapses } from './journey';
import { PersonaNames } from './persona';

/** The rules of structure over the records of a data set: each by itself (paper, B.2 to B.4), and journeys of one length. */
export class RecordStructure {
  private readonly found: Found[] = [];
  private readonly names = new PersonaNames();
  private readonly lengths: { readonly place: Place; readonly sessions: number }[] = [];

  add(record: RecordForm, row: number): void {
    const place = { row, persona_id: record.persona_id };
    const journey = journeyLapses(record);
    const dialogues = dialogueLapses(record, fieldsOf(journey));
    const checklists = checklistLapses(record, fieldsOf([...journey, ...dialogues]));
    const lapses = [
      ...this.names.add(record),
      ...factorLapses(record),
      ...journey,
      ...checklists,
      ...dialogues,
    ];
    for (const lapse of lapses) {
      this.found.push({ ...place, ...lapse });
    }
    this.lengths.push({ place, sessions: record.sessions.length });
  }

  end(): Found[] {
    const expected = mostCommon(this.lengths.map(({ sessions }) => sessions));
    const known = new Set(this.found.filter(({ field }) => field === 'sessions').map(({ row }) => row));
    const others = this.lengths
      .filter(({ sessions, place }) => sessions !== expected && !known.has(place.row))
      .map(({ place, sessions }): Found => ({
        ...place,
        rule: 'journey-structure',
        field: 'sessions',
        message: `expected ${expected} sessions, as most records have, found ${sessions}. Give the journey all of its sessions, or leave the persona out.`,
      }));
    return [...this.found, ...others].toSorted((one, other) => one.row - other.row);
  }
}

function fieldsOf(lapses: readonly Lapse[]): Set<string> {
  return new Set(lapses.map(({ field }) => field));
}
