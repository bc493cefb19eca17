import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openData } from '../../../../data/sets/open';
import { Annotations, getReview, readReview } from '../../../../runs/review/folder';
import { writeReviewedData } from '../../../../publishing/review/by-people';
import { openReview, type ReviewChoices } from '../../../../runs/review/open-review';
import { startReview } from '../../../../runs/review/prepare';
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

test('of a sample, only the drawn personas are reviewed, and counted at the end', async () => {
  const instances = ['1', '2', '3', '4'].flatMap((persona_id) =>
    buildPersona().map((instance) => ({ ...instance, persona_id })),
  );
  const file = join(folder, 'four.jsonl');
  await writeFile(file, instances.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const dataSet = await openData(file, OPTIONS);
  const open = (name: string, more: ReviewChoices) =>
    openReview(join(folder, name), dataSet, { rater: ['anna', 'ben'], ...more }, OPTIONS);
  const { plan, tasks, path } = await open('sample', { sample: 2 });
  expect(plan).toMatchObject({ tasks: 8, data: { instances: 12 }, sample: { size: 2, all: 4 } });
  expect(new Set([...tasks.values()].map(({ persona_id }) => persona_id))).toEqual(
    new Set(plan.sample?.personas),
  );
  expect((await open('again', { sample: 2 })).plan.sample).toEqual(plan.sample);
  const review = await open('sample', {});
  expect(
    await writeReviewedData(review, getReview(review, await Annotations.open(path)), OPTIONS),
  ).toMatchObject({
    open: 6,
    unreviewable: 0,
  });
  await expect(open('sample', { sample: 3 })).rejects.toThrow('- --sample: 2 before, 3 now');
  // Personas that are added later are not in the sample.
  await appendFile(
    file,
    buildPersona()
      .map((row) => `${JSON.stringify({ ...row, persona_id: '5' })}\n`)
      .join(''),
  );
  const grown = await openReview(path, await openData(file, OPTIONS), {}, OPTIONS);
  expect(grown.plan).toMatchObject({ tasks: 8, data: { instances: 15 }, sample: plan.sample });
});
