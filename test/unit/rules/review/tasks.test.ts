import { drawQualification, listUnqualified } from '../../../../rules/review/qualification';
import { listReviewProblems, listReviewTasks, orderTasks } from '../../../../rules/review/tasks';
import type { Annotation } from '../../../../schemas/review/review';
import { buildPersona, CHANGED, CONTRAST, ORIGINAL, REQUEST } from '../verification/persona';

const persona = buildPersona().map((instance) => ({ instance }));
const TASKS = listReviewTasks(persona, undefined);
const OTHERS = TASKS.map((task) => ({
  ...task,
  task: `other/${task.task}`,
  persona_id: 'other',
  preference: `Not: ${task.preference}`,
  checklist: ['Is it green?'],
}));

test('a persona has a task for each relevant preference and one for the request (paper, E)', () => {
  expect(TASKS.map(({ kind, preference, instance_types: types }) => [kind, preference, types])).toEqual([
    ['preference', ORIGINAL, ['consistent', 'contrastive', 'changing']],
    ['preference', CONTRAST, ['contrastive']],
    ['preference', CHANGED, ['changing']],
    ['request', `${ORIGINAL}\n${CHANGED}`, ['consistent', 'contrastive', 'changing']],
  ]);
  expect(TASKS[3]?.messages).toEqual([{ session: 0, opening: null, at: 0, text: REQUEST }]);
  expect(TASKS[0]?.messages.every(({ at }) => at % 2 === 0)).toBe(true);
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

describe('the qualification', () => {
  const quoted = [...TASKS, ...OTHERS].map((task) => ({
    ...task,
    evidence: task.checklist.map(() => ['a quotation']),
  }));
  const drawn = drawQualification(quoted, 42);
  const label = (task: string, isFound: boolean): Annotation | undefined => {
    const own = drawn.find((one) => one.task === task);
    if (own === undefined) return undefined;
    const labels = own.checklist.map((_, at): Annotation['labels'][number] =>
      at === own.foreign && isFound ? ['Not Covered'] : ['Fully Covered'],
    );
    return {
      ...own,
      rater: 'anna',
      labels,
      realism: 4,
      implicitness: 4,
      revisions: [],
      rejection: null,
      annotated_at: '2026-11-23T12:00:00.000Z',
      source: 'page',
    };
  };

  test('has three tasks, each with one item of another persona', () => {
    expect(drawn).toHaveLength(3);
    for (const { checklist, foreign, persona_id: id, preference, evidence } of drawn) {
      // Quotations for only the others would reveal it.
      expect(evidence).toBeNull();
      const own = [...TASKS, ...OTHERS].find((one) => one.persona_id === id && one.preference === preference);
      expect(checklist.toSpliced(foreign, 1)).toEqual(own?.checklist);
      expect(own?.checklist).not.toContain(checklist[foreign]);
    }
  });

  test('is passed by a rater who does not find these items expressed', () => {
    expect(listUnqualified(drawn, (task) => label(task, true))).toEqual([]);
    expect(listUnqualified(drawn, (task) => label(task, task !== 'qualification/2'))).toMatchObject([
      { task: 'qualification/2' },
    ]);
    expect(listUnqualified(drawn, () => undefined)).toHaveLength(3);
  });

  test('there is none with one persona: every item could be its own', () => {
    expect(drawQualification(TASKS, 42)).toEqual([]);
  });
});
