import {
  computeCommonShare,
  containsAnyRun,
  containsRun,
  joinWords,
  listContentWords,
  splitIntoWords,
} from './words';

/** From this similarity on, two preferences require the same, or one is the other negated. */
const SAME_PREFERENCE = 0.8;

/** This many successive words of a text in common are a quotation. */
const QUOTED_WORDS = 6;

/** Words that negate or introduce a requirement. Without them, a negated preference has the same words as the preference. */
const POLARITY = new Set(
  listContentWords(
    'avoid exclude omit skip refrain leave keep include contain free lack absent except forbid present require',
  ),
);

/** Returns true if two preferences have nearly the same content words, whether or not one negates the other. */
export function isSamePreference(a: string, b: string): boolean {
  const [first, second] = [a, b].map(
    (text) => new Set(listContentWords(text).filter((word) => !POLARITY.has(word))),
  );
  if (first === undefined || second === undefined) return false;
  // Texts that consist only of words such as "only" and "nothing" cannot be compared otherwise.
  if (first.size + second.size === 0) return joinWords(a) === joinWords(b);
  return computeCommonShare(first, second) >= SAME_PREFERENCE;
}

/** Returns true if a text mentions a factor by its name: the name's words in a row, in any case, with or without the article, possessive or not. */
export function hasName(text: string, factor: string): boolean {
  return containsRun(splitIntoWords(text).map(removePossessive), listNameWords(factor).map(removePossessive));
}

/** Removes the ending of a possessive from a word, as in "the clinic's". */
function removePossessive(word: string): string {
  return word.replace(/'s$/, '');
}

/** Lists the words of a factor's name, without an article. */
export function listNameWords(factor: string): readonly string[] {
  const name = splitIntoWords(factor);
  return ARTICLES.has(name[0] ?? '') && name.length > 1 ? name.slice(1) : name;
}

/** Returns true if a text repeats six successive words of the source, or all of its words if it has fewer. */
export function hasQuotation(text: string, source: string): boolean {
  const words = splitIntoWords(text);
  const quotable = splitIntoWords(source);
  const size = Math.min(QUOTED_WORDS, quotable.length);
  return size > 1 && containsAnyRun(words, quotable, size);
}

const ARTICLES: ReadonlySet<string> = new Set(['the', 'a', 'an']);
