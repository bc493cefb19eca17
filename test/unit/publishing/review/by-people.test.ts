import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openData } from '../../../../data/sets/open';
import { writeReviewedData } from '../../../../publishing/review/by-people';
import { Annotations, getReview } from '../../../../runs/review/folder';
import { openReview } from '../../../../runs/review/open-review';
import { createTemporaryFolder } from '../../../temporary-folder';
import { buildPersona } from '../../rules/verification/persona';
import { annotate } from '../../runs/review/review-folder';

const folder = createTemporaryFolder();
const OPTIONS = { report: () => undefined, environment: {} };

test('the card counts a third rater who has annotated a task', async () => {
  const file = join(folder, 'test.jsonl');
  await writeFile(
    file,
    buildPersona()
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  );
  const path = join(folder, 'review');
  const raters = { rater: ['anna', 'ben'], third: 'carla' };
  const review = await openReview(path, await openData(file, OPTIONS), raters, OPTIONS);
  const annotations = await Annotations.open(path);
  const card = join(path, 'CUPID', 'README.md');
  await writeReviewedData(review, getReview(review, annotations), OPTIONS);
  expect(await readFile(card, 'utf8')).toContain('2 people reviewed');
  for (const task of [...review.tasks.values()].slice(0, 1)) {
    await annotations.add(annotate(task, 'Fully Covered', 'carla'));
  }
  await writeReviewedData(review, getReview(review, annotations), OPTIONS);
  expect(await readFile(card, 'utf8')).toContain('3 people reviewed');
  // Tasks that two people have annotated are counted, not all of them.
  expect(await readFile(card, 'utf8')).toContain(': 0 tasks, each annotated by two raters.');
  for (const task of [...review.tasks.values()].slice(0, 1)) {
    for (const rater of ['anna', 'ben']) await annotations.add(annotate(task, 'Fully Covered', rater));
  }
  await writeReviewedData(review, getReview(review, annotations), OPTIONS);
  expect(await readFile(card, 'utf8')).toContain(': 1 task, each annotated by two raters.');
});
