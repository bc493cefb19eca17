import type { SynthesisSettings } from '../../schemas/run/settings';
import { splitIntoLines } from '../../schemas/text/lines';

/** The user's scores and the numbers of the items that it selected, turn by turn. */
type Replies = readonly { readonly score: number; readonly selected: readonly number[] }[];

/** Returns true if the user's score ends the dialogue, whatever its decision says. */
export function isSatisfied({ score }: { readonly score: number }): boolean {
  return score === 10;
}

/**
 * Returns true if the assistant's answer to these replies is the last of its dialogue, and is not judged. Either the user's messages have reached
 * the limit (paper, B.4), or the dialogue has stalled.
 */
export function isLastAnswer(
  { maxTurns, stallTurns = 0 }: Pick<SynthesisSettings, 'maxTurns' | 'stallTurns'>,
  replies: Replies,
): boolean {
  return replies.length + 1 === maxTurns || (stallTurns > 0 && isStalled(replies, stallTurns));
}

/** Returns true if the last `turns` replies neither raised the score nor selected a new item. */
function isStalled(replies: Replies, turns: number): boolean {
  const [before, latest] = [replies.slice(0, -turns), replies.slice(-turns)];
  if (before.length === 0) return false;
  const best = Math.max(...before.map(({ score }) => score));
  const knownItems = new Set(before.flatMap(({ selected }) => selected));
  return latest.every(
    ({ score, selected }) => score <= best && selected.every((item) => knownItems.has(item)),
  );
}

/** Returns the numbers of the items that a section "Selected Checklist Items" names, in any notation. */
export function listSelectedItems(section: string): number[] {
  const selection = section.replaceAll(/^[^\w\n]*(?:none|n\/a)\b.*$/gim, '');
  const bare = selection
    // The expression is built on each call, because workflows share and freeze the expressions of a module.
    .replaceAll(/\b(?:not |partly |partially )?(?:dis|un)?satisfied\b/gi, ' ')
    .replaceAll(/\b(?:checklist\s+)?items?\b/gi, ' ')
    // Remarks on numbers: "1 (tone), 2 (length)".
    .replaceAll(
      /(?<=\d\s?)[([](?!\s*(?:and|&)\b|(?:[^\p{L}()[\]]|and\b)*[)\]])[^()[\]\p{L}]*\p{L}[^()[\]]*[)\]](?=\s*(?:[,;&/|]|and\b|$))/gimu,
      ' ',
    )
    .replaceAll(/\band\b/gi, ' ');
  const leading = splitIntoLines(bare).flatMap(
    (line) => /^\W*(\d+(?:[^\w\n]+\d+)*)/.exec(line)?.[1]?.match(/\d+/g) ?? [],
  );
  const verdictMatches = [
    ...selection.matchAll(
      /\b(\d+)\b[ .:()*_–—-]{0,5}(?=(?:not |partly |partially )?(?:dis|un)?satisfied\b)/gi,
    ),
  ];
  const numbers = [...leading, ...verdictMatches.flatMap(([, number]) => number ?? [])].map(Number);
  return [...new Set(numbers)].toSorted((a, b) => a - b);
}

type Roles = readonly { readonly role: string }[];

/** Returns whether the user of a stored dialogue was satisfied. A dialogue without a satisfied user ends with the assistant. */
export function endedSatisfied(dialogue: Roles): boolean {
  return dialogue.at(-1)?.role === 'user';
}

/** Returns whether the user of a stored dialogue was satisfied with the first answer. */
export function endedAtFirstAnswer(dialogue: Roles): boolean {
  return endedSatisfied(dialogue) && countUserMessages(dialogue) === 2;
}

export function countUserMessages(dialogue: Roles): number {
  return dialogue.filter(({ role }) => role === 'user').length;
}
