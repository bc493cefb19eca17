import type { CacheHint } from '../model';

/** Returns the ends of a text's shared prefixes, in characters, ascending. */
export function listPrefixEnds(
  message: number | 'system',
  text: string,
  cache: CacheHint | undefined,
): readonly number[] {
  const ends = (cache?.ends ?? []).filter((end) => end.message === message);
  return ends.map(({ characters = text.length }) => characters).toSorted((one, other) => one - other);
}

/** Cuts a text at these positions. The text after the last one is a piece without a mark. */
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
