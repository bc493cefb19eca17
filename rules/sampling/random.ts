import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** A source of random choices that is the same for the same parts, on every machine. */
export interface Random {
  /** Returns a whole number from 0 to n − 1, each equally likely. @throws RangeError unless n is a whole number from 1 to 2³². */
  integer(n: number): number;
  /** Returns one of the items. @throws RangeError when there are none. */
  pick<T>(items: readonly T[]): T;
  /** Returns k of the items, each position at most once, in the order drawn. @throws RangeError when there are fewer than k. */
  sample<T>(items: readonly T[], k: number): T[];
  /** Returns all items in random order; does not change the given list. */
  shuffle<T>(items: readonly T[]): T[];
}

/**
 * Creates the source of random choices for these parts, for example run seed, purpose and persona number. Data depend on nothing else that varies:
 * not on time, nor on the order in which calls end. Parts are distinguished by position and by type: (1, '23'), (12, '3') and ('1', '23') give
 * unrelated choices.
 */
export function createRandom(...parts: readonly (string | number)[]): Random {
  const generator = xoroshiro128plusFromState(hashOf(parts));

  function integer(n: number): number {
    if (!Number.isInteger(n) || n < 1 || n > 2 ** 32) {
      throw new RangeError(
        `A random number below ${n} cannot be drawn: the bound must be a whole number from 1 to 2^32.`,
      );
    }
    return uniformInt(generator, 0, n - 1);
  }

  function sample<T>(items: readonly T[], k: number): T[] {
    if (!Number.isInteger(k) || k < 0 || k > items.length) {
      throw new RangeError(`${k} of ${items.length} items cannot be drawn.`);
    }
    const pool = [...items];
    const drawnItems: T[] = [];
    for (let left = pool.length; drawnItems.length < k; left -= 1) {
      const place = integer(left);
      drawnItems.push(...pool.slice(place, place + 1));
      // The last item moves to the drawn one's position.
      pool.copyWithin(place, left - 1, left);
    }
    return drawnItems;
  }

  function pick<T>(items: readonly T[]): T {
    const place = items.length === 0 ? 0 : integer(items.length);
    for (const item of items.slice(place, place + 1)) return item;
    throw new RangeError('One of no items cannot be picked.');
  }

  return {
    integer,
    pick,
    sample,
    shuffle: (items) => sample(items, items.length),
  };
}

/** Returns the seed for these parts, from 0 to 2³¹ − 1, for providers that accept one. */
export function deriveCallSeed(...parts: readonly (string | number)[]): number {
  return hashOf(parts)[0] >>> 1;
}

/**
 * Hashes the parts to 128 bits: four lanes mix every UTF-16 unit into each other. It is not cryptographic. Any change here changes the data of
 * every run.
 */
function hashOf(parts: readonly (string | number)[]): [number, number, number, number] {
  const text = JSON.stringify(parts);
  // Looked up once, because every look-up of a global is slow in the workflow sandbox.
  const { imul } = Math;
  // The first 32 fractional bits of the golden ratio, π, e and √2.
  let a = 0x9e3779b9 | 0;
  let b = 0x243f6a88 | 0;
  let c = 0xb7e15162 | 0;
  let d = 0x6a09e667 | 0;
  // A few rounds beyond the end spread the last unit over all bits.
  for (let place = 0; place < text.length + 4; place += 1) {
    const unit = place < text.length ? text.charCodeAt(place) : text.length;
    a = imul(a ^ unit, 0x2c1b3c6d);
    b = imul(b + (a ^ (a >>> 15)), 0x297a2d39);
    c = imul(c ^ (b >>> 13) ^ b, 0x1b56c4e9);
    d = imul(d + (c ^ (c >>> 16)), 0x7feb352d);
    a = (a + (d ^ (d >>> 14))) | 0;
  }
  return [a, b, c, d];
}
