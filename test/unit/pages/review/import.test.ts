import * as fc from 'fast-check';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataError } from '../../../../data/sets/error';
import { exportReview } from '../../../../pages/review/export';
import { Annotations, buildAnnotation } from '../../../../pages/review/folder';
import { importAnnotations } from '../../../../pages/review/import';
import { RaterTasks } from '../../../../pages/review/rater-tasks';
import type { ReviewPlan, ReviewTask } from '../../../../schemas/review/review';
import { changeJson, changes } from '../../../changed-json';
import { createTemporaryFolder } from '../../../temporary-folder';
import { buildReview } from './review-folder';

const folder = createTemporaryFolder();

// What Label Studio 1.23.2 exported of a task that was annotated in its page, and what the Python client of Argilla 2.8.0 wrote.
const RECORDINGS = {
  'label-studio': { file: join(__dirname, 'label-studio-export.json'), rater: 'anna' },
  argilla: { file: join(__dirname, 'argilla-records.json'), rater: 'ben' },
} as const;

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

/** With tasks of two personas, raters have to qualify. */
const OTHER: ReviewTask = {
  ...TASK,
  task: '1+reporter/preference-1',
  persona_id: '1+reporter',
  preference: 'Answers must be short.',
  checklist: ['Is the answer short?'],
  evidence: null,
};

let count = 0;

async function openReview(...tasks: readonly ReviewTask[]) {
  return openReviewWith({}, ...tasks);
}

async function openReviewWith(plan: Partial<ReviewPlan>, ...tasks: readonly ReviewTask[]) {
  count += 1;
  const path = join(folder, `review-${count}`);
  const review = buildReview(path, tasks, plan);
  return { review, annotations: await Annotations.open(path) };
}

/** A recording, with texts of its JSON replaced. */
async function change(
  file: string,
  ...replacements: readonly (readonly [RegExp | string, string])[]
): Promise<string> {
  let text = JSON.stringify(JSON.parse(await readFile(file, 'utf8')));
  for (const [before, after] of replacements) {
    const changed = text.replace(before, after);
    if (changed === text) throw new Error(`${String(before)} is not in ${file}.`);
    text = changed;
  }
  count += 1;
  const changed = join(folder, `file-${count}.json`);
  await writeFile(changed, text);
  return changed;
}

test('Label Studio: labels, ratings and the revised message arrive; a repeated import adds nothing', async () => {
  const { review, annotations } = await openReview(TASK);
  const { file } = RECORDINGS['label-studio'];
  expect(await importAnnotations(review, annotations, [file])).toEqual({
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
  expect(await importAnnotations(review, opened, [file])).toMatchObject({ added: 0, known: 1 });
});

test('Argilla: several messages revised in one answer; a record that is not completed is left', async () => {
  const { review, annotations } = await openReview(TASK);
  const { file } = RECORDINGS.argilla;
  expect(await importAnnotations(review, annotations, [file])).toEqual({
    added: 1,
    known: 0,
    unsubmitted: 0,
    warnings: [],
  });
  expect(annotations.getLatest(TASK.task).get('ben')).toMatchObject({
    labels: [['Fully Covered'], ['Fully Covered']],
    realism: 5,
    implicitness: 6,
    revisions: [
      { at: 0, after: 'Shorter, please.' },
      { at: 2, after: 'Thanks.\nSecond line.' },
    ],
    source: 'argilla',
  });
  const draft = await change(file, ['"completed"', '"pending"']);
  expect(await importAnnotations(review, annotations, [draft])).toEqual({
    added: 0,
    known: 0,
    unsubmitted: 1,
    warnings: [],
  });
});

test.each(Object.entries(RECORDINGS))(
  '%s: what changed there is added, what changed here since stays',
  async (tool, { file, rater }) => {
    const { review, annotations } = await openReview(TASK);
    await importAnnotations(review, annotations, [file]);
    const before = annotations.getLatest(TASK.task).get(rater);
    if (before === undefined) throw new Error('Nothing was imported.');
    await annotations.add({ ...before, realism: 1, source: 'page' });
    expect(await importAnnotations(review, annotations, [file])).toMatchObject({ added: 0, known: 1 });
    expect(annotations.getLatest(TASK.task).get(rater)).toMatchObject({ realism: 1 });
    const later = await change(file, [
      tool === 'argilla' ? '"value":5' : '"rating":5',
      tool === 'argilla' ? '"value":2' : '"rating":2',
    ]);
    expect(await importAnnotations(review, annotations, [later])).toMatchObject({ added: 1 });
    expect(annotations.getLatest(TASK.task).get(rater)).toMatchObject({ realism: 2 });
    const lines = (await readFile(join(review.path, 'annotations', `${rater}.jsonl`), 'utf8'))
      .trim()
      .split('\n');
    expect(lines).toHaveLength(3);
  },
);

test.each(Object.entries(RECORDINGS))(
  '%s: an older file does not replace a newer one',
  async (tool, recording) => {
    const { file, rater } = recording;
    const { review, annotations } = await openReview(TASK);
    await importAnnotations(review, annotations, [file]);
    const changed: readonly [string, string] =
      tool === 'argilla' ? ['"value":5', '"value":2'] : ['"rating":5', '"rating":2'];
    await importAnnotations(review, annotations, [await change(file, changed)]);
    expect(await importAnnotations(review, annotations, [file])).toMatchObject({ added: 0, known: 1 });
    expect(annotations.getLatest(TASK.task).get(rater)).toMatchObject({ realism: 2 });
  },
);

test('who returns in Label Studio to an earlier annotation has it again', async () => {
  const { review, annotations } = await openReview(TASK);
  const { file } = RECORDINGS['label-studio'];
  await importAnnotations(review, annotations, [file]);
  await importAnnotations(review, annotations, [await change(file, ['"rating":5', '"rating":2'])]);
  const again = await change(file, [/"updated_at":"2026-11-23/g, '"updated_at":"2026-11-24']);
  expect(await importAnnotations(review, annotations, [again])).toMatchObject({ added: 1 });
  expect(annotations.getLatest(TASK.task).get('anna')).toMatchObject({ realism: 5 });
  expect(await importAnnotations(review, annotations, [again])).toMatchObject({ added: 0, known: 1 });
});

test('what was exported and changed on the page since then stays', async () => {
  const { review, annotations } = await openReview(TASK);
  const { file } = RECORDINGS['label-studio'];
  await importAnnotations(review, annotations, [file]);
  await annotations.add(annotate(TASK, 'Partially Covered'));
  const out = join(folder, 'twice');
  await exportReview(review, annotations, 'label-studio', out);
  await annotations.add(annotate(TASK, 'Not Covered'));
  expect(await importAnnotations(review, annotations, [join(out, 'anna.json')])).toMatchObject({ added: 0 });
  expect(annotations.getLatest(TASK.task).get('anna')).toMatchObject({ source: 'page', realism: 4 });
});

test('a file may begin with a byte order mark', async () => {
  const { review, annotations } = await openReview(TASK);
  const file = await change(RECORDINGS['label-studio'].file, [/^/, '\uFEFF']);
  expect(await importAnnotations(review, annotations, [file])).toMatchObject({ added: 1 });
});

test('an export for Label Studio has what is annotated, and that is known when it comes back', async () => {
  const { review, annotations } = await openReview(TASK);
  await importAnnotations(review, annotations, [RECORDINGS['label-studio'].file]);
  const out = join(folder, 'exported');
  await exportReview(review, annotations, 'label-studio', out);
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
  const { qualification } = new RaterTasks(review, annotations);
  for (const task of [...qualification, TASK]) {
    await annotations.add(annotate(task, 'Fully Covered', 'anna'));
    await annotations.add(annotate(task, 'Not Covered', 'ben'));
  }
  const out = join(folder, 'third');
  await exportReview(review, annotations, 'label-studio', out);
  const exported: readonly { readonly data: { readonly task: string; readonly items: object } }[] =
    JSON.parse(await readFile(join(out, 'carla.json'), 'utf8'));
  const shown = exported.filter(({ data }) => JSON.stringify(data.items).includes('ben: Not Covered'));
  expect(exported.map(({ data }) => data.task)).toEqual([
    ...qualification.map(({ task }) => task),
    TASK.task,
  ]);
  expect(shown.map(({ data }) => data.task)).toEqual([TASK.task]);
});

/** A label in the form of Label Studio. */
const labelItem = (item: number) =>
  `{"from_name":"label_${item}","type":"choices","value":{"choices":["Not Covered"]}}`;

test.each<[string, keyof typeof RECORDINGS, readonly [RegExp | string, string], RegExp]>([
  [
    'another review',
    'argilla',
    ['cupid-review-recorded', 'cupid-review-other'],
    /record 2\+watchmaker\/preference-2: expected a task of the review cupid-review-recorded, found one of "cupid-review-other"/,
  ],
  [
    'nobody of this review',
    'label-studio',
    ['"rater":"anna"', '"rater":"dora"'],
    /no rater "dora"\. Its raters are anna(,| and) /,
  ],
  [
    'no such task',
    'label-studio',
    ['preference-2', 'preference-9'],
    /task 2\+watchmaker\/preference-9: this review has no such task/,
  ],
  [
    'a foreign label',
    'label-studio',
    ['"Fully Covered"', '"Yes"'],
    /label_0: expected one of "Fully Covered", .*, found "Yes".*export it again/,
  ],
  ['a missing label', 'argilla', ['"item_2":', '"item_3":'], /item_3: this task has 2 items/],
  [
    'a label far beyond the last item',
    'label-studio',
    ['"result":[', `"result":[${labelItem(9)},`],
    /label_9: this task has 2 items/,
  ],
  [
    'a label far beyond the last item',
    'argilla',
    [/"item_2":(\[.*?\])/, '"item_2":$1,"item_9":$1'],
    /item_9: this task has 2 items/,
  ],
  [
    'two labels of one item',
    'label-studio',
    ['"result":[', `"result":[${labelItem(0)},`],
    /label_0: expected one answer, found more than one/,
  ],
  [
    'two new texts of one message',
    'argilla',
    ['[2] Thanks', '[1] Thanks'],
    /A message has more than one new text/,
  ],
  [
    'no rating',
    'label-studio',
    ['"from_name":"realism"', '"from_name":"other"'],
    /realism: expected a number, found nothing/,
  ],
  [
    'a rating of 9',
    'argilla',
    ['"value":6', '"value":9'],
    /implicitness: expected a number of at most 7, found 9/,
  ],
  [
    'a message that is not there',
    'argilla',
    ['[2] Thanks', '[7] Thanks'],
    /no message \[7\]: this task has 2/,
  ],
  [
    'a revision without its message',
    'argilla',
    ['[1] Shorter', 'Shorter'],
    /revisions: expected the number of a message in brackets/,
  ],
  [
    'an empty revision',
    'label-studio',
    ['A shorter text, please.', ''],
    /revision_0: the new text of a message is empty/,
  ],
  [
    'a revision of white space',
    'label-studio',
    ['A shorter text, please.', ' \\n'],
    /revision_0: the new text of a message is empty/,
  ],
  [
    'a number without a revision',
    'argilla',
    ['[1] Shorter, please.', '[1]  '],
    /revisions: the new text of a message is empty/,
  ],
  [
    'two annotations',
    'label-studio',
    [/"annotations":\[(.*)\],"drafts"/, '"annotations":[$1,$1],"drafts"'],
    /has 2 annotations, but it is a task of anna alone/,
  ],
  ['two people', 'argilla', [/"realism":\[(.*?)\]/, '"realism":[$1,$1]'], /realism: 2 people responded/],
  ['the same task twice', 'label-studio', [/^\[(.*)\]$/, '[$1,$1]'], /annotated this task twice/],
  [
    'another form',
    'label-studio',
    ['"annotations"', '"completions"'],
    /entry 1, field annotations: expected a list, found nothing.*as JSON, not as JSON-MIN/s,
  ],
  [
    'no list',
    'label-studio',
    [/^\[(.*)\]$/, '$1'],
    /expected a list, found .*as JSON, or a folder that Argilla's/,
  ],
])('%s is refused by name, and nothing is added', async (_, tool, replacement, message) => {
  const { review, annotations } = await openReview(TASK);
  const { file } = RECORDINGS[tool];
  await expect(importAnnotations(review, annotations, [await change(file, replacement)])).rejects.toThrow(
    message,
  );
  expect(annotations.listAll(TASK.task)).toEqual([]);
});

test('of a rater who has not passed the qualification, only that is added', async () => {
  const { review, annotations } = await openReview(TASK, OTHER);
  const { qualification } = new RaterTasks(review, annotations);
  const [first, second] = qualification;
  if (first === undefined || second === undefined) throw new Error('There is no qualification.');
  // The exported tasks are annotated by way of another review with the same name and tasks.
  const elsewhere = await openReview(TASK, OTHER);
  await elsewhere.annotations.add(annotate(first, 'Fully Covered'));
  await elsewhere.annotations.add(annotate(second, 'Not Covered'));
  await elsewhere.annotations.add(annotate(TASK, 'Fully Covered'));
  const wrong = join(folder, 'wrong');
  await exportReview(elsewhere.review, elsewhere.annotations, 'label-studio', wrong);
  await expect(importAnnotations(review, annotations, [join(wrong, 'anna.json')])).rejects.toThrow(
    /^anna has not passed the qualification, so 1 annotation of other tasks .* look again at qualification\/1/,
  );
  expect(annotations.getLatest(first.task).has('anna')).toBe(true);
  expect(annotations.listAll(TASK.task)).toEqual([]);

  // Raters who have passed it are not affected.
  for (const task of [first, second]) await annotations.add(annotate(task, 'Not Covered', 'ben'));
  await expect(
    importAnnotations(review, annotations, [join(wrong, 'anna.json'), RECORDINGS.argilla.file]),
  ).rejects.toThrow(/^anna has not passed .* 1 annotation of .*\nAdded from these files: 1 annotation\.$/);
  expect([...annotations.getLatest(TASK.task).keys()]).toEqual(['ben']);

  await elsewhere.annotations.add(annotate(first, 'Not Covered'));
  const right = join(folder, 'right');
  await exportReview(elsewhere.review, elsewhere.annotations, 'label-studio', right);
  await annotations.add(annotate(first, 'Not Covered'));
  await annotations.add(annotate(second, 'Not Covered'));
  expect(await importAnnotations(review, annotations, [join(right, 'anna.json')])).toMatchObject({
    added: 1,
  });
});

test('a rater whom an import disqualifies is named', async () => {
  const { review, annotations } = await openReview(TASK, OTHER);
  const { qualification } = new RaterTasks(review, annotations);
  const [first] = qualification;
  if (first === undefined) throw new Error('There is no qualification.');
  for (const task of qualification) await annotations.add(annotate(task, 'Not Covered'));
  const elsewhere = await openReview(TASK, OTHER);
  await elsewhere.annotations.add(annotate(first, 'Fully Covered'));
  const wrong = join(folder, 'disqualified');
  await exportReview(elsewhere.review, elsewhere.annotations, 'label-studio', wrong);
  const file = join(wrong, 'anna.json');
  expect(await importAnnotations(review, annotations, [file])).toMatchObject({
    added: 1,
    warnings: [
      expect.stringMatching(
        /^anna had passed the qualification, but the imported answers to qualification\/1 are wrong\./,
      ),
    ],
  });
  // Nothing has changed since then.
  expect(await importAnnotations(review, annotations, [file])).toMatchObject({ added: 0, warnings: [] });
});

test.each(Object.entries(RECORDINGS))(
  '%s: whatever a file holds, it is imported or refused by name',
  async (_, { file }) => {
    const recorded: unknown = JSON.parse(await readFile(file, 'utf8'));
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
  },
);

function annotate(task: ReviewTask, label: string, rater = 'anna') {
  return buildAnnotation(
    task,
    {
      task: task.task,
      rater,
      labels: task.checklist.map(() => label),
      realism: 4,
      implicitness: 4,
      revisions: [],
      rejection: null,
    },
    { source: 'page' },
  );
}
