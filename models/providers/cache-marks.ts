import type { CacheHint } from '../model';

/** Where prefixes of a text end that other calls share, in characters; ascending. */
export function listPrefixEnds(
  message: number | 'system',
  text: string,
  cache: CacheHint | undefined,
): readonly number[] {
  const ends = (cache?.ends ?? []).filter((end) => end.message === message);
  return ends.map(({ characters = text.length }) => characters).toSorted((one, other) => one - other);
}

/** Returns a text cut at these places. What follows the last of them is a piece without a mark. */
export function cutText(
  text: string,
  ends: readonly number[],
): { readonly text: string; readonly marked: boolean }[] {
  const starts = [0, ...ends];
  const pieces = starts.map((start, at) => ({
    text: text.slice(start, ends[at]),
    marked: at < ends.length,
  }));
  return pieces.filter((piece) => piece.text !== '');
}
