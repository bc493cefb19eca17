import { findSides, SIDES, type Side } from './preference';

/** A revealed preference, and how clearly: the remark names the rule, asks for it, or praises that it was followed. */
interface Wish {
  readonly side: Side;
  readonly clarity: 'named' | 'requested' | 'praised';
}

/** Finds the preferences that a user's remark, or a sentence about the user, reveals; none outside of the vocabulary. */
export function findWishes(remark: string): Wish[] {
  return [
    ...findSides(remark).map((side): Wish => ({ side, clarity: 'named' })),
    ...findRequestedSides(remark).map((side): Wish => ({ side, clarity: 'requested' })),
    ...findSpokenSides(remark, PRAISE).map((side): Wish => ({ side, clarity: 'praised' })),
  ];
}

/** Finds the preferences that a remark asks for, directly or by a critique. */
export function findRequestedSides(remark: string): Side[] {
  return findSpokenSides(remark, REQUESTS);
}

/** Returns the remark with this number, from 0, about a side that the response misses; the first five all differ. */
export function pickRemark({ critiques, asks }: Side, number: number, voice: number): string {
  const critique = critiques[(Math.floor(number / 2) + voice) % critiques.length] ?? '';
  const ask = asks[(Math.ceil(number / 2) + voice) % asks.length] ?? '';
  if (number === 0) return `${critique} ${ask}`;
  return number % 2 === 1 ? ask : critique;
}

const REQUESTS = groupSentences((side) => [...side.critiques, ...side.asks]);
const PRAISE = groupSentences((side) => side.praise);

function groupSentences(sentencesOf: (side: Side) => readonly string[]) {
  return SIDES.map((side) => ({ side, sentences: sentencesOf(side) }));
}

function findSpokenSides(remark: string, groups: ReturnType<typeof groupSentences>): Side[] {
  return groups
    .filter(({ sentences }) => sentences.some((sentence) => remark.includes(sentence)))
    .map(({ side }) => side);
}
