import { describeAgreement } from '../../../../runs/tables/review';
import { summarizeReview } from '../../../../rules/review/summary';
import { annotate } from '../../rules/review/annotation';

const TASK = { task: '1/preference-1', kind: 'preference' as const, checklist: ['Is it short?'] };
const BOTH = ['anna', 'ben'].map((rater) => annotate(['Fully Covered'], { rater }));

const getLatest = () => new Map(BOTH.map((one) => [one.rater, one]));

test.each([
  ['without quotations', false, ''],
  [
    'with quotations',
    true,
    ' These are the saved labels: raters saw what a model quoted once they had labeled all items of a task, and could then change them.',
  ],
])('the agreement says what raters saw: %s', (_, isQuoted, saying) => {
  const rules = { raters: ['anna', 'ben'], third: null, accept: 'all' as const };
  expect(describeAgreement(summarizeReview({ rules, tasks: [TASK], getLatest, isQuoted }))).toBe(
    `Agreement of anna and ben: Krippendorff's alpha (ordinal) not defined; the same label for 1 of 1 item.${saying}`,
  );
});
