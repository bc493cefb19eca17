import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openData } from '../../../../data/sets/open';
import { readReview } from '../../../../pages/review/folder';
import { startReview } from '../../../../pages/review/prepare';
import { listReviewTasks } from '../../../../rules/review/tasks';
import { buildPersona } from '../../rules/verification/persona';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const OPTIONS = { report: () => undefined, environment: {} };

test('the tasks of a persona are the same wherever its rows stand', async () => {
  const [one, other] = ['1', '2'].map((persona_id) =>
    buildPersona().map((instance) => ({ ...instance, persona_id })),
  );
  if (one === undefined || other === undefined) throw new Error('There are no personas.');
  const rows = one.flatMap((instance, at) => [instance, other[at]]);
  const file = join(folder, 'test.jsonl');
  await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const path = join(folder, 'review');
  const settings = { seed: 42, raters: ['anna', 'ben'], third: null, accept: 'all' as const };
  await startReview(path, await openData(file, OPTIONS), settings, OPTIONS);
  const review = await readReview(path);
  expect(review?.plan).toMatchObject({ tasks: 8, data: { instances: 6 } });
  const expected = [one, other].flatMap((own) =>
    listReviewTasks(
      own.map((instance) => ({ instance })),
      undefined,
    ),
  );
  expect([...(review?.tasks.values() ?? [])]).toEqual(expected);
});
