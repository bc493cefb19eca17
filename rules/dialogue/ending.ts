import type { SynthesisSettings } from '../../schemas/run/settings';

/** The user's scores and the numbers of the items selected so far, turn by turn. */
type Replies = readonly { readonly score: number; readonly selected: readonly number[] }[];

/** Returns true when the user's score ends the dialogue, whatever its decision says. */
export function isSatisfied({ score }: { readonly score: number }): boolean {
  return score === 10;
}

/**
 * Returns true when the assistant's answer to these replies is the last of its dialogue, and is not judged: the user's messages have reached the
 * limit (paper, B.4), or the dialogue has stalled.
 */
export function isLastAnswer(
  { maxTurns, stallTurns = 0 }: Pick<SynthesisSettings, 'maxTurns' | 'stallTurns'>,
  replies: Replies,
): boolean {
  return replies.length + 1 === maxTurns || (stallTurns > 0 && isStalled(replies, stallTurns));
}

/** Returns true when the latest replies, so many of them, neither scored higher nor selected an item that those before them had not. */
function isStalled(replies: Replies, turns: number): boolean {
  const [before, latest] = [replies.slice(0, -turns), replies.slice(-turns)];
  if (before.length === 0) return false;
  const best = Math.max(...before.map(({ score }) => score));
  const known = new Set(before.flatMap(({ selected }) => selected));
  return latest.every(({ score, selected }) => score <= best && selected.every((item) => known.has(item)));
}

/** Returns the numbers of the items that a section "Selected Checklist Items" names, in whatever way it lists them. */
export function listSelectedItems(section: string): number[] {
  const bare = section
    // No expression of the module: workflows share one, frozen.
    .replaceAll(/\b(?:not |partly |partially )?(?:dis|un)?satisfied\b/gi, ' ')
    .replaceAll(/\bitems?\b|\band\b/gi, ' ');
  const leading = bare
    .split('\n')
    .flatMap((line) => /^\W*(\d+(?:[^\w\n]+\d+)*)/.exec(line)?.[1]?.match(/\d+/g) ?? []);
  const judged = [
    ...section.matchAll(/\b(\d+)\b[ .:()*_–—-]{0,5}(?=(?:not |partly |partially )?(?:dis|un)?satisfied\b)/gi),
  ];
  const numbers = [...leading, ...judged.flatMap(([, number]) => number ?? [])].map(Number);
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}
