import { assert, integer, property } from 'fast-check';
import { createRandom } from '../../../../rules/sampling/random';
import { NEAR_DUPLICATE_LIKENESS, NearDuplicates } from '../../../../rules/texts/near-duplicates';

/** Returns the findings in these texts, with indices from 0. */
function found(texts: readonly string[]): { place: number; earlierPlace: number; likeness: number }[] {
  const duplicates = new NearDuplicates<number>();
  for (const [index, text] of texts.entries()) duplicates.add(text, index);
  return duplicates.end();
}

const words = (count: number, seed: number, vocabulary = 5_000) => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => `w${random.integer(vocabulary)}`);
};

/** Computes the likeness by its definition, with sets of texts. */
function likenessByHand(one: string, other: string): number {
  const left = shinglesByHand(one);
  const right = shinglesByHand(other);
  const common = [...left].filter((shingle) => right.has(shingle)).length;
  return common / (left.size + right.size - common);
}

function shinglesByHand(text: string): Set<string> {
  const parts = text.split(' ');
  const starts = parts.slice(0, Math.max(1, parts.length - 2));
  return new Set(starts.map((_, at) => parts.slice(at, at + 3).join(' ')));
}

test('a text that is nearly an earlier one is reported once, with that one and how like they are', () => {
  const original = words(100, 1);
  const oneOther = original.with(50, 'another');
  const texts = [words(100, 2), original, words(100, 3), oneOther].map((text) => text.join(' '));
  // In each of the two, three of 98 shingles contain the other word.
  expect(found(texts)).toEqual([{ place: 3, earlierPlace: 1, likeness: 95 / 101 }]);
});

test('the same text with other punctuation and case has likeness 1', () => {
  expect(found(['Please, help me — now!', 'please help me now'])).toEqual([
    { place: 1, earlierPlace: 0, likeness: 1 },
  ]);
  expect(found(['Help!', 'help', 'Run!'])).toEqual([{ place: 1, earlierPlace: 0, likeness: 1 }]);
});

test('texts without words are not like anything', () => {
  expect(found(['', '', '…', '…'])).toEqual([]);
});

test('of several earlier ones the nearest is named, and of equally near ones the first', () => {
  const original = words(60, 1);
  const near = original.with(30, 'x');
  const nearer = near.with(31, 'y');
  const texts = [original, near, nearer, nearer, nearer].map((text) => text.join(' '));
  expect(found(texts).map(({ place, earlierPlace }) => [place, earlierPlace])).toEqual([
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 2],
  ]);
});

test('exactly the pairs from the threshold on are found, as comparing each with each finds them', () => {
  assert(
    property(integer(), integer({ min: 2, max: 30 }), (seed, count) => {
      const random = createRandom(seed);
      const bases = [words(40, seed), words(25, seed + 1), words(4, seed + 2)];
      const texts = Array.from({ length: count }, () => {
        const text = [...random.pick(bases)];
        for (let edits = random.integer(4); edits > 0; edits -= 1) {
          text[random.integer(text.length)] = `e${random.integer(3)}`;
        }
        return text.join(' ');
      });
      const expected = texts.flatMap((text, one) => {
        const nearest = Math.max(0, ...texts.slice(0, one).map((other) => likenessByHand(text, other)));
        return nearest >= NEAR_DUPLICATE_LIKENESS ? [[one, nearest]] : [];
      });
      expect(found(texts).map(({ place, likeness }) => [place, likeness])).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test('in thousands of texts with much in common, and in copies of one, each near-duplicate is found', () => {
  const frame = words(30, 1);
  const texts = Array.from({ length: 3_000 }, (_, index) => [...frame, ...words(40, index + 2)].join(' '));
  const copies = texts.slice(0, 100).map((text) => `${text} indeed`);
  expect(found([...texts, ...copies]).map(({ place, earlierPlace }) => [place, earlierPlace])).toEqual(
    copies.map((_, index) => [3_000 + index, index]),
  );
  const same = Array.from({ length: 3_000 }, (_, index) => [...words(60, 1), `end${index}`].join(' '));
  expect(found(same).map(({ place, earlierPlace }) => [place, earlierPlace])).toEqual(
    same.slice(1).map((_, index) => [index + 1, 0]),
  );
});
