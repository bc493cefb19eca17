import { quoteAnswer, isSameText } from '../../answers/form/checks';
import type { Preferences } from './current-preferences';
import { PARTNER_SESSIONS } from '../journey-counts';
import type { CollectedFindings } from './persona-findings';
import {
  formatField,
  type PersonaInstances,
  type ReadInstance,
  type ReadSession,
  withFactor,
} from './read-instance';

/**
 * The name of the contrastive factor: the one that only the contrastive instance has. If another one was given sessions of it too, the
 * one that was not taken out of the sessions that all three have.
 */
export function findPartnerName(instances: PersonaInstances, factor: string): string | undefined {
  const { consistent, contrastive, changing } = instances;
  const others = [...new Set(contrastive.sessions.map((session) => session.factor))].filter(
    (name) => name !== factor,
  );
  const lackedBy = (row: ReadInstance) => others.filter((name) => withFactor(row, name).length === 0);
  const lackedByChanging = lackedBy(changing);
  const lackedByConsistent = lackedBy(consistent);
  const alone = lackedByChanging.filter((name) => lackedByConsistent.includes(name));
  if (alone.length > 0) {
    return alone.toSorted(
      (one, other) => withFactor(contrastive, other).length - withFactor(contrastive, one).length,
    )[0];
  }
  const given = [
    // The consistent instance has all other factors: what it lacks is the partner, or was taken from it.
    ...lackedByConsistent,
    ...lackedByChanging.filter((name) => hasSessions(name, factor, instances)),
  ];
  return given.find((name) => withFactor(contrastive, name).length === PARTNER_SESSIONS) ?? given[0];
}

/** Whether sessions of this factor were put into the consistent instance, rather than taken from there into the contrastive one. */
function hasSessions(
  name: string,
  factor: string,
  { consistent, contrastive, changing }: PersonaInstances,
): boolean {
  const own = new Set(consistent.sessions.map(({ dialogue }) => dialogue));
  const lacks = (sessions: readonly ReadSession[]) => sessions.some(({ dialogue }) => !own.has(dialogue));
  const free = (session: ReadSession) => session.factor !== factor;
  return (
    lacks(withFactor(contrastive, name)) ||
    lacks(changing.sessions.filter(free)) ||
    consistent.sessions.length > contrastive.sessions.length
  );
}

/** Who plays what in a persona's instances. */
export interface Cast {
  readonly factor: string;
  readonly partner: string | undefined;
  readonly preferences: Preferences;
}

/** The contrastive instance has two sessions of one factor, with a preference of its own, that neither of the others has any of. */
export function findPartner(
  instances: PersonaInstances,
  { factor, partner, preferences }: Cast,
  findings: CollectedFindings,
): void {
  const { consistent, contrastive, changing } = instances;
  const rule = 'contrastive-present';
  const contrast = `expected ${PARTNER_SESSIONS} sessions of one context factor that the other instances of the persona do not have`;
  const remedy = 'Give the instance the two contrastive sessions of the journey.';
  if (partner === undefined) {
    findings.add(rule, contrastive, 'prior_interactions', `${contrast}, found none. ${remedy}`);
    return;
  }
  for (const row of [consistent, changing]) {
    const [first] = withFactor(row, partner);
    if (first === undefined) continue;
    findings.add(
      'contrastive-absent',
      row,
      formatField(first, 'context_factor'),
      `found the contrastive factor ${quoteAnswer(partner)}, which only the contrastive instance has. Replace the session with one that is neither contrastive nor of the current context factor.`,
    );
  }
  const sessions = withFactor(contrastive, partner);
  const [first, ...others] = sessions;
  const like = sessions.find(({ preference }) => isSameText(preference, preferences.original));
  const different = others.find(({ preference }) => preference !== first?.preference);
  const further = contrastive.sessions.find(
    (session) =>
      ![factor, partner].includes(session.factor) &&
      [consistent, changing].every((row) => withFactor(row, session.factor).length === 0),
  );
  if (like !== undefined) {
    findings.add(
      rule,
      contrastive,
      formatField(like, 'contextual_preference'),
      `expected a preference of ${quoteAnswer(partner)} that contradicts the current one, found the current one. Use the preference of the contrastive factor.`,
    );
  } else if (different !== undefined) {
    findings.add(
      rule,
      contrastive,
      formatField(different, 'contextual_preference'),
      `expected one preference in all sessions of the contrastive factor ${quoteAnswer(partner)}, found ${quoteAnswer(first?.preference ?? '')} and then ${quoteAnswer(different.preference)}. Use the preference of the contrastive factor in both.`,
    );
  } else if (findings.has(contrastive, 'current-factor-sessions')) {
    // A session that was given the current factor is lacking here.
  } else if (further !== undefined && sessions.length < PARTNER_SESSIONS) {
    findings.add(
      rule,
      contrastive,
      formatField(further, 'context_factor'),
      `${contrast}, found ${quoteAnswer(partner)} and ${quoteAnswer(further.factor)}. ${remedy}`,
    );
  } else if (sessions.length !== PARTNER_SESSIONS) {
    findings.addUnlessCount(
      rule,
      contrastive,
      'prior_interactions',
      `${contrast}, found ${sessions.length}, of ${quoteAnswer(partner)}. ${remedy}`,
    );
  }
}
