import { existsSync } from 'node:fs';
import { appendFile, mkdir, open, readFile, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Annotations, buildAnnotation, lockReview } from '../../../../runs/review/folder';
import { annotate } from '../../rules/review/annotation';
import type { ReviewTask } from '../../../../schemas/review/review';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

const annotateBy = (rater: string, label: 'Fully Covered' | 'Not Covered') =>
  annotate([label], { rater, checklist: ['Is it short?'] });

test('a later annotation takes the place of an earlier one, and both stay in the file', async () => {
  const path = join(folder, 'grown');
  const annotations = await Annotations.open(path);
  await Promise.all([
    annotations.add(annotateBy('anna', 'Not Covered')),
    annotations.add(annotateBy('anna', 'Fully Covered')),
    annotations.add(annotateBy('ben', 'Not Covered')),
  ]);
  const again = await Annotations.open(path);
  for (const one of [annotations, again]) {
    expect([...one.getLatest('1/preference-1')].map(([rater, { labels }]) => [rater, labels])).toEqual([
      ['anna', [['Fully Covered']]],
      ['ben', [['Not Covered']]],
    ]);
  }
  const text = await readFile(join(path, 'annotations', 'anna.jsonl'), 'utf8');
  expect(text.trim().split('\n')).toHaveLength(2);
});

test('a line that a crash cut off is removed; another one that is no annotation is an error', async () => {
  const path = join(folder, 'cut');
  const annotations = await Annotations.open(path);
  await annotations.add(annotateBy('anna', 'Fully Covered'));
  const file = join(path, 'annotations', 'anna.jsonl');
  const whole = await readFile(file, 'utf8');
  await appendFile(file, whole.slice(0, 40));
  // Only a command that has locked the review may write.
  expect((await Annotations.read(path)).getLatest('1/preference-1').size).toBe(1);
  expect(await readFile(file, 'utf8')).toBe(whole + whole.slice(0, 40));
  expect((await Annotations.open(path)).getLatest('1/preference-1').size).toBe(1);
  expect(await readFile(file, 'utf8')).toBe(whole);

  const broken = join(folder, 'broken');
  await mkdir(join(broken, 'annotations'), { recursive: true });
  await writeFile(join(broken, 'annotations', 'ben.jsonl'), `${whole}{"task":"1/preference-1"}\n`);
  await expect(Annotations.open(broken)).rejects.toThrow(/ben\.jsonl, line 2/);
});

test('a last line without its line break is kept, and the next annotation begins on a line of its own', async () => {
  const path = join(folder, 'edited');
  await (await Annotations.open(path)).add(annotateBy('anna', 'Fully Covered'));
  const file = join(path, 'annotations', 'anna.jsonl');
  const whole = await readFile(file, 'utf8');
  for (const edited of [`${whole}${whole.trimEnd()}`, `\uFEFF${whole.trimEnd()}`]) {
    await writeFile(file, edited);
    const annotations = await Annotations.open(path);
    expect(annotations.getLatest('1/preference-1').get('anna')?.labels).toEqual([['Fully Covered']]);
    await annotations.add(annotateBy('anna', 'Not Covered'));
    expect(await readFile(file, 'utf8')).toBe(`${edited}\n${whole.replace('Fully', 'Not')}`);
  }

  await writeFile(file, `${whole}{"task":"1/preference-1"}`);
  await expect(Annotations.open(path)).rejects.toThrow(/anna\.jsonl, line 2/);
});

test('an annotation that could be written in part only leaves nothing behind', async () => {
  const path = join(folder, 'full');
  const annotations = await Annotations.open(path);
  await annotations.add(annotateBy('anna', 'Not Covered'));
  const file = await open(join(path, 'annotations', 'anna.jsonl'));
  const handles: FileHandle = Object.getPrototypeOf(file);
  await file.close();
  const appending = jest.spyOn(handles, 'appendFile').mockImplementation(async function (
    this: FileHandle,
    text,
  ) {
    await this.write(String(text).slice(0, 40));
    throw new Error('No space left on device.');
  });
  await expect(annotations.add(annotateBy('anna', 'Not Covered'))).rejects.toThrow('No space left');
  await expect(annotations.add(annotateBy('anna', 'Not Covered'))).rejects.toThrow('No space left');
  appending.mockRestore();
  await annotations.add(annotateBy('anna', 'Fully Covered'));
  const again = await Annotations.open(path);
  const text = await readFile(join(path, 'annotations', 'anna.jsonl'), 'utf8');
  expect(text.trim().split('\n')).toHaveLength(2);
  expect(again.getLatest('1/preference-1').get('anna')?.labels).toEqual([['Fully Covered']]);
});

test('one process has a review, without what a killed one left half written', async () => {
  const path = join(folder, 'locked');
  const scratch = join(path, '.cupid', 'scratch');
  await mkdir(join(scratch, 'review-killed'), { recursive: true });
  using _lock = await lockReview(path);
  expect(existsSync(scratch)).toBe(false);
  await expect(lockReview(path)).rejects.toThrow(`process ${process.pid} on`);
});

test('an edit that changes nothing is not kept', () => {
  const [message, other] = ['Shorter, please.', 'Thanks.'].map((text, index) => ({
    opening: 'Shorter, please.',
    index: index * 2,
    old_text: text,
    new_text: text,
  }));
  if (message === undefined || other === undefined) throw new Error('There are no messages.');
  const task: ReviewTask = {
    task: '1/preference-1',
    kind: 'preference',
    persona_id: '1',
    instance_types: ['consistent'],
    preference: 'Answers must be short.',
    checklist: ['Is it short?'],
    messages: [],
    evidence: null,
  };
  const changed = { ...other, new_text: 'Thank you.' };
  const rated = { task: task.task, rater: 'anna', realism: 5, implicitness: 6, rejection: null };
  const annotation = { ...rated, labels: ['Not Covered'], revisions: [message, changed] };
  expect(buildAnnotation(task, annotation).revisions).toEqual([changed]);
});
