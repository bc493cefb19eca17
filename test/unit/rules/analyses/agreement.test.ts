import * as fc from 'fast-check';
import { computeKrippendorffAlpha, findMajority } from '../../../../rules/analyses/agreement';

/** Converts a printed table to units × raters: a line for each rater, `.` for no rating. */
function printed(...lines: string[]): (number | undefined)[][] {
  const raters = lines.map((line) => line.trim().split(/\s+/));
  return (raters[0] ?? []).map((_, unit) =>
    raters.map((ratings) => (ratings[unit] === '.' ? undefined : Number(ratings[unit]))),
  );
}

// Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example D.
const FOUR_OBSERVERS = printed(
  '1 2 3 3 2 1 4 1 2 . . .',
  '1 2 3 3 2 2 4 1 2 5 . 3',
  '. 3 3 3 2 3 4 2 2 5 1 .',
  '1 2 3 3 2 4 4 1 2 5 1 .',
);
// The same, examples B (binary) and C (letters a to e as 1 to 5).
const BINARY = printed('0 1 0 0 0 0 0 0 1 0', '1 1 1 0 0 1 0 0 0 0');
const LETTERS = printed('1 1 2 2 4 3 3 3 5 4 4 1', '2 1 2 2 2 3 3 3 5 4 4 4');
// The example of Wikipedia's article on the coefficient.
const THREE_CODERS = printed(
  '. . . . . 3 4 1 2 1 1 3 3 . 3',
  '1 . 2 1 3 3 4 3 . . . . . . .',
  '. . 2 1 3 4 4 . 2 1 1 3 3 . 4',
);
// Hayes and Krippendorff, "Answering the Call for a Standard Reliability Measure for Coding Data" (2007), table 1.
const NEWS = printed(
  '1 1 2 . 0 0 1 1 2 2 . 0 1 3 1 1 2 1 1 0 0 0 2 0 1 0 0 1 1 1 1 2 2 3 2 2 2 2 2 1',
  '1 1 3 0 0 0 0 . 2 1 1 0 2 3 1 1 1 2 1 0 0 0 3 0 2 1 0 2 1 1 1 1 2 2 2 2 2 2 2 1',
  '2 0 3 0 0 0 2 2 2 1 0 0 2 2 1 1 2 3 0 0 1 . 3 0 . 1 0 1 2 2 0 2 . 2 2 3 2 . 2 1',
  '. 1 3 . . . . 0 . 1 0 0 2 2 . . . 3 1 . 1 0 3 0 2 1 1 2 2 . . 1 2 2 . . . 1 2 .',
  '2 . . 0 0 0 1 . 2 . . . . 3 1 1 2 . . 0 . 0 . . 2 . 0 . . 2 0 . 2 . 2 2 2 2 . 1',
);

test.each([
  ['four observers, nominal', FOUR_OBSERVERS, 'nominal', 0.743],
  ['four observers, ordinal', FOUR_OBSERVERS, 'ordinal', 0.815],
  ['four observers, interval', FOUR_OBSERVERS, 'interval', 0.849],
  ['two observers, binary', BINARY, 'nominal', 0.095],
  ['two observers, letters', LETTERS, 'nominal', 0.692],
  ['three coders, nominal', THREE_CODERS, 'nominal', 0.691],
  ['three coders, interval', THREE_CODERS, 'interval', 0.811],
  ['news, ordinal', NEWS, 'ordinal', 0.76],
  ['news, nominal', NEWS, 'nominal', 0.477],
  ['news, interval', NEWS, 'interval', 0.757],
] as const)('alpha is as published: %s', (_, units, level, published) => {
  expect(Number(computeKrippendorffAlpha(units, level)?.toFixed(3))).toBe(published);
});

// Values by PyPI's krippendorff 0.9.0.
test.each([
  ['nominal', 0.743421052631579, 0.47650956741865835],
  ['ordinal', 0.8153875037548814, 0.7598291891514336],
  ['interval', 0.8491071428571428, 0.757378277153558],
] as const)('alpha is as another program computes it: %s', (level, four, news) => {
  expect(computeKrippendorffAlpha(FOUR_OBSERVERS, level)).toBeCloseTo(four, 12);
  expect(computeKrippendorffAlpha(NEWS, level)).toBeCloseTo(news, 12);
});

test('alpha of a small example by hand', () => {
  // Two units, rated 0 0 and 0 1: one of two pairs differs, and of the ordered pairs of 0 0 0 1, 6 of 12 do.
  expect(
    computeKrippendorffAlpha(
      [
        [0, 0],
        [0, 1],
      ],
      'nominal',
    ),
  ).toBe(1 - 0.5 / 0.5);
  // 0 1 and 1 0: all pairs differ; of the ordered pairs of 0 0 1 1, 8 of 12 do.
  expect(
    computeKrippendorffAlpha(
      [
        [0, 1],
        [1, 0],
      ],
      'nominal',
    ),
  ).toBeCloseTo(1 - 1 / (2 / 3), 15);
});

test('alpha is null, never NaN, where chance could not have given anything else', () => {
  for (const level of ['nominal', 'ordinal', 'interval'] as const) {
    expect(computeKrippendorffAlpha([], level)).toBeNull();
    expect(computeKrippendorffAlpha([[], [undefined]], level)).toBeNull();
    expect(computeKrippendorffAlpha([[1], [2], [3, undefined]], level)).toBeNull();
    expect(
      computeKrippendorffAlpha(
        [
          [2, 2],
          [2, 2],
        ],
        level,
      ),
    ).toBeNull();
    expect(computeKrippendorffAlpha([[2, 2], [3]], level)).toBeNull();
    expect(computeKrippendorffAlpha([[1, 2]], level)).toBe(0);
  }
});

const levels = fc.constantFrom('nominal', 'ordinal', 'interval');
const ratings = fc.array(
  fc.array(fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }), { maxLength: 5 }),
  { maxLength: 12 },
);

test('alpha depends neither on the order of units nor on that of raters, nor on units rated once', () => {
  fc.assert(
    fc.property(ratings, levels, fc.integer({ min: 0, max: 4 }), (units, level, single) => {
      const alpha = computeKrippendorffAlpha(units, level);
      const turned = units.toReversed().map((unit) => unit.toReversed());
      const other = computeKrippendorffAlpha([...turned, [single, undefined]], level);
      if (alpha === null) expect(other).toBeNull();
      else {
        expect(alpha).toBeLessThanOrEqual(1);
        expect(other).toBeCloseTo(alpha, 10);
      }
    }),
  );
});

const renamed = (units: readonly (readonly (number | undefined)[])[], names: readonly number[]) =>
  units.map((unit) => unit.map((rating) => (rating === undefined ? undefined : names[rating])));

test('of ordinal data only the order of the values matters, of nominal ones not even that', () => {
  const stretched = [0, 1, 10, 100, 1000];
  const mixed = [3, 0, 4, 1, 2];
  fc.assert(
    fc.property(ratings, (units) => {
      expect(computeKrippendorffAlpha(renamed(units, stretched), 'ordinal')).toBe(
        computeKrippendorffAlpha(units, 'ordinal'),
      );
      const alpha = computeKrippendorffAlpha(units, 'nominal');
      const other = computeKrippendorffAlpha(renamed(units, mixed), 'nominal');
      if (alpha === null) expect(other).toBeNull();
      else expect(other).toBeCloseTo(alpha, 10);
    }),
  );
});

test('of two values all levels are the same', () => {
  const twoValues = fc.array(fc.array(fc.constantFrom(0, 1, undefined), { maxLength: 4 }), { maxLength: 10 });
  fc.assert(
    fc.property(twoValues, (units) => {
      const [nominal, ...others] = (['nominal', 'ordinal', 'interval'] as const).map((level) =>
        computeKrippendorffAlpha(units, level),
      );
      for (const other of others) {
        if (nominal === null || nominal === undefined) expect(other).toBeNull();
        else expect(other).toBeCloseTo(nominal, 10);
      }
    }),
  );
});

test('a majority of three is what two of them say', () => {
  expect(findMajority(['a', 'b', 'a'])).toBe('a');
  expect(findMajority(['b', 'a', 'a'])).toBe('a');
  expect(findMajority(['a', 'a', 'a'])).toBe('a');
  expect(findMajority(['a', 'b', 'c'])).toBeUndefined();
  expect(findMajority(['a', 'b'])).toBeUndefined();
  expect(findMajority(['a', 'a', 'b', 'b', 'c'])).toBeUndefined();
  expect(findMajority([])).toBeUndefined();
});
