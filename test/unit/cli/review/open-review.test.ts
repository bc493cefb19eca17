import { appendFile, copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openReview, type ReviewChoices } from '../../../../cli/review/open-review';
import { openData } from '../../../../data/sets/open';
import { writeReviewedData } from '../../../../reviews/finish';
import { Annotations } from '../../../../reviews/folder';
import { createTemporaryFolder } from '../../../temporary-folder';
import { buildPersona } from '../../rules/verification/persona';

const folder = createTemporaryFolder();
const messages: string[] = [];
const OPTIONS = { report: (line: string) => messages.push(line), environment: {} };
const RATERS = { rater: ['anna', 'ben'] };

let count = 0;

/** A review of a file of its own. */
async function startReview(choices: ReviewChoices = RATERS) {
  count += 1;
  const file = join(folder, `data-${count}.jsonl`);
  await writeFile(
    file,
    buildPersona()
      .map((instance) => `${JSON.stringify(instance)}\n`)
      .join(''),
  );
  const path = join(folder, `review-${count}`);
  const open = async (more: ReviewChoices = {}, data = file) =>
    openReview(path, await openData(data, OPTIONS), more, OPTIONS);
  const review = await open(choices);
  messages.length = 0;
  return { file, path, open, review };
}

test('a review is not continued with other data', async () => {
  const { file, path, open } = await startReview();
  await appendFile(file, `${JSON.stringify({ ...buildPersona()[0], persona_id: '2+baker' })}\n`);
  await expect(open()).rejects.toThrow(
    `${path} contains a review of other data:\n- data: ${file} before, ${file} now, with other contents\nRestore the data to continue the review, or review the changed data in another folder: --results-dir DIR. The annotations so far stay in ${join(path, 'annotations')}; cupid eval can use them: --labels FILE`,
  );
});

test('a review ends with its data where the latest command found them', async () => {
  const { file, path, open } = await startReview();
  const moved = join(folder, 'moved.jsonl');
  await copyFile(file, moved);
  await rm(file);
  const review = await open({}, moved);
  expect(await writeReviewedData(review, await Annotations.open(path), OPTIONS)).toMatchObject({ open: 3 });
});
