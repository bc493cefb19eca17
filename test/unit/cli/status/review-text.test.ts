import { renderReviewStatus } from '../../../../cli/status/review-text';
import type { ReviewStatus } from '../../../../runs/review/status';

const STATUS: ReviewStatus = {
  kind: 'review',
  id: 'cupid-review-1a2b3c4d',
  data: 'my out',
  tasks: 8,
  decidedTasks: 5,
  disputedTasks: 1,
  raters: [
    { rater: 'anna', tasks: 6 },
    { rater: 'ben', tasks: 7 },
  ],
  server: null,
  acceptedFile: null,
};
const CONTINUE = `Its page is not served. Continue: cupid review 'my out' --results-dir 'my out/review'`;

test('the status of a review says how far it is, who serves it or how to continue it, and where its instances are', () => {
  const renderEnd = (changes: Partial<ReviewStatus>) =>
    renderReviewStatus({ ...STATUS, ...changes }, 'my out/review').slice(2);
  expect(renderReviewStatus(STATUS, 'my out/review')).toEqual([
    'Review cupid-review-1a2b3c4d of my out: 5 of 8 tasks decided, 1 for the third rater',
    'Done: anna 6, ben 7',
    CONTINUE,
  ]);
  const server = { pid: 12, host: 'lab', since: '2026-11-28T09:00:00.000Z' };
  expect(renderEnd({ server })).toEqual([
    'Process 12 on lab has served its page since 2026-11-28T09:00:00.000Z.',
  ]);
  const acceptedFile = 'CUPID/test.parquet';
  const written = 'Accepted instances: my out/review/CUPID/test.parquet';
  expect(renderEnd({ decidedTasks: 8, acceptedFile })).toEqual([written]);
  // Killed before the data set was written, and ended early.
  expect(renderEnd({ decidedTasks: 8 })).toEqual([CONTINUE]);
  expect(renderEnd({ acceptedFile })).toEqual([CONTINUE, written]);
});
