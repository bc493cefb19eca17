import { listPresent } from '../../../schemas/text/list-present';
import type { RecordForm } from '../../../schemas/dataset/record';
import { type FileFinding, mergeFindings, type Place, type RowFinding } from '../finding';
import { findMostCommon } from '../most-common';
import { validateDialogues, validatePreferences } from './dialogues';
import { validateJourney } from './journey';
import { validatePair, validateUniqueNames } from '../../answers/synthesis/factors';
import { quoteAnswer } from '../../texts/quote-answer';
import { buildPersonaId } from '../../instances/persona-id';

/**
 * Rules of structure over the records of a data set: of each by itself (paper, B.2 to B.4), and journeys of one length. There is one finding
 * for a record and rule.
 */
export class RecordStructure {
  private readonly found: FileFinding[] = [];
  private readonly names = new PersonaNames();
  private readonly lengths: { readonly place: Place; readonly sessions: number }[] = [];

  /** @param nSessions of each journey; undefined when it is not known, and most records decide */
  constructor(private readonly nSessions?: number) {}

  /** Returns true where the record by itself breaks no rule. */
  add(record: RecordForm, row: number): boolean {
    const place = { row, persona_id: record.persona_id };
    const journey = validateJourney(record);
    const findings = [
      ...this.names.add(record),
      ...validateFactors(record),
      ...journey,
      ...validateDialogues(record),
      // Preferences out of place would be reported again for their dialogues and checklists.
      ...(journey.length > 0 ? [] : validatePreferences(record)),
    ];
    this.found.push(...findings.map((finding) => ({ ...place, ...finding })));
    this.lengths.push({ place, sessions: record.sessions.length });
    return findings.length === 0;
  }

  end(): FileFinding[] {
    const expected = this.nSessions ?? findMostCommon(this.lengths.map(({ sessions }) => sessions));
    const reason = this.nSessions === undefined ? 'as most records have' : 'as run.json says';
    const lengthFindings = this.lengths
      .filter(({ sessions }) => sessions !== expected)
      .map(({ place, sessions }): FileFinding => ({
        ...place,
        rule: 'journey-structure',
        field: 'sessions',
        message: `expected ${expected} sessions, ${reason}, found ${sessions}. Give the journey all of its sessions, or leave the persona out.`,
      }));
    return mergeFindings([...this.found, ...lengthFindings]);
  }
}

/** Checks that the names of the context factors differ, and that the last two are a contrastive pair (paper, B.2). */
function validateFactors({ context_factors: factors }: RecordForm): RowFinding[] {
  return [...validateUniqueNames(factors), ...validatePair(factors)].map((problem) => ({
    rule: 'contrastive-pair',
    field: 'context_factors',
    message: `${problem}.`,
  }));
}

/** A check that personas are named by their numbers and occupations, each with a number of its own. */
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
