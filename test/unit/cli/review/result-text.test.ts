import { renderNext, renderUndecided } from '../../../../cli/review/result-text';

const IN_RUN = { data: 'my out', path: 'my out/review', simulated: false };
const ELSEWHERE = { data: 'data.jsonl', path: 'reviewed', simulated: true };
const RESULT = { accepted: 3, rejected: 1, open: 0, unreviewable: 0, revised: 0 };

const READ = `Next, read where the raters differ: cupid explore 'my out'`;
const PUBLISH = `publish the accepted instances: cupid publish 'my out/review/CUPID' --repo OWNER/NAME --dry-run`;

test.each([
  ['raters differ, and instances are accepted', 2, 3, [READ, `Then ${PUBLISH}`]],
  ['full agreement', 0, 3, [`Next, ${PUBLISH}`]],
  ['nothing accepted', 2, 0, [READ]],
  ['full agreement that nothing is acceptable', 0, 0, []],
])('the next commands fit the result: %s', (_, differingTasks, accepted, lines) => {
  expect(renderNext(IN_RUN, { differingTasks }, { accepted })).toEqual(lines);
});

test('the next commands name a review outside its run', () => {
  expect(renderNext(ELSEWHERE, { differingTasks: 1 }, { accepted: 1 })).toEqual([
    'Next, read where the raters differ: cupid explore data.jsonl reviewed',
    'Then publish the accepted instances: cupid publish reviewed/CUPID --repo OWNER/NAME --allow-simulated --dry-run',
  ]);
});

test('a review that is ended early says how many instances are decided and how many are not', () => {
  expect(renderUndecided(IN_RUN, RESULT)).toEqual([]);
  expect(renderUndecided(IN_RUN, { ...RESULT, open: 5 })).toEqual([
    `4 of 9 instances are decided. 5 are undecided and left out, because raters have not done all the tasks that they depend on. Continue the review: cupid review 'my out'`,
  ]);
  expect(renderUndecided(ELSEWHERE, { ...RESULT, rejected: 0, accepted: 1, open: 1 })).toEqual([
    '1 of 2 instances is decided. 1 is undecided and left out, because raters have not done all the tasks that it depends on. Continue the review: cupid review data.jsonl --results-dir reviewed',
  ]);
});
