import type { InstanceType } from '../../../schemas/dataset/instance-type';
import type { ValidationRule } from '../../../schemas/dataset/validation';
import { quoteAnswer } from '../../texts/quote-answer';
import { isSameText } from '../../texts/spelling';
import { groupBy } from '../../group-by';
import type { FileFinding } from '../finding';
import { CHANGED_SESSIONS, ORIGINAL_SESSIONS, PARTNER_SESSIONS } from '../journey-counts';
import { findMostCommon } from '../most-common';
import type { ReadInstance, ReadSession } from './read-instance';

type PersonaInstances = Readonly<Record<InstanceType, ReadInstance>>;

/** The part of a persona's journey that its instances show. */
interface SeenJourney {
  /** The current factor. */
  readonly factor: string;
  readonly original: string;
  /** Undefined where no row has another preference than the original one. */
  readonly changed: string | undefined;
}

type FindingReporter = (rule: ValidationRule, row: ReadInstance, field: string, message: string) => void;

/**
 * Compares a persona's three instances with the journey that they seem to be of (paper, B.5). They say most things two or three times, and
 * what most of them say counts as right.
 */
export function validatePersona(rawInstances: PersonaInstances): FileFinding[] {
  const findings: FileFinding[] = [];
  const report: FindingReporter = (rule, row, field, message) =>
    findings.push({ ...row.place, rule, field, message: `${message} ${REMEDY}` });
  const factor = findMostCommon(Object.values(rawInstances).map((row) => row.factor)) ?? '';
  validateCurrent(rawInstances, factor, report);
  validateRepeated(rawInstances, report);
  // A dialogue identifies its session.
  if (findings.some(({ rule }) => rule === 'repeated-session')) return findings;
  const instances = withCommonLabels(rawInstances, factor, report);
  const journey = { factor, ...getPreferences(instances, factor) };
  validatePreferences(instances, journey, report);
  validateCurrentSessions(instances, journey, report);
  const partner = findPartner(instances, factor);
  validatePartner(instances, journey, partner, report);
  // Other wrong sessions, and changed ones without a changed preference, look like shared ones.
  const canTell = journey.changed !== undefined && !findings.some(({ rule }) => SESSION_RULES.has(rule));
  if (canTell) validateShared(instances, journey, partner, report);
  return findings;
}

const SESSION_RULES: ReadonlySet<ValidationRule> = new Set([
  'current-factor-sessions',
  'contrastive-present',
  'contrastive-absent',
  'shared-sessions',
]);

const REMEDY = "Use the persona's record, or leave the persona out.";

function validateCurrent(instances: PersonaInstances, factor: string, report: FindingReporter): void {
  const rows = Object.values(instances);
  const request = findMostCommon(rows.map((row) => row.request));
  for (const row of rows) {
    if (row.request !== request) {
      const message = "expected the request of the persona's other instances, found a different one.";
      report('same-request', row, 'current_request', message);
    }
    if (row.factor !== factor) {
      const message = `expected ${quoteAnswer(factor)}, as in the persona's other instances, found ${quoteAnswer(row.factor)}.`;
      report('same-request', row, 'current_context_factor', message);
    }
  }
}

function validateRepeated(instances: PersonaInstances, report: FindingReporter): void {
  for (const row of Object.values(instances)) {
    const fieldsByDialogue = new Map<number, string>();
    for (const { field, dialogue } of row.sessions) {
      const earlier = fieldsByDialogue.get(dialogue);
      fieldsByDialogue.set(dialogue, earlier ?? field);
      if (earlier === undefined) continue;
      const message = `expected a dialogue of its own, found that of ${earlier}.`;
      report('repeated-session', row, `${field}.dialogue`, message);
    }
  }
}

/** Returns the instances with the factor and preference that most of them give to a session. */
function withCommonLabels(
  instances: PersonaInstances,
  factor: string,
  report: FindingReporter,
): PersonaInstances {
  const all = Object.values(instances).flatMap(({ sessions }) => sessions);
  const common = new Map(
    [...groupBy(all, ({ dialogue }) => dialogue)].map(([dialogue, sessions]) => {
      const label = findMostCommon(sessions.map(getLabel));
      return [dialogue, sessions.find((session) => getLabel(session) === label)];
    }),
  );
  const withLabels = (row: ReadInstance): ReadInstance => ({
    ...row,
    sessions: row.sessions.map((session) => {
      const commonSession = common.get(session.dialogue) ?? session;
      for (const [name, column] of LABELS) {
        if (session[name] === commonSession[name]) continue;
        const isCurrent = [session.factor, commonSession.factor].includes(factor);
        const message = `expected ${quoteAnswer(commonSession[name])}, as other instances of this session have, found ${quoteAnswer(session[name])}.`;
        const rule = isCurrent ? 'current-factor-sessions' : 'shared-sessions';
        report(rule, row, `${session.field}.${column}`, message);
      }
      return { ...session, factor: commonSession.factor, preference: commonSession.preference };
    }),
  });
  const { consistent, contrastive, changing } = instances;
  return {
    consistent: withLabels(consistent),
    contrastive: withLabels(contrastive),
    changing: withLabels(changing),
  };
}

function getLabel({ factor, preference }: ReadSession): string {
  return `${factor}\u0000${preference}`;
}

const LABELS = [
  ['factor', 'context_factor'],
  ['preference', 'contextual_preference'],
] as const;

function withFactor({ sessions }: ReadInstance, factor: string | undefined): ReadSession[] {
  return sessions.filter((session) => session.factor === factor);
}

function getPreferences(
  { consistent, contrastive, changing }: PersonaInstances,
  factor: string,
): Omit<SeenJourney, 'factor'> {
  const current = withFactor(changing, factor);
  const before = [consistent, contrastive].flatMap((row) => [row, ...withFactor(row, factor)]);
  const early = [...before, ...current.slice(0, ORIGINAL_SESSIONS)].map(({ preference }) => preference);
  const original = findMostCommon(early) ?? '';
  const later = [changing, ...current.slice(ORIGINAL_SESSIONS)].map(({ preference }) => preference);
  return {
    original,
    changed: findMostCommon(later.filter((preference) => !isSameText(preference, original))),
  };
}

/** Checks that preference and checklist are the original ones twice, and changed ones in the changing instance. */
function validatePreferences(
  { consistent, contrastive, changing }: PersonaInstances,
  { original, changed }: SeenJourney,
  report: FindingReporter,
): void {
  const field = 'current_contextual_preference';
  for (const row of [consistent, contrastive]) {
    if (row.preference === original) continue;
    const message = `expected the original preference ${quoteAnswer(original)}, found ${quoteAnswer(row.preference)}.`;
    report('original-preference', row, field, message);
  }
  if (changed === undefined || changing.preference !== changed) {
    const expected =
      changed === undefined
        ? 'a preference other than the original one'
        : `the changed preference ${quoteAnswer(changed)}`;
    const message = `expected ${expected}, found ${quoteAnswer(changing.preference)}.`;
    report('changed-preference', changing, field, message);
  }
  const column = 'current_checklist';
  if (consistent.checklist === contrastive.checklist) {
    if (changing.checklist !== consistent.checklist) return;
    const message = 'expected the checklist of the changed preference, found that of the other instances.';
    report('changed-preference', changing, column, message);
    return;
  }
  const wrong = [consistent, contrastive].filter((row) => row.checklist === changing.checklist);
  for (const row of wrong.length > 0 ? wrong : [consistent, contrastive]) {
    const message =
      'expected one checklist in the consistent and the contrastive instance, found two different ones.';
    report('original-preference', row, column, message);
  }
}

/** Checks that the current factor has two sessions with the original preference, and in the changing instance two later ones. */
function validateCurrentSessions(
  instances: PersonaInstances,
  { factor, original, changed = original }: SeenJourney,
  report: FindingReporter,
): void {
  for (const row of Object.values(instances)) {
    const sessions = withFactor(row, factor);
    const expected = Array.from({ length: ORIGINAL_SESSIONS }, () => original);
    if (row === instances.changing) expected.push(...Array.from({ length: CHANGED_SESSIONS }, () => changed));
    const rule = 'current-factor-sessions';
    if (sessions.length !== expected.length) {
      const message = `expected ${expected.length} sessions of the current context factor ${quoteAnswer(factor)}, found ${sessions.length}.`;
      report(rule, row, 'prior_interactions', message);
      continue;
    }
    const wrong = sessions.find(({ preference }, at) => preference !== expected[at]);
    if (wrong === undefined) continue;
    const message = `expected ${expected.map(quoteAnswer).join(', then ')} in the sessions of the current context factor, found ${sessions.map(({ preference }) => quoteAnswer(preference)).join(', then ')}.`;
    report(rule, row, `${wrong.field}.contextual_preference`, message);
  }
}

/** Finds the contrastive factor: one in the contrastive instance only. The consistent one has all sessions that are not of factor A or B. */
function findPartner(
  { consistent, contrastive, changing }: PersonaInstances,
  factor: string,
): string | undefined {
  const shared = new Set(consistent.sessions.map(({ dialogue }) => dialogue));
  const contrastiveSessions = contrastive.sessions.filter(
    (session) => session.factor !== factor && !shared.has(session.dialogue),
  );
  const votes = [changing, consistent].flatMap((row) =>
    contrastiveSessions.filter((session) => withFactor(row, session.factor).length === 0),
  );
  return findMostCommon(votes.map((session) => session.factor));
}

/** Checks that the contrastive instance has two sessions of the contrastive factor, with its own preference, and the others none. */
function validatePartner(
  { consistent, contrastive, changing }: PersonaInstances,
  { original }: SeenJourney,
  partner: string | undefined,
  report: FindingReporter,
): void {
  const sessions = partner === undefined ? [] : withFactor(contrastive, partner);
  const partnerName = partner === undefined ? '' : ` ${quoteAnswer(partner)}`;
  const wrong = sessions.find(
    ({ preference }) => isSameText(preference, original) || preference !== sessions[0]?.preference,
  );
  const rule = 'contrastive-present';
  if (sessions.length !== PARTNER_SESSIONS) {
    const message = `expected ${PARTNER_SESSIONS} sessions of a contrastive context factor, which the other instances do not have, found ${sessions.length}${partnerName}.`;
    report(rule, contrastive, 'prior_interactions', message);
  } else if (wrong !== undefined) {
    const message = `expected one preference of the contrastive factor${partnerName}, other than the current one, found ${quoteAnswer(wrong.preference)}.`;
    report(rule, contrastive, `${wrong.field}.contextual_preference`, message);
  }
  for (const row of partner === undefined ? [] : [consistent, changing]) {
    for (const { field } of withFactor(row, partner)) {
      const message = `found the contrastive factor${partnerName}, which only the contrastive instance has.`;
      report('contrastive-absent', row, `${field}.context_factor`, message);
    }
  }
}

/** Checks that all other sessions are in the consistent instance, and those of all three rows in one order. */
function validateShared(
  { consistent, contrastive, changing }: PersonaInstances,
  { factor, changed }: SeenJourney,
  partner: string | undefined,
  report: FindingReporter,
): void {
  const rule = 'shared-sessions';
  const consistentDialogues = new Set(consistent.sessions.map(({ dialogue }) => dialogue));
  const listStrays = (row: ReadInstance) =>
    row.sessions.filter((session) => {
      const isChanged = row === changing && session.factor === factor && session.preference === changed;
      return session.factor !== partner && !isChanged && !consistentDialogues.has(session.dialogue);
    });
  for (const [row, otherRow] of [
    [contrastive, changing],
    [changing, contrastive],
  ] as const) {
    const otherDialogues = new Set(listStrays(otherRow).map(({ dialogue }) => dialogue));
    for (const { field, factor: name, dialogue } of listStrays(row)) {
      if (otherDialogues.has(dialogue)) {
        const message = `expected the dialogue of ${quoteAnswer(name)} that the contrastive and the changing instance have, found none like it.`;
        report(rule, consistent, 'prior_interactions', message);
      } else {
        const message =
          'expected a dialogue of the consistent instance, as the session is neither contrastive nor changed, found a different one.';
        report(rule, row, `${field}.dialogue`, message);
      }
    }
  }
  const rows = [consistent, contrastive, changing];
  const dialogues = rows.map(({ sessions }) => new Set(sessions.map(({ dialogue }) => dialogue)));
  const isInAll = (dialogue: number) => dialogues.every((dialogueSet) => dialogueSet.has(dialogue));
  const orders = new Map(rows.map((row, at) => [row, [...(dialogues[at] ?? [])].filter(isInAll).join()]));
  const order = findMostCommon([...orders.values()]);
  for (const row of rows.filter((candidate) => orders.get(candidate) !== order)) {
    const message = "expected the sessions in the order of the persona's other instances, found another one.";
    report(rule, row, 'prior_interactions', message);
  }
}
