import { hasDisagreement, summarizeReview } from '../../../../rules/review/summary';
import type { MatchLabel } from '../../../../schemas/evaluation/evaluation';
import type { Annotation } from '../../../../schemas/review/review';

const [FULL, PART, NONE] = ['Fully Covered', 'Partially Covered', 'Not Covered'] as const;

const TASKS = ['1/preference-1', '1/preference-2', '1/request-1'].map((task) => ({
  task,
  kind: task.includes('request') ? ('request' as const) : ('preference' as const),
  checklist: ['Is it short?', 'Is it green?'],
}));

function annotate(
  rater: string,
  labels: readonly MatchLabel[],
  changes: Partial<Annotation> = {},
): Annotation {
  return {
    task: '',
    rater,
    preference: '',
    checklist: [],
    labels: labels.map((label) => [label]),
    realism: 4,
    implicitness: 4,
    revisions: [],
    rejection: null,
    annotated_at: '2026-11-23T12:00:00.000Z',
    source: 'page',
    ...changes,
  };
}

const REVISION = { opening: null, at: 0, before: 'Shorter.', after: 'Shorter, please.' };

/** Both have labelled the first two tasks; the third rater the second, in which they differ. */
const GIVEN: Record<string, readonly Annotation[]> = {
  '1/preference-1': [annotate('anna', [FULL, FULL]), annotate('ben', [FULL, FULL])],
  '1/preference-2': [
    annotate('anna', [FULL, NONE], { revisions: [REVISION] }),
    annotate('ben', [PART, NONE], { rejection: 'Odd.' }),
    annotate('carla', [FULL, FULL]),
  ],
  '1/request-1': [annotate('anna', [NONE, NONE])],
};

const getLatest = (task: string) => new Map((GIVEN[task] ?? []).map((one) => [one.rater, one]));

test('a summary counts decided tasks, each rater’s labels, and items with the same label of both', () => {
  const rules = { raters: ['anna', 'ben'], third: 'carla', accept: 'third' as const };
  const { agreement, ...counts } = summarizeReview({ rules, tasks: TASKS, getLatest });
  expect(counts).toEqual({
    tasks: 3,
    decided: 2,
    disputed: 0,
    items: { compared: 4, equal: 3 },
    raters: [
      { rater: 'anna', tasks: 3, labels: { [FULL]: 3, [PART]: 0, [NONE]: 3 }, edited: 1, leftOut: 0 },
      { rater: 'ben', tasks: 2, labels: { [FULL]: 2, [PART]: 1, [NONE]: 1 }, edited: 0, leftOut: 1 },
      { rater: 'carla', tasks: 1, labels: { [FULL]: 2, [PART]: 0, [NONE]: 0 }, edited: 0, leftOut: 0 },
    ],
  });
  // Five of the eight labels are full, one is in part, and two are none.
  expect(agreement.nominal).toBeCloseTo(1 - 1 / 4 / (1 - (5 * 4 + 2 * 1) / (8 * 7)), 10);
});

test.each<[boolean, string, readonly Annotation[]]>([
  [false, 'one rater', [annotate('anna', [FULL])]],
  [false, 'the same labels', [annotate('anna', [FULL]), annotate('ben', [FULL])]],
  [true, 'other labels, though neither is full', [annotate('anna', [PART]), annotate('ben', [NONE])]],
  [
    true,
    'one who wants it left out',
    [annotate('anna', [FULL]), annotate('ben', [FULL], { rejection: 'Odd.' })],
  ],
])('raters disagree: %s, with %s', (expected, _, annotations) => {
  expect(hasDisagreement(annotations)).toBe(expected);
});
