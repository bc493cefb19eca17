// Workflows read these constants, so this module does not import zod.

/**
 * Largest number of sessions of a journey. With 100, the request for the last part and its repairs still fit into a context of 32k tokens. All
 * dialogues of a persona are in the history of one workflow: slow calls take up to six events each, and 51,200 are allowed.
 */
export const MOST_SESSIONS = 100;

/** Largest number of sessions that one answer plans. Much longer answers would be cut off at the step's `maxTokens`. */
export const MOST_IN_ONE_ANSWER = 20;

/** Largest number of sessions in a part of a longer journey: as many as the paper's journeys have. */
const MOST_IN_A_PART = 13;

/** A part of a journey: the sessions that one answer plans. */
interface JourneyPart {
  /** The turn of its call in the journey step: the number of the part, from 1; 0 for a journey in one answer. */
  readonly turn: number;
  /** Numbers of its first and last session, from 1. */
  readonly first: number;
  readonly last: number;
}

/** Lists the parts of a journey with this many sessions, in order: one, or for a long journey several of nearly the same length. */
export function listJourneyParts(nSessions: number): JourneyPart[] {
  if (nSessions <= MOST_IN_ONE_ANSWER) return [{ turn: 0, first: 1, last: nSessions }];
  const count = Math.ceil(nSessions / MOST_IN_A_PART);
  return Array.from({ length: count }, (_, at) => ({
    turn: at + 1,
    first: Math.floor((at * nSessions) / count) + 1,
    last: Math.floor(((at + 1) * nSessions) / count),
  }));
}

/** Returns true for a journey that is planned in several answers. */
export function isInParts(nSessions: number): boolean {
  return nSessions > MOST_IN_ONE_ANSWER;
}
