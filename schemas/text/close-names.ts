import { listPresent } from './list-present';

/** Finds the word that a mistyped one means; undefined if none is close. */
export function findCloseWord(typedWord: string, words: readonly string[]): string | undefined {
  const mostSlips = Math.min(2, Math.floor(typedWord.length / 3));
  return words
    .map((word) => ({ word, slips: countSlips(typedWord.toLowerCase(), word.toLowerCase()) }))
    .filter(({ slips }) => slips <= mostSlips)
    .toSorted((a, b) => a.slips - b.slips)[0]?.word;
}

/** Formats the question that follows a sentence about an unknown name; empty without a close name. */
export function formatCloseNames(names: readonly string[]): string {
  return names.length === 0 ? '' : ` Did you mean ${names.join(', ')}?`;
}

/** Formats the question whether a mistyped word means one of these; empty if none is close. */
export function formatCloseWord(typedWord: string, words: readonly string[]): string {
  return formatCloseNames(listPresent(findCloseWord(typedWord, words)));
}

/** Counts the slips in a typed text: characters that are missing, additional, wrong, or swapped with the next one. */
export function countSlips(typedText: string, meant: string): number {
  let [rowBefore, lastRow]: [number[], number[]] = [
    [],
    Array.from({ length: meant.length + 1 }, (_, at) => at),
  ];
  for (let i = 1; i <= typedText.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= meant.length; j += 1) {
      const wrong = typedText[i - 1] === meant[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && typedText[i - 1] === meant[j - 2] && typedText[i - 2] === meant[j - 1];
      row[j] = Math.min(
        getCount(lastRow, j) + 1,
        getCount(row, j - 1) + 1,
        getCount(lastRow, j - 1) + wrong,
        isSwapped ? getCount(rowBefore, j - 2) + 1 : Infinity,
      );
    }
    [rowBefore, lastRow] = [lastRow, row];
  }
  return getCount(lastRow, meant.length);
}

function getCount(row: readonly number[], at: number): number {
  return row[at] ?? Infinity;
}
