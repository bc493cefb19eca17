import { hashText } from './text-hash';
import { splitIntoWords } from './words';

/** From this likeness on, two texts are near-duplicates. */
export const NEAR_DUPLICATE_LIKENESS = 0.8;

/** The places of a text and of the earlier text that it is most like, and the share of the shingles of both in common. */
interface NearDuplicate<Place> {
  readonly place: Place;
  readonly earlierPlace: Place;
  /** From `NEAR_DUPLICATE_LIKENESS` to 1. */
  readonly likeness: number;
}

/**
 * Finder of nearly equal texts, by the Jaccard similarity of their shingles, runs of three words. Each is reported once, with the nearest
 * earlier one.
 *
 * Two sets that share eight tenths of their union share one of the rarest fifth of their members (the prefix filter of similarity joins).
 * Only these are looked up, so words that all texts share cost nothing. In a family of similar texts, a text is compared only with the
 * first `FAMILY` ones. Thus copies of one text are also read in linear time.
 */
export class NearDuplicates<Place> {
  private readonly places: Place[] = [];
  /** By text, its different shingles as hashes, in ascending order: 4 bytes a word, the texts themselves are not kept. */
  private readonly shingles: Uint32Array[] = [];

  add(text: string, place: Place): void {
    const shingles = computeShingles(text);
    if (shingles.length === 0) return;
    this.places.push(place);
    this.shingles.push(shingles);
  }

  end(): NearDuplicate<Place>[] {
    const candidates = createCandidateSearch(this.shingles);
    return this.shingles.flatMap((_, text) => {
      const nearest = this.nearest(text, candidates);
      const place = this.places[text];
      const earlierPlace = nearest === undefined ? undefined : this.places[nearest.text];
      return nearest === undefined || place === undefined || earlierPlace === undefined
        ? []
        : [{ place, earlierPlace, likeness: nearest.likeness }];
    });
  }

  private nearest(
    text: number,
    candidates: (text: number) => Iterable<number>,
  ): { text: number; likeness: number } | undefined {
    const textShingles = this.shingles[text];
    let nearest: { text: number; likeness: number } | undefined;
    for (const earlier of candidates(text)) {
      const earlierShingles = this.shingles[earlier];
      if (textShingles === undefined || earlierShingles === undefined) continue;
      const likeness = computeShingleLikeness(textShingles, earlierShingles);
      if (likeness < NEAR_DUPLICATE_LIKENESS || likeness < (nearest?.likeness ?? 0)) continue;
      // Among equals, the first one is reported.
      if (likeness === nearest?.likeness && earlier > nearest.text) continue;
      nearest = { text: earlier, likeness };
    }
    return nearest;
  }
}

/** Returns, for each text, the index of the first earlier one that is at least this similar, or undefined. */
export function findEarlierDuplicates(texts: readonly string[], likeness: number): (number | undefined)[] {
  const shingles = texts.map(computeShingles);
  return shingles.map((textShingles, text) => {
    const first = shingles.slice(0, text).findIndex(
      (earlier) =>
        // Texts without words are the same.
        textShingles.length + earlier.length === 0 ||
        computeShingleLikeness(earlier, textShingles) >= likeness,
    );
    return first < 0 ? undefined : first;
  });
}

const SHINGLE = 3;

/** Largest number of texts with a common rare shingle that a text is compared with. */
const FAMILY = 64;

/** Computes the shingles of a text. One of fewer words is a single shingle. */
export function computeShingles(text: string): Uint32Array {
  const words = Uint32Array.from(splitIntoWords(text), (word) => hashText(word));
  if (words.length === 0) return words;
  const shingles = new Uint32Array(Math.max(1, words.length - SHINGLE + 1));
  for (let first = 0; first < shingles.length; first += 1) {
    let hash = 0;
    for (let at = first; at < Math.min(first + SHINGLE, words.length); at += 1) {
      hash = Math.imul(hash ^ (words[at] ?? 0), 0x2c1b3c6d);
      hash ^= hash >>> 15;
    }
    shingles[first] = hash;
  }
  return shingles.toSorted().filter((shingle, at, sorted) => at === 0 || shingle !== sorted[at - 1]);
}

/** Returns a search for the earlier texts that share one of a text's rarest shingles, each once. */
function createCandidateSearch(texts: readonly Uint32Array[]): (text: number) => Iterable<number> {
  const prefixes = listPrefixes(texts);
  const families = new Map<number, number[]>();
  return (text) => {
    const candidates = new Set<number>();
    for (const shingle of prefixes[text] ?? []) {
      const family = families.get(shingle) ?? [];
      for (const earlier of family) candidates.add(earlier);
      // Texts are asked for in order, so that a family holds earlier ones only.
      if (family.length < FAMILY) family.push(text);
      families.set(shingle, family);
    }
    return candidates;
  };
}

/** Lists the rarest shingles of each text, of which a near-duplicate must share one. Those that no other text has are left out. */
function listPrefixes(texts: readonly Uint32Array[]): number[][] {
  const frequency = countFrequencies(texts);
  return texts.map((shingles) => {
    const prefix = shingles.length - Math.ceil(NEAR_DUPLICATE_LIKENESS * shingles.length) + 1;
    // Frequency above, shingle below: a number holds both exactly, and numbers are quickly sorted.
    const shared = Float64Array.from(shingles, (shingle) => frequency(shingle) * 2 ** 32 + shingle).filter(
      (key) => key >= 2 * 2 ** 32,
    );
    const alone = shingles.length - shared.length;
    return Array.from(shared.toSorted().subarray(0, Math.max(0, prefix - alone)), (key) => key % 2 ** 32);
  });
}

function countFrequencies(texts: readonly Uint32Array[]): (shingle: number) => number {
  const all = new Uint32Array(texts.reduce((length, shingles) => length + shingles.length, 0));
  let end = 0;
  for (const shingles of texts) {
    all.set(shingles, end);
    end += shingles.length;
  }
  all.sort();
  return (shingle) => findFirstAtLeast(all, shingle + 1) - findFirstAtLeast(all, shingle);
}

function findFirstAtLeast(sorted: Uint32Array, value: number): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Computes the Jaccard similarity of two ascending lists. */
export function computeShingleLikeness(a: Uint32Array, b: Uint32Array): number {
  let common = 0;
  let atA = 0;
  let atB = 0;
  while (atA < a.length && atB < b.length) {
    const left = a[atA] ?? 0;
    const right = b[atB] ?? 0;
    if (left === right) common += 1;
    if (left <= right) atA += 1;
    if (right <= left) atB += 1;
  }
  return common / (a.length + b.length - common);
}
