import type { CacheHint } from '../model';

/**
 * Cuts a text at the ends of its shared prefixes. The text after the last one is a piece without a mark. Returns no pieces if no prefix ends in
 * the text.
 */
export function cutAtPrefixEnds(
  message: number | 'system',
  text: string,
  cache: CacheHint | undefined,
): { readonly text: string; readonly marked: boolean }[] {
  const ends = (cache?.ends ?? [])
    .filter((end) => end.message === message)
    .map(({ characters = text.length }) => characters)
    .toSorted((a, b) => a - b);
  if (ends.length === 0) return [];
  const pieces = [0, ...ends].map((start, at) => ({
    text: text.slice(start, ends[at]),
    marked: at < ends.length,
  }));
  return pieces.filter((piece) => piece.text !== '');
}
