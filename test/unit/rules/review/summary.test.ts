import { hasDisagreement, summarizeReview } from '../../../../rules/review/summary';
import type { MatchLabel } from '../../../../schemas/matching/match-label';
import type { Annotation } from '../../../../schemas/review/review';
import { annotate } from './annotation';

const [FULL, PART, NONE] = ['Fully Covered', 'Partially Covered', 'Not Covered'] as const;

const TASKS = ['1/preference-1', '1/preference-2', '1/request-1'].map((task) => ({
  task,
  kind: task.includes('request') ? ('request' as const) : ('preference' as const),
  checklist: ['Is it short?', 'Is it green?'],
}));

const annotateBy = (rater: string, labels: readonly MatchLabel[], changes: Partial<Annotation> = {}) =>
  annotate(labels, { rater, ...changes });

const REVISION = { opening: null, index: 0, old_text: 'Shorter.', new_text: 'Shorter, please.' };

/** Both have labeled the first two tasks; the third rater the second, in which they differ. */
const GIVEN: Record<string, readonly Annotation[]> = {
  '1/preference-1': [annotateBy('anna', [FULL, FULL]), annotateBy('ben', [FULL, FULL])],
  '1/preference-2': [
    annotateBy('anna', [FULL, NONE], { revisions: [REVISION] }),
    annotateBy('ben', [PART, NONE], { rejection: 'Odd.' }),
    annotateBy('carla', [FULL, FULL]),
  ],
  '1/request-1': [annotateBy('anna', [NONE, NONE])],
};

const getLatest = (task: string) => new Map((GIVEN[task] ?? []).map((one) => [one.rater, one]));

test('a summary counts decided tasks, each rater’s labels, and items with the same label of both', () => {
  const rules = { raters: ['anna', 'ben'], third: 'carla', accept: 'third' as const };
  const { agreement, ...counts } = summarizeReview({ rules, tasks: TASKS, getLatest, isQuoted: false });
  expect(counts).toEqual({
    tasks: 3,
    decidedTasks: 2,
    disputedTasks: 0,
    items: { compared: 4, equal: 3 },
    differingTasks: 1,
    isQuoted: false,
    raters: [
      { rater: 'anna', tasks: 3, labels: { [FULL]: 3, [PART]: 0, [NONE]: 3 }, editedTasks: 1, rejections: 0 },
      { rater: 'ben', tasks: 2, labels: { [FULL]: 2, [PART]: 1, [NONE]: 1 }, editedTasks: 0, rejections: 1 },
      {
        rater: 'carla',
        tasks: 1,
        labels: { [FULL]: 2, [PART]: 0, [NONE]: 0 },
        editedTasks: 0,
        rejections: 0,
      },
    ],
  });
  // Five of the eight labels are full, one is in part, and two are none.
  expect(agreement.nominal).toBeCloseTo(1 - 1 / 4 / (1 - (5 * 4 + 2 * 1) / (8 * 7)), 10);
});

test.each<[boolean, string, readonly Annotation[]]>([
  [false, 'one rater', [annotateBy('anna', [FULL])]],
  [false, 'the same labels', [annotateBy('anna', [FULL]), annotateBy('ben', [FULL])]],
  [true, 'other labels, though neither is full', [annotateBy('anna', [PART]), annotateBy('ben', [NONE])]],
  [
    true,
    'one who wants it left out',
    [annotateBy('anna', [FULL]), annotateBy('ben', [FULL], { rejection: 'Odd.' })],
  ],
])('raters disagree: %s, with %s', (expected, _, annotations) => {
  expect(hasDisagreement(annotations)).toBe(expected);
});
