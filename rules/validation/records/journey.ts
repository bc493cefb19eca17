import type { FactorForm, RecordForm } from '../../../schemas/dataset/record';
import type { JourneyStructure } from '../../../schemas/dataset/session';
import type { ValidationRule } from '../../../schemas/dataset/validation';
import { quoteAnswer } from '../../texts/quote-answer';
import { stripFinalStop } from '../../texts/spelling';
import { readSessions } from '../../answers/synthesis/journey';
import type { RowFinding } from '../finding';
import { CHANGED_SESSIONS, ORIGINAL_SESSIONS, PARTNER_SESSIONS } from '../journey-counts';

/** Checks the sessions of a record like those of a model's answer (paper, B.3), by the structure that their factors show. */
export function validateJourney({ sessions, context_factors: factors }: RecordForm): RowFinding[] {
  const { structure, problem } = inferStructure(sessions, factors);
  if (problem !== undefined) return [{ rule: 'journey-structure', ...problem }];
  const { sessions: read, problems } = readSessions(sessions, { structure, factors, quality: 'reference' });
  const spellings = sessions.flatMap((session, index) =>
    (['context_factor', 'preference'] as const).flatMap((field): RowFinding[] => {
      const expected = read?.[index]?.[field] ?? session[field];
      if (problems.length > 0 || expected === session[field]) return [];
      const message = `expected ${quoteAnswer(expected)}, as the factor list or an earlier session spells it, found ${quoteAnswer(session[field])}.`;
      return [{ rule: RULES[field], field: `sessions[${index}].${field}`, message }];
    }),
  );
  return [
    ...problems.map(({ session, field, problem: message }) => ({
      rule: RULES[field],
      field: `sessions[${session}].${field}`,
      message: `${message}.`,
    })),
    ...spellings,
  ];
}

const RULES = {
  id: 'journey-structure',
  context_factor: 'session-factor',
  preference: 'session-factor',
  task_type: 'session-factor',
  request_with_factor: 'opening-message',
} as const satisfies Record<string, ValidationRule>;

/** Infers the part of each session from its factor: the last one's is factor A, the other of the pair is B. */
function inferStructure(
  sessions: RecordForm['sessions'],
  factors: readonly FactorForm[],
): { structure: JourneyStructure; problem?: Omit<RowFinding, 'rule'> } {
  const names = sessions.map(({ context_factor: name }) => stripFinalStop(name));
  const pair = factors.slice(-2);
  const a = pair.find(({ factor }) => stripFinalStop(factor) === names.at(-1));
  const b = pair.find((factor) => factor !== a);
  const prior = names.slice(0, -1);
  const listPlaces = (factor: FactorForm | undefined) =>
    prior.flatMap((name, place) =>
      factor !== undefined && name === stripFinalStop(factor.factor) ? [place] : [],
    );
  const [ofA, ofB] = [listPlaces(a), listPlaces(b)];
  const structure = names.map((_, place) => {
    if (place === prior.length || ofA.slice(ORIGINAL_SESSIONS).includes(place)) return "A'";
    if (ofA.includes(place)) return 'A';
    return ofB.includes(place) ? 'B' : 'free';
  });
  // The checks of answers say that no factor of the pair is the last session's.
  if (a === undefined || b === undefined) return { structure };
  const expectedCount = ORIGINAL_SESSIONS + CHANGED_SESSIONS;
  if (ofA.length !== expectedCount || ofB.length !== PARTNER_SESSIONS) {
    const message = `expected ${expectedCount} sessions of ${quoteAnswer(a.factor)} before the last and ${PARTNER_SESSIONS} of its contrastive partner ${quoteAnswer(b.factor)}, found ${ofA.length} and ${ofB.length}.`;
    return { structure, problem: { field: 'sessions', message } };
  }
  if (!ofA.includes(prior.length - 1)) return { structure };
  const field = `sessions[${prior.length - 1}].context_factor`;
  const message = `expected a factor other than ${quoteAnswer(a.factor)}, because the last session must not continue the one before it.`;
  return { structure, problem: { field, message } };
}
