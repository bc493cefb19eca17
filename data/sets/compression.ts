import { gzipSync } from 'node:zlib';

/**
 * Computes the size of a text over its compressed size, which is higher for repetitive texts (Shaib et al., 2024). Rounded to one decimal,
 * because compressors differ by a few bytes, and the figure is part of the data's card.
 */
export function computeCompressionRatio(text: string): number {
  const bytes = Buffer.byteLength(text);
  return Math.round((10 * bytes) / gzipSync(text, { level: 9 }).length) / 10;
}
