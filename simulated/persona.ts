import { findOccupation, knownOccupation, type Occupation } from './occupation';
import { personSlots, type Pronouns } from './words';

/** What the simulated model makes out of a persona's description. */
export interface KnownPersona {
  readonly given: string;
  readonly occupation: Occupation;
  /** Of their name and pronouns. */
  readonly slots: Readonly<Record<string, string>>;
}

/** Reads name, pronouns and occupation out of a description, whoever wrote it. */
export function readPersona(description: string): KnownPersona {
  const given = /^\s*(\p{Lu}[\p{L}'’-]*)/u.exec(description)?.[1] ?? 'The user';
  const [first = ''] = description.split(/(?<=\.)\s/);
  // What somebody does for a living stands in the first sentence; later ones may speak of others.
  const occupation = knownOccupation(first) ?? findOccupation(description);
  return { given, occupation, slots: personSlots(given, pronounsIn(description)) };
}

function pronounsIn(description: string): Pronouns {
  const told =
    /\b(she|he|they)\/(?:her|him|them)\b/i.exec(description)?.[1] ?? /\b(she|he)\b/i.exec(description)?.[1];
  const pronoun = told?.toLowerCase();
  return pronoun === 'she' || pronoun === 'he' ? pronoun : 'they';
}
