import { existsSync } from 'node:fs';
import { appendFile, copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openReview, type ReviewChoices } from '../../../../runs/review/open-review';
import { review as runReview } from '../../../../cli/review/review';
import { openData } from '../../../../data/sets/open';
import { writeReviewedData } from '../../../../publishing/review/by-people';
import { Annotations, getReview, readReviewPlan, writeReviewTasks } from '../../../../runs/review/folder';
import { InputError } from '../../../../schemas/input-error';
import { createTemporaryFolder } from '../../../temporary-folder';
import { annotate } from './review-folder';
import { buildPersona } from '../../rules/verification/persona';

const folder = createTemporaryFolder();
const messages: string[] = [];
const OPTIONS = { report: (line: string) => messages.push(line), environment: {} };
const RATERS = { rater: ['anna', 'ben'] };

let count = 0;

/** Starts a review with a file of its own. */
async function startReview(choices: ReviewChoices = RATERS, instances = buildPersona()) {
  count += 1;
  const file = join(folder, `data-${count}.jsonl`);
  await writeFile(file, renderRows(instances));
  const path = join(folder, `review-${count}`);
  const open = async (more: ReviewChoices = {}, data = file) =>
    openReview(path, await openData(data, OPTIONS), more, OPTIONS);
  messages.length = 0;
  const review = await open(choices);
  const started = messages.splice(0);
  return { file, path, open, review, started };
}

function renderRows(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

test('quotations of a verification elsewhere are named when the review is started', async () => {
  const { file, path, open, started } = await startReview();
  expect(started).toContainEqual(
    `This data was not verified, so the page shows no quoted messages. To have a model quote them first, delete ${path}, run cupid verify ${file} --model SPEC --results-dir DIR, and repeat this command with --verified DIR.`,
  );
  await expect(open({ verified: folder })).rejects.toThrow('--verified does not add them');
  await expect(startReview({ ...RATERS, verified: folder })).rejects.toThrow(
    `There is no ${join(folder, 'verification.json')}`,
  );
});

test('a review of data that grew gets the tasks of what was added, and keeps its tasks and annotations', async () => {
  const { file, path, open, review } = await startReview();
  const [task] = review.tasks.values();
  if (task === undefined) throw new Error('There is no task.');
  const annotations = await Annotations.open(path);
  await annotations.add(annotate(task, 'Fully Covered'));
  await appendFile(file, renderRows(buildPersona().map((row) => ({ ...row, persona_id: '2+baker' }))));
  await expect(writeReviewedData(review, getReview(review, annotations), OPTIONS)).rejects.toThrow(
    'has changed since the review was opened. Repeat the command',
  );
  messages.length = 0;
  const rows = await readFile(file, 'utf8');
  const grown = await open();
  expect(messages).toContain(
    'The data grew: 4 tasks of 1 persona were added; the annotations of 4 tasks are kept.',
  );
  await writeFile(file, `${rows}\n`);
  const same = await open();
  expect(messages).toContain(
    'The files of the data changed, but none of the tasks: the annotations of 8 tasks are kept.',
  );
  expect(same.tasks).toEqual(grown.tasks);
  expect([...grown.tasks.values()].slice(0, 4)).toEqual([...review.tasks.values()]);
  expect(grown.plan).toMatchObject({ tasks: 8, data: { instances: 6, earlier: [{ instances: 3 }] } });
  const kept = await Annotations.open(path);
  expect(kept.getLatest(task.task).get('anna')?.labels).toEqual(task.checklist.map(() => ['Fully Covered']));
  expect(await writeReviewedData(same, getReview(same, kept), OPTIONS)).toMatchObject({ open: 6 });
});

test('a review of quoted data that grew ends with its decided rows, though nobody verified the others', async () => {
  const { file, path, open, review } = await startReview();
  const quoted = [...review.tasks.values()].map((task) => ({
    ...task,
    evidence: task.checklist.map(() => []),
  }));
  await writeReviewTasks(path, quoted);
  const annotations = await Annotations.open(path);
  for (const task of quoted) {
    const label = task.kind === 'request' ? 'Not Covered' : 'Fully Covered';
    for (const rater of RATERS.rater) await annotations.add(annotate(task, label, rater));
  }
  await appendFile(file, renderRows(buildPersona().map((row) => ({ ...row, persona_id: '2+baker' }))));
  await expect(open()).rejects.toThrow('To end the review without the added data, add --finish.');
  const before = await readReviewPlan(path);
  messages.length = 0;
  const ended = await open({ finish: true });
  expect(messages).toEqual([
    `Comparing ${file} with the tasks of the review.`,
    'The data grew: 4 tasks of 1 persona are not in the review, so the instances that depend on them are not decided. To add them, repeat the command without --finish.',
  ]);
  const state = getReview(ended, annotations);
  expect(state.isQuoted).toBe(true);
  expect(await writeReviewedData(ended, state, OPTIONS)).toMatchObject({ accepted: 3, rejected: 0, open: 3 });
  // The tasks are added by a command that continues the review, so it is not changed.
  expect(await readReviewPlan(path)).toEqual(before);
  await expect(open()).rejects.toThrow('have not been verified');

  await writeFile(file, renderRows(buildPersona().map((row) => ({ ...row, current_request: 'Another.' }))));
  await expect(open({ finish: true })).rejects.toThrow('contains a review of other data');
});

test('a review that is started and ended at once does not ask for a verification', async () => {
  const { started } = await startReview({ ...RATERS, finish: true });
  expect(started.join('\n')).not.toContain('verif');
});

test('a review is not continued with other data', async () => {
  const { file, path, open } = await startReview();
  const [first, ...others] = buildPersona();
  if (first === undefined) throw new Error('There is no instance.');
  await writeFile(file, renderRows([{ ...first, current_request: 'Another request.' }, ...others]));
  await expect(open()).rejects.toThrow(
    `${path} contains a review of other data:\n- data: ${file} has other tasks for ${first.persona_id} than before\nRestore the data to continue the review, or review the changed data in another folder: --results-dir DIR. The annotations so far stay in ${join(path, 'annotations')}; cupid eval can use them: --labels FILE`,
  );
});

test('a review ends with its data where the latest command found them', async () => {
  const { file, path, open } = await startReview();
  const moved = join(folder, 'moved.jsonl');
  await copyFile(file, moved);
  await rm(file);
  const review = await open({}, moved);
  expect(
    await writeReviewedData(review, getReview(review, await Annotations.open(path)), OPTIONS),
  ).toMatchObject({ open: 3 });
});

test('instances that cannot be reviewed are named at the start, and counted at the end', async () => {
  const [, contrastive] = buildPersona();
  if (contrastive === undefined) throw new Error('There is no instance.');
  const alone = { ...contrastive, persona_id: '2+baker' };
  const { path, review, started } = await startReview(RATERS, [...buildPersona(), alone]);
  expect(started).toContainEqual(
    expect.stringMatching(
      /^1 instance cannot be reviewed and will be left out\. Its prior sessions must have /,
    ),
  );
  expect(review.plan.tasks).toBe(4);
  const annotations = await Annotations.open(path);
  expect(await writeReviewedData(review, getReview(review, annotations), OPTIONS)).toMatchObject({
    open: 3,
    unreviewable: 1,
  });
  await expect(startReview(RATERS, [alone])).rejects.toThrow(
    /has no instances to review\. Its prior sessions must have /,
  );
});

test.each([
  [['anna'], 'A review needs two raters. Name them: --rater NAME --rater NAME'],
  [['anna', 'anna'], 'but both are named anna. Name two people'],
  [['anna', 'Anna'], 'but both are named anna. Name two people'],
  [
    ['anna', 'ben', 'carla'],
    'but --rater names 3. Name the person who decides where the two differ with --third',
  ],
])('raters %j are not two', async (rater, message) => {
  await expect(startReview({ rater })).rejects.toThrow(message);
});

test.each<readonly [string, ReviewChoices & { readonly auto?: true }]>([
  ['one rater', { rater: ['anna'] }],
  ['the third rater twice', { rater: ['anna', 'ben'], third: 'anna' }],
  ['no third rater to decide', { ...RATERS, accept: 'third' }],
  ['no verification', { auto: true }],
])('a command that is rejected makes no folder: %s', async (_, options) => {
  const data = join(folder, 'rejected.jsonl');
  await writeFile(data, `${JSON.stringify(buildPersona()[0])}\n`);
  const resultsDir = join(folder, 'rejected');
  await expect(runReview(data, { ...options, resultsDir })).rejects.toThrow(InputError);
  expect(existsSync(resultsDir)).toBe(false);
});

test('a third rater who is added later decides, unless the command names another rule', async () => {
  const { open, review } = await startReview();
  expect(review.plan).toMatchObject({ third: null, accept: 'all' });
  expect((await open({ third: 'carla' })).plan).toMatchObject({ third: 'carla', accept: 'third' });
  expect(messages).toEqual([
    'carla now decides the tasks in which anna and ben differ (--accept third). To keep the rule so far, repeat the command with --accept all.',
  ]);
  expect((await open({ accept: 'all' })).plan.accept).toBe('all');
  // It is repeated on every continuation, so it is not new.
  expect((await open({ third: 'carla' })).plan.accept).toBe('all');
  expect(messages).toHaveLength(1);

  const other = await startReview();
  expect((await other.open({ third: 'carla', accept: 'any' })).plan.accept).toBe('any');
  expect(messages).toEqual([]);
});
