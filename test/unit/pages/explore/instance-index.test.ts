import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFile, hashText } from '../../../../data/store/files';
import { EVALUATION_COLUMNS, INSTANCE_COLUMNS, VERIFICATION_COLUMNS } from '../../../../data/tables/columns';
import { writeParquet } from '../../../../data/tables/parquet';
import { writeBundle } from '../../../../pages/explore/bundle';
import { readFilter } from '../../../../pages/explore/filter';
import { InstanceIndex } from '../../../../pages/explore/instance-index';
import { readInstanceView } from '../../../../pages/explore/instance-view';
import { openSources } from '../../../../pages/explore/sources';
import type { Instance } from '../../../../schemas/dataset/instance';
import { openData } from '../../../../data/sets/open';
import { openReview } from '../../../../runs/review/open-review';
import { Annotations } from '../../../../runs/review/folder';
import type { ReviewTask } from '../../../../schemas/review/review';
import { annotate } from '../../runs/review/review-folder';
import { buildPersona } from '../../rules/verification/persona';
import { createTemporaryFolder } from '../../../temporary-folder';
import { buildResults } from '../../runs/tables/results';
import { buildVerificationResults } from '../../verification-results';

const folder = createTemporaryFolder();

function makeInstance(number: number): Instance {
  return {
    persona_id: `${number}+nurse`,
    instance_type: number % 2 === 0 ? 'changing' : 'consistent',
    current_request: `Request ${number}`,
    current_context_factor: 'The ward',
    current_contextual_preference: 'Brief answers.',
    current_checklist: ['Is the answer brief?'],
    prior_interactions: [
      {
        context_factor: 'The ward',
        contextual_preference: 'Brief answers.',
        dialogue: [
          { role: 'user', content: `Hello from number ${number}.` },
          { role: 'assistant', content: 'Hello.' },
        ],
      },
    ],
  };
}

const INSTANCES = Array.from({ length: 250 }, (_, at) => makeInstance(at + 1));

async function openIndex(...names: string[]) {
  const sources = await openSources(names, { report: () => undefined, environment: {} });
  return { sources, index: await InstanceIndex.open(sources) };
}

test('a long request is cut between characters', async () => {
  const path = join(folder, 'long.jsonl');
  const current_request = `${'a'.repeat(159)}😀 and more`;
  writeFileSync(path, JSON.stringify({ ...makeInstance(1), current_request }));
  const { index } = await openIndex(path);
  await index.waitFor(1);
  expect(index.rows[0]?.request).toBe(`${'a'.repeat(159)}…`);
  await index.close();
});

test.each(['parquet', 'jsonl'])(
  'instances of a %s file are found, filtered and read one by one',
  async (format) => {
    const path = join(folder, `data.${format}`);
    if (format === 'parquet') await writeParquet(path, INSTANCE_COLUMNS, INSTANCES);
    else writeFileSync(path, INSTANCES.map((instance) => `${JSON.stringify(instance)}\n`).join(''));
    const { sources, index } = await openIndex(path);
    await index.waitFor(INSTANCES.length + 1);
    expect(index.progress()).toMatchObject({ indexed: 250, live: false, problems: [] });
    for (const number of [1, 100, 101, 250]) {
      const instance = INSTANCES[number - 1];
      const row = index.find(`${number}+nurse`, instance?.instance_type ?? '');
      expect((await sources.instances.read(row?.place ?? -1)).instance).toEqual(instance);
    }
    const select = async (query: Record<string, string>) =>
      (await index.select(readFilter(query, []))).map(({ persona }) => persona);
    expect(await select({ q: 'FROM NUMBER 24' })).toEqual(
      [24, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249].map((number) => `${number}+nurse`),
    );
    expect(await select({ q: 'request 24', type: 'consistent', persona: '249' })).toEqual(['249+nurse']);
    await index.close();
  },
);

test('rows that are not sound are named, and the others shown', async () => {
  const path = join(folder, 'unsound.jsonl');
  const rows = [
    makeInstance(1),
    { ...makeInstance(2), instance_type: 'other' },
    makeInstance(1),
    makeInstance(3),
  ];
  writeFileSync(path, `${rows.map((row) => JSON.stringify(row)).join('\n')}\nno JSON\n`);
  const { index } = await openIndex(path);
  await index.waitFor(10);
  expect(index.rows.map(({ persona }) => persona)).toEqual(['1+nurse', '3+nurse']);
  expect(index.progress().problems).toEqual([
    expect.stringContaining('line 2: expected one of'),
    '1+nurse, consistent occurs twice. The first one is shown.',
    expect.stringContaining('line 5: not JSON'),
  ]);
  await index.close();
});

const damage = (path: string) => writeFileSync(path, 'PAR1');
const link = (path: string) => {
  rmSync(path, { force: true });
  symlinkSync(writeData(join(folder, 'elsewhere.jsonl')), path);
};

test.each([
  ['verification.parquet', 'damaged-verdicts', damage],
  ['results.json', 'damaged-numbers', damage],
  ['results.parquet', 'damaged-rows', damage],
  ['verification.parquet', 'linked-verdicts', link],
  ['results.json', 'linked-numbers', link],
  ['results.parquet', 'linked-rows', link],
])('instances beside a %s (%s) are shown, and the file is named', async (file, name, spoil) => {
  const path = writeData(join(folder, `${name}.jsonl`));
  const beside = join(folder, name);
  mkdirSync(beside);
  await writeParquet(join(beside, 'results.parquet'), EVALUATION_COLUMNS, []);
  writeFileSync(join(beside, 'results.json'), JSON.stringify(buildResults([])));
  spoil(join(beside, file));
  await expectShown([path, beside], join(beside, file));
});

test.each(['verification.parquet', 'results.parquet', 'results.json'])(
  'the data in a folder with a link named %s are shown, and a link that is read is named',
  async (file) => {
    const data = join(folder, `data with ${file}`);
    mkdirSync(data);
    await writeParquet(join(data, 'test.parquet'), INSTANCE_COLUMNS, [makeInstance(1)]);
    link(join(data, file));
    await expectShown([data], file === 'results.json' ? undefined : join(data, file));
  },
);

test.each<[state: string, simulated: boolean | undefined, spoil: (path: string) => unknown]>([
  ['a link', undefined, link],
  ['damaged', undefined, damage],
  ['damaged', true, damage],
  ['without a column', true, (path) => writeParquet(path, INSTANCE_COLUMNS, [makeInstance(1)])],
])(
  'instances beside a provenance.parquet that is %s are shown (card: %j)',
  async (state, simulated, spoil) => {
    const data = join(folder, `provenance ${state} ${simulated}`);
    mkdirSync(data);
    await writeParquet(join(data, 'test.parquet'), INSTANCE_COLUMNS, [makeInstance(1)]);
    if (simulated === true) writeFileSync(join(data, 'README.md'), '**Simulated data: nobody wrote it.**\n');
    await spoil(join(data, 'provenance.parquet'));
    await expectShown([data], join(data, 'provenance.parquet'));
  },
);

test('a folder that has a link instead of results, and nothing else, is refused by the name of the link', async () => {
  const results = join(folder, 'only-a-link');
  mkdirSync(results);
  link(join(results, 'results.parquet'));
  await expect(openIndex(results)).rejects.toThrow(`${join(results, 'results.parquet')} is a symbolic link`);
});

/** Writes data with one instance, and returns its path. */
function writeData(path: string): string {
  writeFileSync(path, `${JSON.stringify(makeInstance(1))}\n`);
  return path;
}

/** Expects the one instance of these names, beside a file that is named as a problem, for which there is no bundle. */
async function expectShown(names: readonly string[], problem: string | undefined): Promise<void> {
  const { sources, index } = await openIndex(...names);
  await index.waitFor(2);
  const [row] = index.rows;
  if (row === undefined) throw new Error('There is no instance.');
  expect(await readInstanceView(sources, index, row, undefined)).toMatchObject({
    instance: makeInstance(1),
    results: [],
  });
  expect(index.progress().problems).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)]);
  await index.close();
  if (problem === undefined) return;
  const bundle = join(folder, `bundle-${hashText(problem)}`);
  const writing = writeBundle(names, bundle, { report: () => undefined, environment: {} });
  await expect(writing).rejects.toThrow(problem);
  expect(existsSync(bundle)).toBe(false);
}

test('scores and verdicts of other data than is shown are named, and those of this data are not', async () => {
  const path = join(folder, 'shown.jsonl');
  writeFileSync(path, `${JSON.stringify(makeInstance(1))}\n`);
  const { sha256 } = await hashFile(path);
  const [results, verification] = [join(folder, 'results'), join(folder, 'verification')];
  for (const name of [results, verification]) mkdirSync(name);
  await writeParquet(join(results, 'results.parquet'), EVALUATION_COLUMNS, []);
  await writeParquet(join(verification, 'verification.parquet'), VERIFICATION_COLUMNS, []);
  const open = async (hash: string) => {
    const evaluated = buildResults([]);
    const data = { ...evaluated.data, sha256: hash };
    writeFileSync(join(results, 'results.json'), JSON.stringify({ ...evaluated, data }));
    writeFileSync(join(verification, 'verification.json'), JSON.stringify(buildVerificationResults(hash)));
    const { index } = await openIndex(path, results, verification);
    await index.waitFor(2);
    await index.close();
    return index;
  };
  const current = await open(sha256);
  expect([current.warnings, current.progress().problems]).toEqual([[], []]);
  expect((await open('ab12')).warnings).toEqual([
    expect.stringContaining(`The scores in ${results} may not fit the texts shown here`),
    expect.stringContaining(`The verdicts in ${verification} may not fit the texts shown here`),
  ]);
});

test('labels of raters are shown with their instances, also while the review is in progress', async () => {
  const path = join(folder, 'reviewed.jsonl');
  const instances = buildPersona();
  writeFileSync(path, instances.map((instance) => `${JSON.stringify(instance)}\n`).join(''));
  const options = { report: () => undefined, environment: {} };
  const reviewed = join(folder, 'reviewed');
  const review = await openReview(
    reviewed,
    await openData(path, options),
    { rater: ['anna', 'ben'] },
    options,
  );
  const annotations = await Annotations.open(reviewed);
  const say = (rater: string, task: ReviewTask, label: string, rejection: string | null = null) =>
    annotations.add(annotate(task, label, rater, { rejection }));
  // They agree on everything but the preference that replaced the first one.
  for (const task of review.tasks.values()) {
    const isReplaced = task.instance_types.join() === 'changing';
    await say('anna', task, task.kind === 'request' ? 'Not Covered' : 'Fully Covered');
    await say('ben', task, isReplaced || task.kind === 'request' ? 'Not Covered' : 'Fully Covered');
  }
  const { index } = await openIndex(path, reviewed);
  await index.waitFor(instances.length + 1);
  expect([index.warnings, index.progress().problems]).toEqual([[], []]);
  const select = async (labels: string) =>
    (await index.select(readFilter({ labels }, []))).map(({ type }) => type);
  expect(await select('differ')).toEqual(['changing']);
  expect(await select('accepted')).toEqual(['consistent', 'contrastive']);
  expect(await select('rejected')).toEqual(['changing']);
  const row = index.rows.find(({ type }) => type === 'changing');
  if (row === undefined) throw new Error('There is no instance.');
  expect(index.labels.list(row).filter(({ differ }) => differ)).toMatchObject([
    { kind: 'preference', outcome: 'rejected', raters: ['anna', 'ben'] },
  ]);
  expect(index.review).toMatchObject({
    summary: { tasks: 4, decidedTasks: 4 },
    instances: { accepted: 2, rejected: 1, open: 0, none: 0, differ: 1 },
  });
  await index.close();
});
