import { listReviewProblems, listReviewTasks, orderTasks } from '../../../../rules/review/tasks';
import { buildPersona, CHANGED, CONTRAST, ORIGINAL, REQUEST } from '../verification/persona';

const persona = buildPersona().map((instance) => ({ instance }));
const TASKS = listReviewTasks(persona, undefined);

test('a persona has a task for each relevant preference and one for the request (paper, E)', () => {
  expect(TASKS.map(({ kind, preference, instance_types: types }) => [kind, preference, types])).toEqual([
    ['preference', ORIGINAL, ['consistent', 'contrastive', 'changing']],
    ['preference', CONTRAST, ['contrastive']],
    ['preference', CHANGED, ['changing']],
    ['request', `${ORIGINAL}\n${CHANGED}`, ['consistent', 'contrastive', 'changing']],
  ]);
  expect(TASKS[3]?.messages).toEqual([{ session: 0, opening: null, index: 0, text: REQUEST }]);
  expect(TASKS[0]?.messages.every(({ index }) => index % 2 === 0)).toBe(true);
  expect(TASKS.every(({ evidence }) => evidence === null)).toBe(true);
});

test('an instance that can never be accepted has no tasks', () => {
  const [consistent, contrastive] = persona;
  if (consistent === undefined || contrastive === undefined) throw new Error('There are no instances.');
  expect(listReviewProblems(persona)).toEqual([]);
  // The others are needed to know which of its factors is the contrastive one.
  expect(listReviewTasks([contrastive], undefined)).toEqual([]);
  expect(listReviewProblems([contrastive])).toEqual([
    'Its prior sessions must have one context factor that only this instance of the persona has, with one preference; they have several.',
  ]);
  const bare = { instance: { ...consistent.instance, prior_interactions: [] } };
  expect(listReviewTasks([bare], undefined)).toEqual([]);
  expect(listReviewProblems([bare])).toEqual(['No prior session has one of its preferences.']);
});

test('what a model quoted stands with its item', () => {
  const [first] = TASKS;
  const item = first?.checklist[0] ?? '';
  const [quoted] = listReviewTasks(persona, [{ preference: ORIGINAL, item, quotations: ['read that far'] }]);
  expect(quoted?.evidence?.[0]).toEqual(['read that far']);
});

test('each rater has all tasks, in an order of their own that the seed fixes', () => {
  const names = Array.from({ length: 20 }, (_, at) => `task-${at}`);
  const [anna, ben] = ['anna', 'ben'].map((rater) => orderTasks(names, 42, rater));
  expect(anna?.toSorted()).toEqual(names.toSorted());
  expect(anna).not.toEqual(ben);
  expect(orderTasks(names, 42, 'anna')).toEqual(anna);
});
