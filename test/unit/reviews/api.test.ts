import { join } from 'node:path';
import { createReviewApi } from '../../../reviews/api';
import { Annotations } from '../../../reviews/folder';
import { listReviewTasks } from '../../../rules/review/tasks';
import { buildPersona } from '../rules/verification/persona';
import { buildReview } from './review-folder';
import { createTemporaryFolder } from '../../temporary-folder';

const folder = createTemporaryFolder();

test('the workflow is signalled once all tasks are decided, not for each annotation', async () => {
  const path = join(folder, 'review');
  const tasks = listReviewTasks(
    buildPersona().map((instance) => ({ instance })),
    undefined,
  );
  const review = buildReview(path, tasks);
  const finish = jest.fn(() => Promise.resolve());
  const api = createReviewApi(review, await Annotations.open(path), { finish });
  const save = async (rater: string, { task, checklist }: (typeof tasks)[number]) => {
    const labels = checklist.map(() => 'Fully Covered');
    const annotation = { task, rater, labels, realism: 5, implicitness: 5, revisions: [], rejection: null };
    const response = await api.request('/annotation', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(annotation),
    });
    expect(response.status).toBe(200);
  };
  const [first, ...rest] = tasks;
  if (first === undefined) throw new Error('There are no tasks.');
  for (const task of tasks) await save('anna', task);
  for (const task of rest) await save('ben', task);
  expect(finish).not.toHaveBeenCalled();
  await save('ben', first);
  expect(finish).toHaveBeenCalledTimes(1);
});
