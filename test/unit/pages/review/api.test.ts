import { join } from 'node:path';
import { Hono } from 'hono';
import * as z from 'zod';
import type { PageEnvironment } from '../../../../pages/local-page';
import { createReviewApi } from '../../../../pages/review/api';
import { Annotations } from '../../../../runs/review/folder';
import { QUALIFICATION } from '../../../../rules/review/qualification';
import { listReviewTasks } from '../../../../rules/review/tasks';
import type { NewAnnotation, ReviewPlan, ReviewTask } from '../../../../schemas/review/review';
import { buildPersona } from '../../rules/verification/persona';
import { annotate, buildReview } from '../../runs/review/review-folder';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

const tasks = listReviewTasks(
  buildPersona().map((instance) => ({ instance })),
  undefined,
);

const UNCHANGED = { realism: 5, implicitness: 5, revisions: [], rejection: null };

async function openApi(name: string, plan: Partial<ReviewPlan> = {}) {
  const path = join(folder, name);
  const onDecided = jest.fn();
  const annotations = await Annotations.open(path);
  for (const { answers, ...task } of QUALIFICATION) {
    for (const rater of ['anna', 'ben']) {
      await annotations.add(annotate(task, answers, rater));
    }
  }
  const api = createReviewApi(buildReview(path, tasks, plan), annotations, onDecided);
  const ask = (visitor: string, address: string, request?: RequestInit) =>
    new Hono<PageEnvironment>()
      .use((context, next) => {
        context.set('visitor', visitor);
        return next();
      })
      .route('/', api)
      .request(address, request);
  const save = (
    rater: string,
    { task, checklist }: ReviewTask,
    changes: Partial<NewAnnotation> = {},
    visitor = rater,
  ) => {
    const labels = checklist.map(() => 'Fully Covered');
    const annotation = { task, rater, labels, ...UNCHANGED };
    return ask(visitor, '/annotation', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...annotation, ...changes }),
    });
  };
  return { onDecided, save, ask };
}

const [first, ...rest] = tasks;
if (first === undefined) throw new Error('There are no tasks.');

test('the review ends once all tasks are decided, not with each annotation', async () => {
  const { onDecided, save } = await openApi('finished');
  for (const task of tasks) expect((await save('anna', task)).status).toBe(200);
  for (const task of rest) await save('ben', task);
  expect(onDecided).not.toHaveBeenCalled();
  await save('ben', first);
  expect(onDecided).toHaveBeenCalledTimes(1);
});

test.each(['', ' \n\t'])('a new text or a reason of %j is rejected', async (blank) => {
  const { save } = await openApi('blank');
  const revision = { opening: null, index: 0, old_text: 'Shorter, please.', new_text: blank };
  const edited = await save('anna', first, { revisions: [revision] });
  expect([edited.status, await edited.json()]).toEqual([
    400,
    { error: 'annotation, field revisions[0].new_text: the new text of a message is empty.' },
  ]);
  const leftOut = await save('anna', first, { rejection: blank });
  expect([leftOut.status, await leftOut.json()]).toEqual([
    400,
    { error: 'annotation, field rejection: the reason is empty.' },
  ]);
});

test('whoever has the link of a rater is that rater, and sees and changes nothing of another', async () => {
  const { save, ask } = await openApi('two');
  await save('ben', first, { rejection: 'Odd.' });
  const query = new URLSearchParams({ task: first.task, rater: 'ben' }).toString();
  for (const path of ['/about', '/tasks?rater=ben', `/task?${query}`]) {
    const answer = await (await ask('anna', path)).text();
    expect(answer).not.toMatch(/Odd\.|ben|agree|"answers"|disputed/);
  }
  const forged = await save('ben', first, { rejection: 'Fine.' }, 'anna');
  expect([forged.status, await forged.json()]).toEqual([
    403,
    { error: expect.stringContaining('Open the link of "ben" again') },
  ]);
  expect(await (await ask('ben', `/task?${query}`)).json()).toMatchObject({
    latestAnnotation: { rejection: 'Odd.' },
  });
});

test('the third rater qualifies first, without seeing the others, and then sees what both said', async () => {
  const { save, ask } = await openApi('third', { third: 'carla', accept: 'third' });
  await save('anna', first);
  await save('ben', first, { rejection: 'Odd.' });
  const early = await save('carla', first);
  expect([early.status, await early.json()]).toEqual([400, { error: 'The qualification comes first.' }]);
  const readOthers = async (task: string) => {
    const answer = await ask('carla', `/task?${new URLSearchParams({ task }).toString()}`);
    return othersSchema.parse(await answer.json()).otherAnnotations;
  };
  for (const { answers, ...task } of QUALIFICATION) {
    expect(await readOthers(task.task)).toEqual([]);
    await save('carla', task, { labels: [...answers] });
  }
  expect(await readOthers(first.task)).toMatchObject([
    { rater: 'anna', rejection: null },
    { rater: 'ben', rejection: 'Odd.' },
  ]);
  expect((await save('carla', first)).status).toBe(200);
});

test('the answers of the qualification are not sent', async () => {
  const { ask } = await openApi('answers');
  const query = new URLSearchParams({ task: 'qualification/1' }).toString();
  const { task } = viewSchema.parse(await (await ask('anna', `/task?${query}`)).json());
  expect(Object.keys(task).toSorted()).toEqual(['checklist', 'evidence', 'kind', 'messages', 'task']);
});

const othersSchema = z.object({ otherAnnotations: z.array(z.looseObject({})) });
const viewSchema = z.object({ task: z.looseObject({}) });
