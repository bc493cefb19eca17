import type { SynthesisSettings } from '../../schemas/run/settings';
import { listSelectedItems } from './selection';

/** What the user made of the assistant's answers so far, turn by turn. */
type Replies = readonly { readonly score: number; readonly selected: string }[];

/** True when the user's score ends the dialogue, whatever its decision says. */
export function isSatisfied({ score }: { readonly score: number }): boolean {
  return score === 10;
}

/**
 * True when the assistant's answer to these replies is the last of its dialogue, and is not judged: the user's messages have reached the
 * limit (paper, B.4), or the dialogue has stalled.
 */
export function isLastAnswer(
  { maxTurns, stallTurns = 0 }: Pick<SynthesisSettings, 'maxTurns' | 'stallTurns'>,
  replies: Replies,
): boolean {
  return replies.length + 1 === maxTurns || (stallTurns > 0 && isStalled(replies, stallTurns));
}

/** True when the latest replies, so many of them, neither scored higher nor selected an item that those before them had not. */
function isStalled(replies: Replies, turns: number): boolean {
  const [before, latest] = [replies.slice(0, -turns), replies.slice(-turns)];
  if (before.length === 0) return false;
  const best = Math.max(...before.map(({ score }) => score));
  const known = new Set(before.flatMap(({ selected }) => listSelectedItems(selected)));
  return latest.every(
    ({ score, selected }) => score <= best && listSelectedItems(selected).every((item) => known.has(item)),
  );
}
