import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readReviewStatus } from '../../../../runs/review/status';
import { listReviewTasks } from '../../../../rules/review/tasks';
import { openReviewStore } from '../../../../runs/folder/review-store';
import { Annotations, lockReview, writeReviewPlan, writeReviewTasks } from '../../../../runs/review/folder';
import { createTemporaryFolder } from '../../../temporary-folder';
import { buildPersona } from '../../rules/verification/persona';
import { annotate, buildReview } from './review-folder';

const folder = createTemporaryFolder();

const tasks = listReviewTasks(
  buildPersona().map((instance) => ({ instance })),
  undefined,
);

test('the status counts what each rater has done, and names the process that serves the page', async () => {
  const path = join(folder, 'review');
  expect(await readReviewStatus(path)).toBeUndefined();
  await writeReviewTasks(path, tasks);
  const { plan } = buildReview(path, tasks, { third: 'carla', accept: 'third' });
  await writeReviewPlan(openReviewStore(path), plan);
  const annotations = await Annotations.open(path);
  const [first, second] = tasks;
  if (first === undefined || second === undefined) throw new Error('There are too few tasks.');
  for (const task of [first, second]) await annotations.add(annotate(task, 'Fully Covered', 'anna'));
  await annotations.add(annotate(first, 'Fully Covered', 'ben'));
  await annotations.add(annotate(second, 'Not Covered', 'ben'));
  const status = {
    kind: 'review',
    id: plan.id,
    data: 'out',
    tasks: tasks.length,
    decidedTasks: 1,
    disputedTasks: 1,
    raters: [
      { rater: 'anna', tasks: 2 },
      { rater: 'ben', tasks: 2 },
      { rater: 'carla', tasks: 0 },
    ],
    server: null,
    acceptedFile: null,
  };
  expect(await readReviewStatus(path)).toEqual(status);
  {
    using _lock = await lockReview(path);
    expect(await readReviewStatus(path)).toMatchObject({ server: { pid: process.pid } });
  }
  await mkdir(join(path, 'CUPID'));
  await writeFile(join(path, 'CUPID', 'test.parquet'), '');
  expect(await readReviewStatus(path)).toEqual({ ...status, acceptedFile: 'CUPID/test.parquet' });
});
