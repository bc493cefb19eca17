import * as fc from 'fast-check';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataError } from '../../../../data/store/data-error';
import { exportReview } from '../../../../pages/review/export';
import { Annotations } from '../../../../runs/review/folder';
import { importAnnotations } from '../../../../pages/review/import';
import { QUALIFICATION } from '../../../../rules/review/qualification';
import type { ReviewPlan, ReviewTask } from '../../../../schemas/review/review';
import { changeJson, changes } from '../../../changed-json';
import { expectGoldenErrors, type RefusedCall } from '../../../golden';
import { createTemporaryFolder } from '../../../temporary-folder';
import { annotate, buildReview } from './review-folder';

const folder = createTemporaryFolder();

/** Label Studio 1.23.2 exported it, after a task was annotated in its page. */
const RECORDING = join(__dirname, 'label-studio-export.json');

const TASK: ReviewTask = {
  task: '2+watchmaker/preference-2',
  kind: 'preference',
  persona_id: '2+watchmaker',
  instance_types: ['consistent'],
  preference: 'Answers must give times and new ideas.',
  checklist: [
    'Does the answer give a time estimate for each step?',
    'Does the answer propose at least one untested idea?',
  ],
  messages: ['Help me turn these notes into a plan.', 'It is all quite conventional.'].map((text, index) => ({
    session: 1,
    opening: 'Help me turn these notes into a plan.',
    at: index * 2,
    text,
  })),
  evidence: [['I can plan my day with this.'], []],
};

const OTHER: ReviewTask = {
  ...TASK,
  task: '1+reporter/preference-1',
  persona_id: '1+reporter',
  preference: 'Answers must be short.',
  checklist: ['Is the answer short?'],
  evidence: null,
};

let count = 0;

/** Opens a review whose rater anna has passed the qualification. */
async function openReview(...tasks: readonly ReviewTask[]) {
  const opened = await openReviewWith({}, ...tasks);
  await qualify(opened.annotations, 'anna');
  return opened;
}

async function qualify(annotations: Annotations, rater: string): Promise<void> {
  for (const task of QUALIFICATION) await annotations.add(annotate(task, task.answers, rater));
}

async function openReviewWith(plan: Partial<ReviewPlan>, ...tasks: readonly ReviewTask[]) {
  count += 1;
  const path = join(folder, `review-${count}`);
  const review = buildReview(path, tasks, plan);
  return { review, annotations: await Annotations.open(path) };
}

/** Opens a review into which the recording is imported. */
async function openRecorded() {
  const opened = await openReview(TASK);
  await importAnnotations(opened.review, opened.annotations, [RECORDING]);
  return opened;
}

/** Writes the recording with a text of its JSON replaced. */
async function change(before: RegExp | string, after: string): Promise<string> {
  const text = JSON.stringify(JSON.parse(await readFile(RECORDING, 'utf8')));
  const changed = text.replace(before, after);
  if (changed === text) throw new Error(`${String(before)} is not in the recording.`);
  count += 1;
  const file = join(folder, `file-${count}.json`);
  await writeFile(file, changed);
  return file;
}

test('labels, ratings and the revised message arrive; a repeated import adds nothing', async () => {
  const { review, annotations } = await openReview(TASK);
  expect(await importAnnotations(review, annotations, [RECORDING])).toEqual({
    added: 1,
    known: 0,
    unsubmitted: 0,
    warnings: [],
  });
  expect(annotations.getLatest(TASK.task).get('anna')).toEqual({
    task: TASK.task,
    rater: 'anna',
    preference: TASK.preference,
    checklist: TASK.checklist,
    labels: [['Fully Covered'], ['Fully Covered']],
    realism: 5,
    implicitness: 5,
    revisions: [
      {
        opening: 'Help me turn these notes into a plan.',
        at: 0,
        before: 'Help me turn these notes into a plan.',
        after: 'A shorter text, please.',
      },
    ],
    rejection: null,
    annotated_at: '2026-11-23T23:52:23.806Z',
    source: 'label-studio',
  });
  const opened = await Annotations.open(review.path);
  expect(await importAnnotations(review, opened, [RECORDING])).toMatchObject({ added: 0, known: 1 });
});

test('a skipped task is not added', async () => {
  const { review, annotations } = await openReview(TASK);
  const skipped = await change('"was_cancelled":false', '"was_cancelled":true');
  expect(await importAnnotations(review, annotations, [skipped])).toMatchObject({ added: 0, unsubmitted: 1 });
});

test('what changed there is added, what changed here since stays', async () => {
  const { review, annotations } = await openRecorded();
  const before = annotations.getLatest(TASK.task).get('anna');
  if (before === undefined) throw new Error('Nothing was imported.');
  await annotations.add({ ...before, realism: 1, source: 'page' });
  expect(await importAnnotations(review, annotations, [RECORDING])).toMatchObject({ added: 0, known: 1 });
  expect(annotations.getLatest(TASK.task).get('anna')).toMatchObject({ realism: 1 });
  const later = await change('"rating":5', '"rating":2');
  expect(await importAnnotations(review, annotations, [later])).toMatchObject({ added: 1 });
  expect(annotations.getLatest(TASK.task).get('anna')).toMatchObject({ realism: 2 });
  const lines = (await readFile(join(review.path, 'annotations', 'anna.jsonl'), 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(QUALIFICATION.length + 3);
});

test('an older file does not replace a newer one, but who returns to an earlier annotation has it again', async () => {
  const { review, annotations } = await openRecorded();
  const getRealism = () => annotations.getLatest(TASK.task).get('anna')?.realism;
  await importAnnotations(review, annotations, [await change('"rating":5', '"rating":2')]);
  expect(await importAnnotations(review, annotations, [RECORDING])).toMatchObject({ added: 0, known: 1 });
  expect(getRealism()).toBe(2);
  const again = await change(/"updated_at":"2026-11-23/g, '"updated_at":"2026-11-24');
  expect(await importAnnotations(review, annotations, [again])).toMatchObject({ added: 1 });
  expect(getRealism()).toBe(5);
  expect(await importAnnotations(review, annotations, [again])).toMatchObject({ added: 0, known: 1 });
});

test('what was exported and changed on the page since then stays', async () => {
  const { review, annotations } = await openRecorded();
  await annotations.add(annotate(TASK, 'Partially Covered'));
  const out = join(folder, 'twice');
  await exportReview(review, annotations, out);
  await annotations.add(annotate(TASK, 'Not Covered'));
  expect(await importAnnotations(review, annotations, [join(out, 'anna.json')])).toMatchObject({ added: 0 });
  expect(annotations.getLatest(TASK.task).get('anna')).toMatchObject({ source: 'page', realism: 4 });
});

test('a file may begin with a byte order mark', async () => {
  const { review, annotations } = await openReview(TASK);
  const file = await change(/^/, '\uFEFF');
  expect(await importAnnotations(review, annotations, [file])).toMatchObject({ added: 1 });
});

test('an export for Label Studio has what is annotated, and that is known when it comes back', async () => {
  const { review, annotations } = await openRecorded();
  const out = join(folder, 'exported');
  await exportReview(review, annotations, out);
  expect(await importAnnotations(review, annotations, [join(out, 'anna.json')])).toEqual({
    added: 0,
    known: 1,
    unsubmitted: 0,
    warnings: [],
  });
  const config = await readFile(join(out, 'config.xml'), 'utf8');
  const exported = await readFile(join(out, 'anna.json'), 'utf8');
  const names = [...exported.matchAll(/"from_name": "([a-z]+)/g)].map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set(['label', 'realism', 'implicitness', 'revision']));
  for (const name of names) expect(config).toMatch(new RegExp(`name="${name}[_"]`));
});

test('an export shows the third rater what the others said, but not in the qualification', async () => {
  const { review, annotations } = await openReviewWith({ third: 'carla', accept: 'third' }, TASK, OTHER);
  for (const task of [...QUALIFICATION, TASK]) {
    await annotations.add(annotate(task, 'Fully Covered', 'anna'));
    await annotations.add(annotate(task, 'Not Covered', 'ben'));
  }
  const out = join(folder, 'third');
  await exportReview(review, annotations, out);
  const exported: readonly { readonly data: { readonly task: string; readonly items: object } }[] =
    JSON.parse(await readFile(join(out, 'carla.json'), 'utf8'));
  const shown = exported.filter(({ data }) => JSON.stringify(data.items).includes('ben: Not Covered'));
  expect(exported.map(({ data }) => data.task)).toEqual([
    ...QUALIFICATION.map(({ task }) => task),
    TASK.task,
  ]);
  expect(shown.map(({ data }) => data.task)).toEqual([TASK.task]);
});

/** Returns an item's label in the form of Label Studio. */
const labelItem = (item: number) =>
  `{"from_name":"label_${item}","type":"choices","value":{"choices":["Not Covered"]}}`;

test('a file that does not fit the review is refused by name, and nothing is added', async () => {
  const refuse = (what: string, before: RegExp | string, after: string): RefusedCall => [
    what,
    async () => {
      const { review, annotations } = await openReview(TASK);
      const file = join(folder, 'refused.json');
      await rename(await change(before, after), file);
      await importAnnotations(review, annotations, [file]).finally(() =>
        expect(annotations.listAll(TASK.task)).toEqual([]),
      );
    },
  ];
  await expectGoldenErrors('refused-annotations.txt', folder, DataError, [
    refuse('another review', 'cupid-review-recorded', 'cupid-review-other'),
    refuse('a missing label', '"from_name":"label_1"', '"from_name":"other"'),
    refuse('a rating of 9', '"rating":5', '"rating":9'),
    refuse('a revision of a message that is not there', 'revision_0', 'revision_7'),
    refuse('nobody of this review', '"rater":"anna"', '"rater":"dora"'),
    refuse('no such task', 'preference-2', 'preference-9'),
    refuse('a foreign label', '"Fully Covered"', '"Yes"'),
    refuse('a label far beyond the last item', '"result":[', `"result":[${labelItem(9)},`),
    refuse('two labels of one item', '"result":[', `"result":[${labelItem(0)},`),
    refuse('no rating', '"from_name":"realism"', '"from_name":"other"'),
    refuse('an empty revision', 'A shorter text, please.', ''),
    refuse('a revision of white space', 'A shorter text, please.', ' \\n'),
    refuse('two annotations', /"annotations":\[(.*)\],"drafts"/, '"annotations":[$1,$1],"drafts"'),
    refuse('the same task twice', /^\[(.*)\]$/, '[$1,$1]'),
    refuse('another form', '"annotations"', '"completions"'),
    refuse('no list', /^\[(.*)\]$/, '$1'),
  ]);
});

test('of a rater who has not passed the qualification, only that is added', async () => {
  const { review, annotations } = await openReviewWith({}, TASK, OTHER);
  const [first, ...others] = QUALIFICATION;
  if (first === undefined) throw new Error('There is no qualification.');
  // The exported tasks are annotated in another review with the same name and tasks.
  const elsewhere = await openReviewWith({}, TASK, OTHER);
  await elsewhere.annotations.add(annotate(first, 'Fully Covered'));
  for (const task of others) await elsewhere.annotations.add(annotate(task, task.answers));
  await elsewhere.annotations.add(annotate(TASK, 'Fully Covered'));
  const wrong = join(folder, 'wrong');
  await exportReview(elsewhere.review, elsewhere.annotations, wrong);
  // Only the tasks of the qualification that are not passed are exported.
  await qualify(annotations, 'anna');
  await annotations.add(annotate(first, 'Not Covered'));
  await expect(importAnnotations(review, annotations, [join(wrong, 'anna.json')])).rejects.toThrow(
    /^anna has not passed the qualification, so 1 annotation of other tasks .* look again at qualification\/1,? and/,
  );
  expect(annotations.getLatest(first.task).get('anna')?.labels).toEqual([
    ['Fully Covered'],
    ['Fully Covered'],
    ['Fully Covered'],
  ]);
  expect(annotations.listAll(TASK.task)).toEqual([]);

  // Raters who have passed it are not affected.
  await qualify(annotations, 'ben');
  await expect(
    importAnnotations(review, annotations, [
      join(wrong, 'anna.json'),
      await change('"rater":"anna"', '"rater":"ben"'),
    ]),
  ).rejects.toThrow(/^anna has not passed .* 1 annotation of .*\nAdded from these files: 1 annotation\.$/);
  expect([...annotations.getLatest(TASK.task).keys()]).toEqual(['ben']);

  await elsewhere.annotations.add(annotate(first, first.answers));
  const right = join(folder, 'right');
  await exportReview(elsewhere.review, elsewhere.annotations, right);
  await annotations.add(annotate(first, first.answers));
  expect(await importAnnotations(review, annotations, [join(right, 'anna.json')])).toMatchObject({
    added: 1,
  });
});

test('a rater whom an import disqualifies is named', async () => {
  const { review, annotations } = await openReview(TASK, OTHER);
  const [first] = QUALIFICATION;
  if (first === undefined) throw new Error('There is no qualification.');
  const elsewhere = await openReviewWith({}, TASK, OTHER);
  await elsewhere.annotations.add(annotate(first, 'Fully Covered'));
  const wrong = join(folder, 'disqualified');
  await exportReview(elsewhere.review, elsewhere.annotations, wrong);
  const file = join(wrong, 'anna.json');
  expect(await importAnnotations(review, annotations, [file])).toMatchObject({
    added: 1,
    warnings: [
      expect.stringMatching(
        /^anna had passed the qualification, but the imported answers to qualification\/1 are wrong\./,
      ),
    ],
  });
  // There were no changes since.
  expect(await importAnnotations(review, annotations, [file])).toMatchObject({ added: 0, warnings: [] });
});

test('whatever a file holds, it is imported or refused by name', async () => {
  const recorded: unknown = JSON.parse(await readFile(RECORDING, 'utf8'));
  const { review, annotations } = await openReview(TASK);
  const changed = join(folder, 'changed.json');
  await fc.assert(
    fc.asyncProperty(changes, async (by) => {
      await writeFile(changed, JSON.stringify(changeJson(recorded, by)) ?? '');
      try {
        await importAnnotations(review, annotations, [changed]);
      } catch (error) {
        expect(error).toBeInstanceOf(DataError);
        expect(String(error)).toContain(changed);
      }
    }),
    { numRuns: 150 },
  );
});
