import type { Random } from '../rules/sampling/random';
import { happens } from './chance';
import { expectationOf, type Expectation } from './expectation';
import { readLog, type LoggedSession } from './log';
import { clauseOn, drawClauses } from './preference';
import { relevantSessions } from './relevance';
import { topicIn } from './reply';
import { AXES } from './vocabulary/axes';
import { SHALLOW_RULES, VAGUE_RULES } from './vocabulary/inferences';
import { wishesIn, type Wish } from './wishes';
import { fill, pointOf } from './words';

/** What a reader of a request and of a log thinks that the user wants. */
export interface Belief {
  /** How many sessions the log has. */
  readonly sessions: number;
  /** The numbers, from 1, of those that the belief rests on. */
  readonly from: readonly number[];
  /** One to four things. */
  readonly expectations: readonly Expectation[];
}

/** How well the reader reads, each in percent of cases. */
const SKILL = {
  /** Takes an unrelated session for the one that matters, and goes by nothing else. */
  lost: 15,
  /** Takes an unrelated session for related, each of them. */
  distracted: 7,
  /** Misses a related session among others. */
  overlooked: 20,
  /** Sees that a session contradicts a later one, and leaves it out as outdated. */
  noticesChange: 65,
  /** Takes in what a remark wants, by how plainly it is told. */
  understood: { outright: 92, hinted: 56, praised: 35 },
  /** Takes a remark for one about something close to it. */
  misread: 8,
  /** Adds something nobody asked for. */
  invents: 25,
  /** Is content with something that is true of any good answer. */
  vague: 5,
} as const;

/** Most things a belief holds; a preference has no more (paper, 2.3). */
const MOST = 4;

/**
 * What a reader of middling skill makes of a request and the log of earlier sessions: goes by the sessions that seem to share
 * the request's context, believes later ones over earlier ones, and makes mistakes in all of this.
 */
export function believed(about: { request: string; log: string }, random: Random): Belief {
  const sessions = readLog(about.log);
  const from = sessions.length === 0 ? [] : attended(about.request, sessions, random);
  const read = sessions.filter((_, place) => from.includes(place));
  const expectations = happens(random, SKILL.vague) ? vagueExpectations(random) : wanted(read, random);
  return {
    sessions: sessions.length,
    from: from.map((place) => place + 1),
    expectations: expectations.length > 0 ? expectations : guessed(about.request, random),
  };
}

/** The places of the sessions that the reader goes by, at least one. */
function attended(request: string, sessions: readonly LoggedSession[], random: Random): number[] {
  const related = relevantSessions(request, sessions);
  const places = sessions.map((_, place) => place);
  const others = places.filter((place) => !related.includes(place));
  if (others.length > 0 && happens(random, SKILL.lost)) return [random.pick(others)];
  const seen = places.filter((place) =>
    related.includes(place)
      ? others.length === 0 || !happens(random, SKILL.overlooked)
      : happens(random, SKILL.distracted),
  );
  return seen.length > 0 ? seen : [random.pick(places)];
}

function wanted(sessions: readonly LoggedSession[], random: Random): Expectation[] {
  const readings = sessions.map((session) => noticed(session, random));
  const clauses = reconciled(readings, random).map(({ axis, side }) => clauseOn(random, axis, side));
  if (clauses.length === 0) return quotedRemarks(sessions, random);
  const invented = happens(random, SKILL.invents)
    ? drawClauses(
        random,
        clauses.map(({ axis }) => axis),
        1,
      )
    : [];
  return [...clauses.slice(-MOST), ...invented].slice(-MOST).map(expectationOf);
}

function noticed({ remarks }: LoggedSession, random: Random): Wish[] {
  return remarks
    .flatMap(wishesIn)
    .filter(({ told }) => happens(random, SKILL.understood[told]))
    .map((wish) => (happens(random, SKILL.misread) ? misread(wish, random) : wish));
}

function misread(wish: Wish, random: Random): Wish {
  const close = AXES.filter((axis) => axis.group === wish.axis.group && axis !== wish.axis);
  return close.length === 0 ? wish : { ...wish, axis: random.pick(close) };
}

/** What the sessions want together, the latest last; what goes badly with a later wish is left out. */
function reconciled(readings: readonly (readonly Wish[])[], random: Random): Wish[] {
  const kept: Wish[] = [];
  for (const reading of readings.toReversed()) {
    const outdated = reading.some(({ axis, side }) =>
      kept.some((later) => later.axis === axis && later.side !== side),
    );
    if (outdated && happens(random, SKILL.noticesChange)) continue;
    for (const wish of reading) {
      if (kept.every(({ axis }) => axis.group !== wish.axis.group)) kept.unshift(wish);
    }
  }
  return kept;
}

/** Remarks of users whose words are not this model's: all that can be done is to heed them as they stand. */
function quotedRemarks(sessions: readonly LoggedSession[], random: Random): Expectation[] {
  const sentences = sessions.flatMap(({ remarks }) =>
    remarks.flatMap((remark) => remark.split(/(?<=[.!?])\s+|\n+/)),
  );
  const telling = sentences.filter((sentence) => TELLING.test(sentence) && wishesIn(sentence).length === 0);
  const places = random.sample(
    telling.map((_, place) => place),
    Math.min(2, telling.length),
  );
  return telling
    .filter((_, place) => places.includes(place))
    .map((sentence) => ({ words: heeding(sentence) }));
}

const TELLING =
  /\b(?:want|wanted|need|needs|prefer|like|love|could you|can you|please|should|must|without|instead|rather|more|less|too|not|missing)\b/i;

/** As many words of a sentence as a preference has room for. */
function heeding(sentence: string): string {
  const words = sentence.match(/[\p{L}\p{N}][\p{L}\p{N}'’%-]*/gu) ?? [];
  return `heed the words “${words.slice(0, 12).join(' ').toLowerCase()}”`;
}

function vagueExpectations(random: Random): Expectation[] {
  return random.sample(VAGUE_RULES, 2).map((words) => ({ words }));
}

/** What can be said without any history: what the request says itself, and what users ask for now and then. */
function guessed(request: string, random: Random): Expectation[] {
  const topic = topicIn(request);
  const words = fill(random.pick(SHALLOW_RULES), { topic: topic === 'this' ? pointOf(request) : topic });
  return [
    { words: words.toLowerCase() },
    ...drawClauses(random, [], 1 + random.integer(2)).map(expectationOf),
  ];
}
