import type { PlannedSession } from '../../schemas/dataset/session';

/** Returns the distinct preferences of a journey in order of first occurrence; each is decomposed once. */
export function listDistinctPreferences(sessions: readonly Pick<PlannedSession, 'preference'>[]): string[] {
  return [...new Set(sessions.map(({ preference }) => preference))];
}

/** Returns true for a session whose preference a later session with the same context factor replaces. */
export function isStale(session: SessionPreference, sessions: readonly SessionPreference[]): boolean {
  return sessions.some(
    ({ id, context_factor: factor, preference }) =>
      id > session.id && factor === session.context_factor && preference !== session.preference,
  );
}

type SessionPreference = Pick<PlannedSession, 'id' | 'context_factor' | 'preference'>;
