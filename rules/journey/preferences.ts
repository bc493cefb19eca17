import type { PlannedSession } from '../../schemas/dataset/session';

/** Returns the distinct preferences of a journey in order of first occurrence; each is decomposed once. */
export function listDistinctPreferences(sessions: readonly Pick<PlannedSession, 'preference'>[]): string[] {
  return [...new Set(sessions.map(({ preference }) => preference))];
}
