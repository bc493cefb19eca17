import { gzipSync } from 'node:zlib';

/**
 * Size of a text over its compressed size: higher where it repeats itself (Shaib et al., 2024). With one decimal, because compressors of other
 * versions and machines differ by a few bytes, and the figure is part of the data's card.
 */
export function computeCompressionRatio(text: string): number {
  const bytes = Buffer.byteLength(text);
  return Math.round((10 * bytes) / gzipSync(text, { level: 9 }).length) / 10;
}
