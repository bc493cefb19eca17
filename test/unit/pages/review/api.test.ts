import { join } from 'node:path';
import type { NewAnnotation } from '../../../../pages/review/answers';
import { createReviewApi } from '../../../../pages/review/api';
import { Annotations } from '../../../../pages/review/folder';
import { listReviewTasks } from '../../../../rules/review/tasks';
import type { ReviewTask } from '../../../../schemas/review/review';
import { buildPersona } from '../../rules/verification/persona';
import { buildReview } from './review-folder';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

const tasks = listReviewTasks(
  buildPersona().map((instance) => ({ instance })),
  undefined,
);

async function openApi(name: string) {
  const path = join(folder, name);
  const finish = jest.fn(() => Promise.resolve());
  const api = createReviewApi(buildReview(path, tasks), await Annotations.open(path), { finish });
  const save = (rater: string, { task, checklist }: ReviewTask, changes: Partial<NewAnnotation> = {}) => {
    const labels = checklist.map(() => 'Fully Covered');
    const annotation = { task, rater, labels, realism: 5, implicitness: 5, revisions: [], rejection: null };
    return api.request('/annotation', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...annotation, ...changes }),
    });
  };
  return { finish, save };
}

const [first, ...rest] = tasks;
if (first === undefined) throw new Error('There are no tasks.');

test('the workflow is signalled once all tasks are decided, not for each annotation', async () => {
  const { finish, save } = await openApi('finished');
  for (const task of tasks) expect((await save('anna', task)).status).toBe(200);
  for (const task of rest) await save('ben', task);
  expect(finish).not.toHaveBeenCalled();
  await save('ben', first);
  expect(finish).toHaveBeenCalledTimes(1);
});

test.each(['', ' \n\t'])('a new text or a reason of %j is rejected', async (blank) => {
  const { save } = await openApi('blank');
  const revision = { opening: null, at: 0, before: 'Shorter, please.', after: blank };
  const edited = await save('anna', first, { revisions: [revision] });
  expect([edited.status, await edited.json()]).toEqual([
    400,
    { error: 'annotation, field revisions[0].after: the new text of a message is empty.' },
  ]);
  const leftOut = await save('anna', first, { rejection: blank });
  expect([leftOut.status, await leftOut.json()]).toEqual([
    400,
    { error: 'annotation, field rejection: the reason is empty.' },
  ]);
});
