import type { SampledFigure } from '../../schemas/dataset/data-figures';
import { splitIntoWords } from '../texts/words';

/** Both measures fall with the length of the text, so they are computed on blocks of one size. So data sets of any size can be compared. */
const BLOCK = 200;
const MAX_BLOCKS = 10;

/** A sample of messages: those with the smallest hashes of their places, so that it does not depend on their order. */
export class MessageSample {
  #drawn: { readonly hash: number; readonly text: string }[] = [];

  /** @param hash hash of the message's place: messages with the same text count as often as they occur */
  add(text: string, hash: number): void {
    this.#drawn.push({ hash, text });
    if (this.#drawn.length >= 2 * BLOCK * MAX_BLOCKS) this.#trim();
  }

  /** Returns undefined if there is less than a block. */
  end(
    computeCompressionRatio: (text: string) => number,
  ): { readonly distinct2: SampledFigure; readonly compressionRatio: SampledFigure } | undefined {
    this.#trim();
    const texts = this.#drawn.map(({ text }) => text);
    const blocks = Array.from({ length: Math.floor(texts.length / BLOCK) }, (_, at) =>
      texts.slice(at * BLOCK, (at + 1) * BLOCK),
    );
    if (blocks.length === 0) return undefined;
    return {
      distinct2: summarizeBlocks(blocks.map(computeDistinct2)),
      compressionRatio: summarizeBlocks(blocks.map((block) => computeCompressionRatio(block.join('\n')))),
    };
  }

  #trim(): void {
    this.#drawn = this.#drawn
      .toSorted((a, b) => a.hash - b.hash || (a.text < b.text ? -1 : 1))
      .slice(0, BLOCK * MAX_BLOCKS);
  }
}

/** Returns the share of different pairs of successive words among all such pairs (Li et al., 2016). */
function computeDistinct2(texts: readonly string[]): number {
  const pairs = texts.flatMap((text) => {
    const words = splitIntoWords(text);
    return words.slice(1).map((word, at) => `${words[at]} ${word}`);
  });
  return pairs.length === 0 ? 0 : new Set(pairs).size / pairs.length;
}

function summarizeBlocks(values: readonly number[]): SampledFigure {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const t = T_95[n - 2];
  if (t === undefined) return { mean, blocks: n };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = t * Math.sqrt(variance / n);
  return { mean, interval: { low: mean - half, high: mean + half }, blocks: n };
}

/** Student's t for 95 %, by degrees of freedom from 1. */
const T_95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];
