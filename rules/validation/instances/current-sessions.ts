import { quoteAnswer } from '../../answers/form/checks';
import type { Preferences } from './current-preferences';
import { CHANGED_SESSIONS, ORIGINAL_SESSIONS } from '../journey-counts';
import type { Findings } from './persona-findings';
import { formatField, type ReadInstance, type ReadSession, withFactor } from './read-instance';

/**
 * Two sessions of the current factor with the original preference, and in the changing instance two later ones with the changed
 * preference. What is said at a session already is not said again.
 */
export function findCurrentSessions(
  row: ReadInstance,
  factor: string,
  { original, changed }: Preferences,
  findings: Findings,
): void {
  const changes = row.place.instance_type === 'changing';
  const sessions = withFactor(row, factor);
  const wanted = changes ? ORIGINAL_SESSIONS + CHANGED_SESSIONS : ORIGINAL_SESSIONS;
  const rule = 'current-factor-sessions';
  const changesTo = changes ? changed : undefined;
  const expected = listExpectedPreferences(sessions, changesTo, original);
  const wrong = sessions.find((session, place) => session.preference !== expected[place]);
  const counted = `expected ${wanted} sessions of the current context factor ${quoteAnswer(factor)}, found ${sessions.length}. Give the instance those of the journey${changes ? '' : ' before the preference changes'}.`;
  const lacksChange = changesTo !== undefined && sessions.every(({ preference }) => preference !== changesTo);
  if (sessions.length === 0 || (lacksChange && wrong === undefined)) {
    findings.add(rule, row, 'prior_interactions', counted);
  } else if (wrong !== undefined) {
    findings.add(
      rule,
      row,
      formatField(wrong, 'contextual_preference'),
      `expected ${quoteAnswer(expected[sessions.indexOf(wrong)] ?? original)}, found ${quoteAnswer(wrong.preference)}. ${changes ? `Of the current context factor's sessions the first ${ORIGINAL_SESSIONS} carry the original preference, and the others the changed one` : `All of the current context factor's sessions carry the original preference`}.`,
    );
  } else if (sessions.length !== wanted) {
    findings.addUnlessCount(rule, row, 'prior_interactions', counted);
  }
}

/** Where sessions are too few or too many, a change may come one earlier or later. */
function listExpectedPreferences(
  sessions: readonly ReadSession[],
  changed: string | undefined,
  original: string,
): string[] {
  if (changed === undefined) return sessions.map(() => original);
  const found = sessions.findIndex(({ preference }) => preference === changed);
  const change =
    sessions.length === ORIGINAL_SESSIONS + CHANGED_SESSIONS || found < 1 ? ORIGINAL_SESSIONS : found;
  return sessions.map((_, place) => (place < change ? original : changed));
}
