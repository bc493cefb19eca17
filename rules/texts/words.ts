import { keepRecent } from '../keep-recent';

/** Characters of the texts whose words are kept: those of some rows. The words take up some twenty times as many bytes. */
const RECENT_TEXTS = 1_000_000;

/** Characters of a vocabulary of some 10,000 words, which repeat from text to text. */
const RECENT_WORDS = 70_000;

/** Splits a text into words to compare: in lower case, without punctuation, with one form for each character. */
export const splitIntoWords = keepRecent((text): readonly string[] => {
  // Most texts are ASCII, which has one form for each character.
  if (isAscii(text)) return text.toLowerCase().match(/[a-z0-9]+(?:'[a-z]+)*/g) ?? [];
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*/gu) ?? []
  );
}, RECENT_TEXTS);

/** Returns the words of a text with a space between them: the same for texts that differ only in case and punctuation. */
export function joinWords(text: string): string {
  return splitIntoWords(text).join(' ');
}

/** Counts the words of a text, split at spaces as Python's `split()` does. */
export function countWords(text: string): number {
  return text.trim() === '' ? 0 : text.trim().split(/\s+/).length;
}

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

const ASCII = /^\p{ASCII}*$/u;

/** Lists the meaningful words of a text as stems: no function words, nor those of any request or preference. */
export const listContentWords = keepRecent(
  (text): readonly string[] =>
    splitIntoWords(text)
      .filter((word) => !STOP_WORDS.has(word))
      .map(stemWord),
  RECENT_TEXTS,
);

/** A list of words, or of their hashes. */
interface WordList<Word> extends ArrayLike<Word> {
  indexOf(word: Word, from?: number): number;
}

/**
 * Returns true when these words stand in a row among the others.
 * @param from index of the first word of the run, if it is a part of a longer list
 */
export function containsRun<Word extends string | number>(
  words: WordList<Word>,
  run: ArrayLike<Word>,
  from = 0,
  length = run.length,
): boolean {
  const first = run[from];
  if (first === undefined || length === 0) return false;
  for (let at = words.indexOf(first); at >= 0; at = words.indexOf(first, at + 1)) {
    let common = 1;
    while (common < length && words[at + common] === run[from + common]) common += 1;
    if (common === length) return true;
  }
  return false;
}

/** Returns true when this many successive words of a list stand in a row among the others. */
export function containsAnyRun(words: readonly string[], list: readonly string[], length: number): boolean {
  for (let from = 0; from + length <= list.length; from += 1) {
    if (containsRun(words, list, from, length)) return true;
  }
  return false;
}

/** Computes the share of two sets' words that both have: 0 for none, 1 for the same set. */
export function computeCommonShare(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  const all = a.size + b.size - common;
  return all === 0 ? 0 : common / all;
}

/** Removes the endings of number, tense and manner. The stem need not be a word, only the same for all forms. */
export const stemWord = keepRecent((word) => {
  const singular = word
    .replace(/'s?$/, '')
    .replace(/(?<=.{3})ies$/, 'y')
    .replace(/(?<=.{2}[^aeious])s$|(?<=.{2}e)s$/, '');
  const bare = singular.replace(/(?<=.{3})(?:ing|ed|ly)$/, '');
  // `stopped`, `stopping` and `stop`; `cited`, `citing` and `cite`.
  return bare.replace(/([b-df-hj-kmnp-rtvz])\1$/, '$1').replace(/(?<=.{2})e$/, '');
}, RECENT_WORDS);

/**
 * English words that say nothing about what is preferred: those that hold sentences together, and those that any request
 * and any preference is put in.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again all also always an and any anything are as at be because been before being but by can cannot could did do does
  doing done each either else etc even every for from get had has have having he her here hers him his how however i i'm i've if in into
  is it its it's itself just let like lot made make makes making may me might more most much must my need needs needed never no nor not
  nothing now of off on once one only onto or other others ought our ours out over own per perhaps rather shall she should since so some
  something such than that the their theirs them then there these they this those through thus to too toward towards under until up upon
  us use used using very via want wants was we were what when where whether which while who whom whose why will with within without would
  yet you your yours
  ai answer answers assistant expect expects give given gives giving help helpful helping ideally kind kindly please prefer
  preferred preferably prefers provide provided provides providing request requests response responses thank thanks`.split(
    /\s+/,
  ),
);
