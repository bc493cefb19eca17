import { quoted } from '../../answers/form/checks';
import { mostCommon } from '../most-common';
import type { Findings } from './persona-findings';
import { fieldOf, type PersonaInstances, type ReadInstance, type ReadSession, rowsOf } from './read-instance';

/**
 * The instances, each session that all three have with the factor and preference that most of them give it. Which sessions are the same
 * is told by their dialogues.
 */
export function withCommonLabels(
  instances: PersonaInstances,
  factor: string,
  findings: Findings,
): PersonaInstances {
  const rows = rowsOf(instances);
  const inEach = rows.map((row) => new Map(row.sessions.map((session) => [session.dialogue, session])));
  const common = new Map<number, { factor: string; preference: string }>();
  for (const dialogue of inEach[0]?.keys() ?? []) {
    const same = inEach.flatMap((sessions) => sessions.get(dialogue) ?? []);
    const label = mostCommon(same.map((session) => JSON.stringify([session.factor, session.preference])));
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
  findings: Findings,
): void {
  const rule = [session.factor, usual.factor].includes(factor)
    ? 'current-factor-sessions'
    : 'shared-sessions';
  const elsewhere = "as in the persona's other instances of this session";
  if (session.factor !== usual.factor) {
    findings.add(
      rule,
      row,
      fieldOf(session, 'context_factor'),
      `expected ${quoted(usual.factor)}, ${elsewhere}, found ${quoted(session.factor)}. ${TAKE_RECORDED}`,
    );
  } else if (session.preference !== usual.preference) {
    findings.add(
      rule,
      row,
      fieldOf(session, 'contextual_preference'),
      `expected ${quoted(usual.preference)}, ${elsewhere}, found ${quoted(session.preference)}. ${TAKE_RECORDED}`,
    );
  }
}

const TAKE_RECORDED = "Use that of the persona's record.";
