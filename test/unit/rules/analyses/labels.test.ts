import { compareWithLabels } from '../../../../rules/analyses/labels';
import type { MatchLabel } from '../../../../schemas/matching/match-label';
import { type LabelledPair, labelledPairSchema } from '../../../../schemas/matching/labelled-pair';

const LETTERS: Record<string, MatchLabel> = { F: 'Fully Covered', P: 'Partially Covered', N: 'Not Covered' };
const labelsOf = (letters: string) => letters.split('').flatMap((letter) => LETTERS[letter] ?? []);

/** Builds a pair from its raters' labels, a word for each entry and a letter for each rater. */
function pair(...entries: string[]): LabelledPair {
  return {
    preference: 'Answers are terse.',
    checklist: entries.map((_, place) => `Is entry ${place + 1} met?`),
    labels: entries.map(labelsOf),
  };
}

const PAIRS = [pair('FFF', 'FPN', 'NNP'), pair('PNF'), pair('PPF', 'NNN')];

test('matchers are held against the majority of the raters; what has none is dropped', () => {
  const analysis = compareWithLabels(PAIRS, [
    {
      evaluator: 'simulated:good',
      evaluator_form: 'evaluator',
      labels: [labelsOf('FFN'), labelsOf('F'), labelsOf('PN')],
    },
    {
      evaluator: 'simulated:poor',
      evaluator_form: 'prefmatcher',
      labels: [labelsOf('FFF'), labelsOf('F'), null],
    },
  ]);
  expect(analysis).toMatchObject({ n_pairs: 3, n_entries: 6, n_pairs_dropped: 1, n_entries_dropped: 2 });
  expect(analysis.matchers).toEqual([
    {
      evaluator: 'simulated:good',
      evaluator_form: 'evaluator',
      n_entries: 4,
      n_entries_missing: 0,
      alpha: { nominal: 1, ordinal: 1 },
    },
    {
      evaluator: 'simulated:poor',
      evaluator_form: 'prefmatcher',
      n_entries: 2,
      n_entries_missing: 2,
      // FF and NF: one of two entries differs; of the ordered pairs of F F F N, 6 of 12 do.
      alpha: { nominal: 0, ordinal: 0 },
    },
  ]);
});

test('agreement among the raters is over all entries, those without a majority too', () => {
  // Three entries FFF FPN NNN: 6 of the ordered pairs within FPN differ, each counting 1/2, over 9 ratings. There are 72 ordered pairs of 4
  // F, 1 P, 4 N; 2 · (4 + 4 + 16) = 48 of them differ.
  const { raters } = compareWithLabels([pair('FFF', 'FPN', 'NNN')], []);
  expect(raters.alpha.nominal).toBeCloseTo(1 - 3 / 9 / (48 / 72), 12);
  // Mid-ranks F 2, P 4.5, N 7: squared distances 6.25, 6.25, 25.
  expect(raters.alpha.ordinal).toBeCloseTo(
    1 - (2 * 37.5) / 2 / 9 / ((2 * (4 * 6.25 + 4 * 6.25 + 16 * 25)) / 72),
    12,
  );
});

test('no pairs, or none with a majority, give nulls', () => {
  const matcher = { evaluator: 'simulated:m', evaluator_form: 'evaluator' } as const;
  expect(compareWithLabels([], [{ ...matcher, labels: [] }])).toEqual({
    n_pairs: 0,
    n_entries: 0,
    n_pairs_dropped: 0,
    n_entries_dropped: 0,
    raters: { alpha: { nominal: null, ordinal: null } },
    matchers: [{ ...matcher, n_entries: 0, n_entries_missing: 0, alpha: { nominal: null, ordinal: null } }],
  });
  const split = compareWithLabels([pair('FPN')], [{ ...matcher, labels: [labelsOf('F')] }]);
  expect(split).toMatchObject({ n_pairs_dropped: 1, n_entries_dropped: 1 });
  expect(split.matchers[0]).toMatchObject({ n_entries: 0, alpha: { nominal: null } });
});

test("a matcher's labels that do not fit the pairs are an error that names both", () => {
  const matcher = { evaluator: 'simulated:m', evaluator_form: 'evaluator' } as const;
  expect(() => compareWithLabels(PAIRS, [{ ...matcher, labels: [null] }])).toThrow(
    'simulated:m has labels for 1 pairs, where there are 3.',
  );
  const labels = [labelsOf('FFN'), labelsOf('FF'), null];
  expect(() => compareWithLabels(PAIRS, [{ ...matcher, labels }])).toThrow(
    'simulated:m has 2 labels for pair 2, whose checklist has 1 entries.',
  );
});

test('a line of a file of labels is checked: its labels known, and a list of them for each entry', () => {
  const [line] = PAIRS;
  expect(labelledPairSchema.parse(line)).toEqual(line);
  const problem = (given: object) => labelledPairSchema.safeParse({ ...line, ...given }).error?.issues[0];
  expect(problem({ labels: [labelsOf('FFF')] })).toMatchObject({
    path: ['labels'],
    message: "expected one list of all raters' labels for each checklist entry, found 1 list for 3 entries",
  });
  expect(problem({ labels: [['fully covered'], ['Not Covered'], []] })?.path).toEqual(['labels', 0, 0]);
  expect(problem({ labels: [labelsOf('FFF'), [], labelsOf('N')] })?.path).toEqual(['labels', 1]);
  expect(problem({ checklist: [] })?.path).toEqual(['checklist']);
});
