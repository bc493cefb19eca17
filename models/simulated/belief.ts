import type { Random } from '../../rules/sampling/random';
import { findWishes } from './feedback';
import type { Reads } from './options';
import { findRelevantSessions, findTopic, type LoggedSession } from './log';
import { readHistory } from './notes';
import { drawSides, isContrary, type Expectation, type Side } from './preference';
import { fill, drawChance } from './text';
import { REPLIES } from './vocabulary';

/** The user's wishes as a reader of the request and the log understands them. */
interface Belief {
  /** Number of sessions in the log. */
  readonly sessions: number;
  /** The numbers, from 1, of the sessions that the belief is based on. */
  readonly from: readonly number[];
  /** One to four. */
  readonly expectations: readonly Expectation[];
  /** The sessions reveal no wish, so the expectations are guesses that differ from call to call. */
  readonly isGuess: boolean;
}

/** Skill of the reader, each in percent of cases. */
const SKILL = {
  /** Bases the belief on an unrelated session. */
  lost: 38,
  /** Understands what a remark reveals. */
  understood: { named: 90, requested: 55, praised: 35 },
  /** Adds something nobody asked for. */
  invents: 30,
} as const;

const UNDERSTANDS_ALL = { named: 100, requested: 100, praised: 100 };

/** Maximum number of expectations; a preference has no more (paper, 2.3). */
const MOST = 4;

/**
 * Forms the belief of a reader of average skill from a request and the log of earlier sessions. It follows the sessions that share the request's
 * context, prefers later ones, and makes mistakes in both. With `reads`, it reads these sessions only and makes no mistake.
 */
export function formBelief(
  input: { request: string; log: string; reads?: Reads | undefined },
  random: Random,
): Belief {
  const { request, reads } = input;
  const sessions = readHistory(input.log);
  const places =
    reads === undefined
      ? choosePlacesToRead(request, sessions, random)
      : listReadSessions(reads, findRelevantSessions(request, sessions), sessions);
  const understood = reads === undefined ? SKILL.understood : UNDERSTANDS_ALL;
  const sides = understandSessions(
    sessions.filter((_, place) => places.includes(place)),
    understood,
    random,
  );
  const invented =
    reads === undefined && drawChance(random, SKILL.invents) ? drawSides(random, sides, 1) : [];
  return {
    sessions: sessions.length,
    from: places.map((place) => place + 1),
    expectations:
      sides.length > 0
        ? [...sides, ...invented].slice(0, MOST).map((side) => pickExpectation(side, random))
        : guess(input.request, random),
    isGuess: sides.length === 0,
  };
}

export function pickExpectation(side: Side, random: Random): Expectation {
  return { words: random.pick(side.rules), side };
}

function choosePlacesToRead(request: string, sessions: readonly LoggedSession[], random: Random): number[] {
  const related = findRelevantSessions(request, sessions);
  const unrelated = sessions.map((_, place) => place).filter((place) => !related.includes(place));
  return unrelated.length > 0 && drawChance(random, SKILL.lost) ? [random.pick(unrelated)] : related;
}

/** Returns the indexes of the sessions to read, from 0. */
function listReadSessions(
  reads: Reads,
  related: readonly number[],
  sessions: readonly LoggedSession[],
): readonly number[] {
  if (reads === 'none') return [];
  if (reads === 'last') return [...sessions.keys()].slice(-1);
  return reads === 'first' ? related.slice(0, 1) : related;
}

/** Collects what the sessions reveal together; what a later one contradicts is outdated. */
function understandSessions(
  sessions: readonly LoggedSession[],
  skill: Readonly<Record<keyof typeof UNDERSTANDS_ALL, number>>,
  random: Random,
): Side[] {
  const understood: Side[] = [];
  for (const { remarks } of sessions.toReversed()) {
    const wishes = remarks.flatMap(findWishes).filter(({ clarity }) => drawChance(random, skill[clarity]));
    const outdated = wishes.some(({ side }) => understood.some((later) => isContrary(side, later)));
    for (const { side } of outdated ? [] : wishes) {
      if (understood.every(({ type }) => type !== side.type)) understood.push(side);
    }
  }
  return understood;
}

/** Guesses expectations without any history: from the request itself, and from common wishes. */
function guess(request: string, random: Random): Expectation[] {
  const words = fill(random.pick(REPLIES.evaluation.guesses), { topic: findTopic(request) });
  return [
    { words: words.toLowerCase() },
    ...drawSides(random, [], 1 + random.integer(2)).map((side) => pickExpectation(side, random)),
  ];
}
