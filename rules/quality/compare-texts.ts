import { computeCommonShare, containsRun, listContentWords, splitIntoWords } from '../validation/words';

/** From this likeness on, two preferences require the same, or one is the other with a "not" in it. */
const SAME_PREFERENCE = 0.8;

/** So many of a text's words in a row are a quotation. */
const QUOTED_WORDS = 6;

/** Words that turn a requirement around, or introduce it: without them, a negated preference has the words of the preference. */
const POLARITY = new Set(
  listContentWords(
    'avoid exclude omit skip refrain leave keep include contain free lack absent except forbid present require',
  ),
);

/** Returns true where two preferences have nearly the same content words, whether or not one of them negates the other. */
export function isSamePreference(one: string, other: string): boolean {
  const [first, second] = [one, other].map(
    (text) => new Set(listContentWords(text).filter((word) => !POLARITY.has(word))),
  );
  if (first === undefined || second === undefined) return false;
  // Of words such as "only" and "nothing" alone, there is no other way to compare them.
  if (first.size + second.size === 0)
    return splitIntoWords(one).join(' ') === splitIntoWords(other).join(' ');
  return computeCommonShare(first, second) >= SAME_PREFERENCE;
}

/** Returns true where a text mentions a factor by its name: the name's words in a row, whatever their case, with or without its article. */
export function hasName(text: string, factor: string): boolean {
  const name = splitIntoWords(factor);
  const words = splitIntoWords(text);
  return containsRun(words, ARTICLES.has(name[0] ?? '') && name.length > 1 ? name.slice(1) : name);
}

/** Returns true where a text repeats six words of another one in a row, or all of its words where it has fewer. */
export function hasQuotation(text: string, source: string): boolean {
  const words = splitIntoWords(text);
  const quotable = splitIntoWords(source);
  const size = Math.min(QUOTED_WORDS, quotable.length);
  return (
    size > 1 &&
    quotable
      .slice(0, quotable.length - size + 1)
      .some((_, at) => containsRun(words, quotable.slice(at, at + size)))
  );
}

const ARTICLES: ReadonlySet<string> = new Set(['the', 'a', 'an']);
