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
  // Expressions with the flag g are built on each call, because workflows share and freeze the expressions of a module.
  const plain = section.normalize('NFKC').replaceAll(/[*_`]|\uFE0F|\u20E3/g, '');
  const numbers = splitIntoLines(plain).flatMap(listNamedItems);
  return [...new Set(numbers)].toSorted((a, b) => a - b);
}

/** Returns the numbers that begin the parts of a line. Other numbers belong to the words of an item, or to an explanation. */
function listNamedItems(line: string): number[] {
  if (!/\d/.test(line) || /^\W*(?:none|n\/a)\b/i.test(line)) return [];
  let isExplained = false;
  return line
    .replaceAll(/[([]([^()[\]]*)[)\]]/g, (_, content: string) => shortenRemark(content))
    .split(/[,;|/&+、]|\band\b|(?<=satisfied)\s+(?=(?:checklist\s+)?(?:items?\s*)?#?\d)/i)
    .flatMap((part, index) => {
      const item = (ITEM.exec(part) ?? JUDGED_NUMBER.exec(part))?.groups ?? {};
      const { label, name, first, last = first, rest = '' } = item;
      const words = (first === undefined ? part : rest).replace(ANY_VERDICT, '');
      const isList = !/^\s*\p{L}/u.test(words) && (!isExplained || ANY_VERDICT.test(rest));
      isExplained ||= /[\p{L}\p{N}]/u.test(words);
      const beginsLine = index === 0 && label === undefined;
      if (first === undefined || !(beginsLine || name !== undefined || isList)) return [];
      const count = Number(last) - Number(first) + 1;
      return count > 1 && count <= MOST_ITEMS
        ? Array.from({ length: count }, (_, at) => Number(first) + at)
        : [Number(first)];
    });
}

/** Returns what counts of the words in brackets: a number alone, or the verdict. */
function shortenRemark(remark: string): string {
  return /^\W*\d+\W*$/.test(remark) ? remark : ` ${ANY_VERDICT.exec(remark)?.[0] ?? ''} `;
}

/** A verdict on an item, and what makes it one of dissatisfaction. */
export const VERDICT =
  "(?<![\\p{L}\\p{N}])(?<negation>(?:(?:(?:can)?not|never|\\p{L}+n['’]t)\\s+(?:(?:be|been|yet|fully|completely|entirely|quite)\\s+)*|(?:partly|partially)\\s+)(?:dis|un)?|non-?\\s?|dis|un)?satisfied(?!\\p{L})";
const ANY_VERDICT = new RegExp(`(?:all\\s+)?${VERDICT}`, 'iu');

/** An item at the beginning of a part of a line, or a range of items: "Checklist item #2", "Items 1–3", "Satisfied: 1". */
const ITEM = new RegExp(
  '^[^\\p{L}\\p{N}]*(?<label>(?:(?:selected|checklist|items?|(?:dis|un)?satisfied)\\s*)+:\\s*)?' +
    '(?<name>(?:checklist\\s*)?items?\\s*|checklist\\s*)?(?:#|no\\.\\s*)?(?<first>\\d+)(?![\\p{L}\\p{N}])' +
    `(?:\\s*(?:[-–—]|to|through)\\s*#?(?<last>\\d+)(?=\\s*(?:$|[^\\p{L}\\p{N}\\s?]|(?:all\\s+)?${VERDICT})))?(?<rest>.*)$`,
  'iu',
);

/** A number directly before its verdict. */
const JUDGED_NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}])(?<first>\\d+)(?<rest>[ .:–—-]{1,5}${VERDICT}.*)$`,
  'iu',
);

/** A longer range is none of items. */
const MOST_ITEMS = 100;

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
