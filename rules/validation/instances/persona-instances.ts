import { quoteAnswer } from '../../answers/form/checks';
import { findPartner, findPartnerName } from './contrastive-sessions';
import { findCurrentSessions } from './current-sessions';
import { findChecklists, findPreferences, getPreferences } from './current-preferences';
import { Findings, type PersonaFindings } from './persona-findings';
import { findMostCommon } from '../most-common';
import {
  formatField,
  type PersonaInstances,
  type ReadInstance,
  type ReadSession,
  listRows,
} from './read-instance';
import { withCommonLabels } from './session-labels';
import { validateSharedSessions } from './shared-sessions';

/**
 * What is wrong with the structure of a persona's three instances (paper, B.5). They say most things more than once, so that what one
 * of them says against the others is its own fault: it is reported there, and the rules that follow read it as the others have it.
 */
export function validatePersona(given: PersonaInstances): PersonaFindings {
  const findings = new Findings();
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
function findCurrent(instances: PersonaInstances, findings: Findings): void {
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
function findRepeated(instances: PersonaInstances, findings: Findings): void {
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
