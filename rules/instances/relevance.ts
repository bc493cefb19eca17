import type { Instance, PriorInteraction } from '../../schemas/dataset/instance';
import { isSameInReference, isSameText } from '../texts/spelling';

export type PriorSession = Pick<PriorInteraction, 'context_factor' | 'contextual_preference'>;
type CurrentSession = Pick<Instance, 'current_context_factor' | 'current_contextual_preference'>;

/** A row of a data set, as far as its evidence depends on it. */
export type EvidenceRow = CurrentSession & {
  readonly instance_type: string;
  readonly prior_interactions: readonly PriorSession[];
};

/** Numbers, from 1, of a row's prior sessions that show its preference or mislead about it. */
interface SessionEvidence {
  /** Sessions with its context factor and preference. */
  readonly evidence: number[];
  /** Sessions with its factor and the preference before the change; only changing rows have them. */
  readonly stale: number[];
  /** Sessions of the contrastive factor; only contrastive rows have them. */
  readonly contrastive: number[];
}

/** Finds the evidence in a row. @param rows every row of its persona, without which no session is contrastive */
export function findEvidence(row: EvidenceRow, rows: readonly EvidenceRow[] = []): SessionEvidence {
  const contrastiveSession = findContrastive(rows);
  const list = (matches: (session: PriorSession) => boolean) =>
    row.prior_interactions.flatMap((session, at) => (matches(session) ? at + 1 : []));
  return {
    evidence: list((session) => isRelevant(session, row)),
    stale: list(
      ({ context_factor: factor, contextual_preference: preference }) =>
        row.instance_type === 'changing' &&
        isSameText(factor, row.current_context_factor) &&
        !isSameText(preference, row.current_contextual_preference),
    ),
    contrastive: list(
      ({ context_factor: factor }) =>
        contrastiveSession !== undefined && isSameText(factor, contrastiveSession.context_factor),
    ),
  };
}

/** Returns true for a prior session with the current context factor and preference (paper, 4.1: the oracle setting). */
export function isRelevant(session: PriorSession, instance: CurrentSession): boolean {
  return (
    isSameInReference(session.context_factor, instance.current_context_factor) &&
    isSameInReference(session.contextual_preference, instance.current_contextual_preference)
  );
}

/** Returns the mean position, from 1, of the relevant sessions (paper, figure 3); null without any. */
export function computeRelevantPosition(row: EvidenceRow): number | null {
  const { evidence } = findEvidence(row);
  if (evidence.length === 0) return null;
  return evidence.reduce((sum, position) => sum + position, 0) / evidence.length;
}

/**
 * Returns a session of the contrastive partner: of the only factor, with one preference, that the contrastive row of a persona has and no other row.
 * Undefined if the rows do not determine it.
 */
export function findContrastive(rows: readonly EvidenceRow[]): PriorSession | undefined {
  const row = rows.find(({ instance_type: type }) => type === 'contrastive');
  const otherRows = rows.filter((candidate) => candidate !== row);
  if (row === undefined || otherRows.length === 0) return undefined;
  const uniqueSessions = row.prior_interactions.filter(
    ({ context_factor: factor }) =>
      !isSameText(factor, row.current_context_factor) &&
      otherRows.every(({ prior_interactions }) =>
        prior_interactions.every((session) => !isSameText(session.context_factor, factor)),
      ),
  );
  const [first] = uniqueSessions;
  return first !== undefined && uniqueSessions.every((session) => isSameSession(session, first))
    ? first
    : undefined;
}

export function isSameSession(a: PriorSession, b: PriorSession): boolean {
  return (
    isSameText(a.context_factor, b.context_factor) &&
    isSameText(a.contextual_preference, b.contextual_preference)
  );
}
