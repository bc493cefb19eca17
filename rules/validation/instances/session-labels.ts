import { quoteAnswer } from '../../answers/form/checks';
import { findMostCommon } from '../most-common';
import type { CollectedFindings } from './persona-findings';
import {
  formatField,
  type PersonaInstances,
  type ReadInstance,
  type ReadSession,
  listRows,
} from './read-instance';

/**
 * The instances, each session that all three have with the factor and preference that most of them give it. Which sessions are the same
 * is recognized by their dialogues.
 */
export function withCommonLabels(
  instances: PersonaInstances,
  factor: string,
  findings: CollectedFindings,
): PersonaInstances {
  const rows = listRows(instances);
  const inEach = rows.map((row) => new Map(row.sessions.map((session) => [session.dialogue, session])));
  const common = new Map<number, { factor: string; preference: string }>();
  for (const dialogue of inEach[0]?.keys() ?? []) {
    const same = inEach.flatMap((sessions) => sessions.get(dialogue) ?? []);
    const label = findMostCommon(same.map((session) => JSON.stringify([session.factor, session.preference])));
    const usual = same.find((session) => JSON.stringify([session.factor, session.preference]) === label);
    if (same.length === rows.length && usual !== undefined) common.set(dialogue, usual);
  }
  const withLabels = (row: ReadInstance): ReadInstance => ({
    ...row,
    sessions: row.sessions.map((session) => {
      const usual = common.get(session.dialogue);
      if (usual === undefined) return session;
      findLabel(row, session, { usual, factor }, findings);
      return { ...session, factor: usual.factor, preference: usual.preference };
    }),
  });
  return {
    consistent: withLabels(instances.consistent),
    contrastive: withLabels(instances.contrastive),
    changing: withLabels(instances.changing),
  };
}

function findLabel(
  row: ReadInstance,
  session: ReadSession,
  { usual, factor }: { usual: { factor: string; preference: string }; factor: string },
  findings: CollectedFindings,
): void {
  const rule = [session.factor, usual.factor].includes(factor)
    ? 'current-factor-sessions'
    : 'shared-sessions';
  const elsewhere = "as in the persona's other instances of this session";
  if (session.factor !== usual.factor) {
    findings.add(
      rule,
      row,
      formatField(session, 'context_factor'),
      `expected ${quoteAnswer(usual.factor)}, ${elsewhere}, found ${quoteAnswer(session.factor)}. ${TAKE_RECORDED}`,
    );
  } else if (session.preference !== usual.preference) {
    findings.add(
      rule,
      row,
      formatField(session, 'contextual_preference'),
      `expected ${quoteAnswer(usual.preference)}, ${elsewhere}, found ${quoteAnswer(session.preference)}. ${TAKE_RECORDED}`,
    );
  }
}

const TAKE_RECORDED = "Use that of the persona's record.";
