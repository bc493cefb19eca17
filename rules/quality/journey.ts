import { listPresent } from '../../schemas/text/list-present';
import { NO_RELATED_FACTOR, type ContextFactor } from '../../schemas/dataset/factor';
import type { JourneyStructure, PlannedSession } from '../../schemas/dataset/session';
import { quoteAnswer } from '../texts/quote-answer';
import { findEarlierDuplicates } from '../texts/near-duplicates';
import { listContentWords } from '../texts/words';
import { computePreferenceShare, TELLING_SHARE } from '../texts/preference-in-request';
import { hasName, isSamePreference } from '../texts/compare-texts';

type JourneySession = Pick<
  PlannedSession,
  'context_factor' | 'preference' | 'story' | 'request_with_factor' | 'request_with_factor_and_preference'
>;
type JourneyFactor = Pick<ContextFactor, 'factor' | 'preference' | 'related_factor'>;

/** A problem, and the session that has it (index 0 is session 1); without a session if it concerns the journey as a whole. */
interface JourneyProblem {
  readonly session?: number;
  readonly field: keyof JourneySession;
  readonly problem: string;
}

/** From this similarity on (share of common three-word sequences), two requests ask for the same. */
const SAME_REQUEST = 0.6;

/** A preference cannot be stated in fewer content words. */
const STATED_WORDS = 3;

/**
 * Reports problems of a journey beyond its form (paper, B.3 and figure 18). The changed preference is neither a listed one nor the negation of
 * one. Each request and story mentions its factor. No request reveals its preference. Requests differ. Every free factor occurs if there is room.
 * @param partial the roles of the sessions of a journey that may continue
 */
export function listJourneyProblems(
  sessions: readonly JourneySession[],
  factors: readonly JourneyFactor[],
  partial?: JourneyStructure,
): JourneyProblem[] {
  return [
    ...listChangeProblems(sessions, factors, partial?.lastIndexOf("A'") ?? sessions.length - 1),
    ...sessions.flatMap((session, index) =>
      listSessionProblems(session).map((problem) => ({ session: index, ...problem })),
    ),
    ...listRepeatedRequests(sessions),
    ...listUnusedFactors(sessions, factors, partial !== undefined),
  ];
}

/**
 * Reports a changed preference that nearly repeats or negates the preference of a factor.
 * @param at the last session that has it, which is the last of a whole journey; -1 for none
 */
function listChangeProblems(
  sessions: readonly JourneySession[],
  factors: readonly JourneyFactor[],
  at: number,
): JourneyProblem[] {
  const changed = sessions[at]?.preference;
  if (changed === undefined) return [];
  return factors
    .filter(({ preference }) => isSamePreference(changed, preference))
    .map(({ factor }) => ({
      session: at,
      field: 'preference',
      problem: `the changed preference ${quoteAnswer(changed)} is nearly the preference of ${quoteAnswer(factor)}, or its negation; it must require something else of the same aspect`,
    }));
}

function listSessionProblems(session: JourneySession): Omit<JourneyProblem, 'session'>[] {
  const { context_factor: factor, story, request_with_factor: request } = session;
  const problem = `must mention ${quoteAnswer(factor)} by its full name`;
  return listPresent<Omit<JourneyProblem, 'session'>>(
    !hasName(request, factor) && { field: 'request_with_factor', problem },
    !hasName(story, factor) && { field: 'story', problem },
    isRevealed(session) && {
      field: 'request_with_factor',
      problem: 'reveals the preference; leave out everything that says what the response must be like',
    },
  );
}

/**
 * Returns true if the request that is sent has half of the preference's words. Also returns true if the request that states the preference adds
 * hardly any words, because then both state it or neither does.
 */
function isRevealed(session: JourneySession): boolean {
  const { context_factor: factor, preference, request_with_factor: request } = session;
  if (computePreferenceShare(request, preference, factor) >= TELLING_SHARE) return true;
  const sent = new Set(listContentWords(request));
  const statedWords = listContentWords(session.request_with_factor_and_preference);
  return new Set(statedWords.filter((word) => !sent.has(word))).size < STATED_WORDS;
}

function listRepeatedRequests(sessions: readonly JourneySession[]): JourneyProblem[] {
  const requests = sessions.map(({ request_with_factor: request }) => request);
  return findEarlierDuplicates(requests, SAME_REQUEST).flatMap((first, session): JourneyProblem[] => {
    const problem = `asks for nearly the same as session ${(first ?? 0) + 1}`;
    return first === undefined ? [] : [{ session, field: 'request_with_factor', problem }];
  });
}

/**
 * Reports free factors that no session has, if there is room.
 * @param isPartial whether the journey may continue: then no factor comes again before all were used, because later parts have no more room
 */
function listUnusedFactors(
  sessions: readonly JourneySession[],
  factors: readonly JourneyFactor[],
  isPartial: boolean,
): JourneyProblem[] {
  const free = factors.filter(({ related_factor: related }) => related === NO_RELATED_FACTOR);
  const usedFactors = new Set(sessions.map(({ context_factor: factor }) => factor));
  const unused = free
    .filter(({ factor }) => !usedFactors.has(factor))
    .map(({ factor }) => quoteAnswer(factor));
  const pair = new Set(factors.filter((factor) => !free.includes(factor)).map(({ factor }) => factor));
  const room = sessions.filter(({ context_factor: factor }) => !pair.has(factor)).length;
  const required = isPartial ? Math.min(room, free.length) : free.length;
  if (room < required || free.length - unused.length >= required) return [];
  const problem = `no session has ${unused.join(', ')}; use each factor before one comes again`;
  return [{ field: 'context_factor', problem }];
}
