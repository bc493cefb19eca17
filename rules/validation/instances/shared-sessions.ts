import { formatNumber } from '../../../schemas/text/count-text';
import { quoteAnswer } from '../../answers/form/checks';
import type { Cast } from './contrastive-sessions';
import { ORIGINAL_SESSIONS } from '../journey-counts';
import { findMostCommon } from '../most-common';
import type { CollectedFindings } from './persona-findings';
import {
  formatField,
  type PersonaInstances,
  type ReadInstance,
  type ReadSession,
  listRows,
  withFactor,
} from './read-instance';

/**
 * What the contrastive and the changing instance have besides their own kind of session are sessions of the consistent one, dialogue for
 * dialogue and in the same order.
 */
export function validateSharedSessions(
  instances: PersonaInstances,
  cast: Cast,
  findings: CollectedFindings,
): void {
  const { consistent, contrastive, changing } = instances;
  const shared = {
    contrastive: contrastive.sessions.filter((session) => session.factor !== cast.partner),
    changing: listUnchanged(changing, cast),
  };
  findStrays(contrastive, shared.contrastive, { consistent, others: shared.changing }, findings);
  findStrays(changing, shared.changing, { consistent, others: shared.contrastive }, findings);
  findLacking(instances, shared, findings);
  findOrder(instances, findings);
}

function listUnchanged(row: ReadInstance, { factor, preferences }: Cast): ReadSession[] {
  const current = withFactor(row, factor);
  const isChanged = (session: ReadSession) =>
    preferences.changed === undefined
      ? current.indexOf(session) >= ORIGINAL_SESSIONS
      : session.preference === preferences.changed;
  return row.sessions.filter((session) => !current.includes(session) || !isChanged(session));
}

/** A dialogue that is neither in the consistent instance nor in the other one. */
function findStrays(
  row: ReadInstance,
  sessions: readonly ReadSession[],
  { consistent, others }: { consistent: ReadInstance; others: readonly ReadSession[] },
  findings: CollectedFindings,
): void {
  if (findings.has(row, ...SESSION_RULES)) return;
  const known = hashDialogues([...consistent.sessions, ...others]);
  const strays = sessions.filter(({ dialogue }) => !known.has(dialogue));
  const [first] = strays;
  if (first === undefined) return;
  findings.add(
    'shared-sessions',
    row,
    formatField(first, 'dialogue'),
    `expected a dialogue of the consistent instance, which has all sessions that are neither contrastive nor changed, found a different one${formatMore(strays)}. Use the dialogue of the persona's record in both.`,
  );
}

/** A dialogue that both others have, and the consistent instance has not. */
function findLacking(
  { consistent }: PersonaInstances,
  shared: { contrastive: readonly ReadSession[]; changing: readonly ReadSession[] },
  findings: CollectedFindings,
): void {
  if (findings.has(consistent, ...SESSION_RULES)) return;
  const own = hashDialogues(consistent.sessions);
  const inContrastive = hashDialogues(shared.contrastive);
  const inChanging = hashDialogues(shared.changing);
  const lacking = shared.contrastive.filter(({ dialogue }) => !own.has(dialogue) && inChanging.has(dialogue));
  const [first] = lacking;
  if (first === undefined) return;
  const edited = consistent.sessions.find(
    ({ factor, preference, dialogue }) =>
      factor === first.factor &&
      preference === first.preference &&
      !inContrastive.has(dialogue) &&
      !inChanging.has(dialogue),
  );
  findings.addUnlessCount(
    'shared-sessions',
    consistent,
    edited === undefined ? 'prior_interactions' : formatField(edited, 'dialogue'),
    `expected the dialogue of ${quoteAnswer(first.factor)} that the contrastive and the changing instance have, found a different one${formatMore(lacking)}. Use the dialogue of the persona's record in all.`,
  );
}

function hashDialogues(sessions: readonly ReadSession[]): Set<number> {
  return new Set(sessions.map(({ dialogue }) => dialogue));
}

function formatMore({ length }: readonly ReadSession[]): string {
  return length > 1 ? `, and ${formatNumber(length - 1)} more like it` : '';
}

function findOrder(instances: PersonaInstances, findings: CollectedFindings): void {
  const rows = listRows(instances);
  if (rows.some((row) => findings.has(row, ...SESSION_RULES))) return;
  const dialogues = rows.map((row) => row.sessions.map(({ dialogue }) => dialogue));
  const orders = dialogues.map((own) =>
    own.filter((dialogue) => dialogues.every((others) => others.includes(dialogue))).join(),
  );
  const order = findMostCommon(orders);
  for (const [place, row] of rows.entries()) {
    if (orders[place] === order) continue;
    findings.add(
      'shared-sessions',
      row,
      'prior_interactions',
      "expected the sessions in the order of the persona's other instances, found a different order. Use the order of the journey.",
    );
  }
}

/** Where one of these is broken, shared sessions cannot be recognized. */
const SESSION_RULES = [
  'current-factor-sessions',
  'contrastive-present',
  'contrastive-absent',
  'shared-sessions',
] as const;
