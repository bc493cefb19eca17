import { quoteAnswer } from '../../answers/form/checks';
import { findPartner, findPartnerName } from './contrastive-sessions';
import { findChecklists, findPreferences, getPreferences, type Preferences } from './current-preferences';
import { CollectedFindings, type PersonaFindings } from './persona-findings';
import { findMostCommon } from '../most-common';
import {
  formatField,
  type PersonaInstances,
  type ReadInstance,
  type ReadSession,
  listRows,
  withFactor,
} from './read-instance';
import { withCommonLabels } from './session-labels';
import { validateSharedSessions } from './shared-sessions';
import { CHANGED_SESSIONS, ORIGINAL_SESSIONS } from '../journey-counts';

/**
 * What is wrong with the structure of a persona's three instances (paper, B.5). They say most things more than once, so that what one
 * of them says against the others is its own fault: it is reported there, and the rules that follow read it as the others have it.
 */
export function validatePersona(given: PersonaInstances): PersonaFindings {
  const findings = new CollectedFindings();
  findCurrent(given, findings);
  findRepeated(given, findings);
  // Shared sessions are recognized by their dialogues.
  if (listRows(given).some((row) => findings.has(row, 'repeated-session'))) return findings;
  const factor = findMostCommon(listRows(given).map((row) => row.factor)) ?? '';
  const instances = withCommonLabels(given, factor, findings);
  const preferences = getPreferences(instances, factor);
  findPreferences(instances, preferences, findings);
  findChecklists(instances, preferences, findings);
  for (const row of listRows(instances)) findCurrentSessions(row, factor, preferences, findings);
  const partner = findPartnerName(instances, factor);
  findPartner(instances, { factor, partner, preferences }, findings);
  validateSharedSessions(instances, { factor, partner, preferences }, findings);
  return findings;
}

/** One request, with one context factor, in all three. */
function findCurrent(instances: PersonaInstances, findings: CollectedFindings): void {
  const rows = listRows(instances);
  const request = findMostCommon(rows.map((row) => row.request));
  const factor = findMostCommon(rows.map((row) => row.factor));
  for (const row of rows) {
    if (row.request !== request) {
      const others = formatNames(rows.filter((other) => other.request === request));
      findings.add(
        'same-request',
        row,
        'current_request',
        `expected the persona's one request, as in ${others}, found a different one. Use the request of the journey's last session in all instances.`,
      );
    }
    if (row.factor !== factor) {
      const others = formatNames(rows.filter((other) => other.factor === factor));
      findings.add(
        'same-request',
        row,
        'current_context_factor',
        `expected ${quoteAnswer(factor ?? '')}, as in ${others}, found ${quoteAnswer(row.factor)}. Use the factor of the journey's last session in all instances.`,
      );
    }
  }
}

/** A journey has each of its dialogues once. */
function findRepeated(instances: PersonaInstances, findings: CollectedFindings): void {
  for (const row of listRows(instances)) {
    const known = new Map<number, ReadSession>();
    for (const session of row.sessions) {
      const earlier = known.get(session.dialogue);
      known.set(session.dialogue, earlier ?? session);
      if (earlier === undefined) continue;
      findings.add(
        'repeated-session',
        row,
        formatField(session, 'dialogue'),
        `expected a dialogue of its own, found that of ${formatField(earlier, 'dialogue')}. Use the dialogue of the persona's record, or leave one of the two out.`,
      );
    }
  }
}

function formatNames(rows: readonly ReadInstance[]): string {
  return rows.map(({ place }) => `the ${place.instance_type} instance`).join(' and ');
}

/**
 * Two sessions of the current factor with the original preference, and in the changing instance two later ones with the changed
 * preference. What is said at a session already is not said again.
 */
function findCurrentSessions(
  row: ReadInstance,
  factor: string,
  { original, changed }: Preferences,
  findings: CollectedFindings,
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
