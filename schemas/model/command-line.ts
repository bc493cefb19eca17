/**
 * Splits a command line into words at spaces outside of quotes. As in a shell, a quote may begin within a word, and is no part of it; nothing else
 * has a meaning. Returns undefined if a quote is not closed.
 */
export function splitCommandLine(line: string): string[] | undefined {
  const words = [...line.matchAll(WORD)].map(([word]) => word);
  const hasOpenQuote = words.some((word) => /["']/.test(word.replaceAll(QUOTED, '')));
  return hasOpenQuote ? undefined : words.map((word) => word.replaceAll(QUOTED, '$1$2'));
}

const QUOTED = /"([^"]*)"|'([^']*)'/g;

/** Characters and quoted parts; a quote that is not closed is a character. */
const WORD = /(?:"[^"]*"|'[^']*'|\S)+/g;
