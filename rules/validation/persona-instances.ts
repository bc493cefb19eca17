import { quoted } from '../checked';
import { findPartner, partnerOf } from './contrastive-sessions';
import { findCurrentSessions } from './current-sessions';
import { findChecklists, findPreferences, preferencesOf } from './current-preferences';
import { Findings, type PersonaFindings } from './persona-findings';
import { mostCommon } from './most-common';
import { type PersonaInstances, type ReadInstance, rowsOf } from './read-instance';
import { withCommonLabels } from './session-labels';
import { findShared } from './shared-sessions';

/**
 * What is wrong with the structure of a persona's three instances (paper, B.5). They say most things more than once, so that what one
 * of them says against the others is its own fault: it is told there, and read in the others' way by the rules that follow.
 */
export function personaFindings(given: PersonaInstances): PersonaFindings {
  const findings = new Findings();
  findCurrent(given, findings);
  const factor = mostCommon(rowsOf(given).map((row) => row.factor)) ?? '';
  const instances = withCommonLabels(given, factor, findings);
  const preferences = preferencesOf(instances, factor);
  findPreferences(instances, preferences, findings);
  findChecklists(instances, preferences, findings);
  for (const row of rowsOf(instances)) findCurrentSessions(row, factor, preferences, findings);
  const partner = partnerOf(instances, factor);
  findPartner(instances, { factor, partner, preferences }, findings);
  findShared(instances, { factor, partner, preferences }, findings);
  return { found: findings.found, explainedByCount: findings.explainedByCount };
}

/** One request, with one context factor, in all three. */
function findCurrent(instances: PersonaInstances, findings: Findings): void {
  const rows = rowsOf(instances);
  const request = mostCommon(rows.map((row) => row.request));
  const factor = mostCommon(rows.map((row) => row.factor));
  for (const row of rows) {
    if (row.request !== request) {
      const others = rowNumbers(rows.filter((other) => other.request === request));
      findings.add(
        'same-request',
        row,
        'current_request',
        `expected the persona's one request, as in ${others}, found another one. Take that of the journey's last session in all.`,
      );
    }
    if (row.factor !== factor) {
      const others = rowNumbers(rows.filter((other) => other.factor === factor));
      findings.add(
        'same-request',
        row,
        'current_context_factor',
        `expected ${quoted(factor ?? '')}, as in ${others}, found ${quoted(row.factor)}. Take that of the journey's last session in all.`,
      );
    }
  }
}

function rowNumbers(rows: readonly ReadInstance[]): string {
  return rows.map(({ place }) => `row ${place.row}`).join(' and ');
}
