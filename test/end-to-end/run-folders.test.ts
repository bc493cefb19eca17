import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Ended } from './command';
import { runLoaded } from './loaded-command';
import { endLeftovers, interrupt, startCommand, untilSaid } from './processes';
import { expectRefusal, readFilesBelow } from './refusal';
import { readResultRows } from './results';
import { editSealed } from '../edit-sealed';
import { createTemporaryFolder } from '../temporary-folder';

const root = createTemporaryFolder();
const inRoot = (...names: string[]) => join(root, ...names);
const RUN = inRoot('run');
const RESULTS = inRoot('results');
const UNVERIFIED = 'CUPID-Unverified';
const CARD = `${UNVERIFIED}/README.md`;

beforeAll(async () => {
  expect(await synth(RUN)).toMatchObject({ code: 0 });
  expect(await evaluate(RESULTS, '--data', RUN)).toMatchObject({ code: 0 });
});

describe('a new run', () => {
  test('is refused where it would replace a file of another origin, and the folder stays as it was', async () => {
    const other = inRoot('other');
    mkdirSync(join(other, UNVERIFIED), { recursive: true });
    writeFileSync(join(other, UNVERIFIED, 'test.parquet'), 'of another origin');
    await refused(other, () => synth(other), 2, [
      `${UNVERIFIED}/test.parquet`,
      'Move them away, or name another --output-dir',
    ]);
  });

  test('is refused over the outputs of a run of which nothing else is left', async () => {
    const orphaned = copyOf(RUN, 'orphaned', ['.cupid', 'run.json']);
    await refused(orphaned, () => synth(orphaned), 2, [CARD, 'CUPID-Raw/test.parquet', 'provenance.parquet']);
    const results = copyOf(RESULTS, 'orphaned-results', ['.cupid', 'run.json']);
    await refused(results, () => evaluate(results, '--data', RUN), 2, [
      'results.json, results.parquet, results.txt, instances',
      'name another --results-dir',
    ]);
  });

  test('is refused in the folder of a data set', async () => {
    const set = join(RUN, UNVERIFIED);
    for (const [results, says] of [
      [set, `${set} is the folder of a data set:`],
      [join(set, 'deep', 'results'), `in the folder of a data set, ${set}:`],
    ] as const) {
      await refused(RUN, () => evaluate(results, '--data', RUN), 2, [says]);
      await refused(RUN, () => evaluate(results, '--data', join(set, 'test.parquet')), 2, [set]);
    }
    await refused(RUN, () => synth(join(set, 'run')), 2, ['Name a folder outside it with --output-dir']);
    const exported = inRoot('exported-run');
    expect(await runLoaded(['export', RUN, '--output-dir', exported])).toMatchObject({ code: 0 });
    await refused(exported, () => synth(exported), 2, [`${exported} is the folder of a data set:`]);
    const plain = inRoot('plain');
    cpSync(join(set, 'test.parquet'), join(plain, 'test.parquet'), { recursive: true });
    await refused(plain, () => evaluate(join(plain, 'results'), '--data', plain), 2, [plain]);
  });

  test('that is refused leaves no folder behind, and an empty one empty', async () => {
    const data = inRoot('faulty.jsonl');
    writeFileSync(data, '{"persona_id":7}\n');
    mkdirSync(inRoot('empty'));
    for (const results of [inRoot('new', 'deep'), inRoot('empty')]) {
      expectRefusal(await evaluate(results, '--data', data), 2, [`${data}, line 1, field persona_id`]);
    }
    expect(existsSync(inRoot('new'))).toBe(false);
    // Sound data, and a budget that cannot be kept: the model has no price.
    const unpriced = ['--model=openai-compatible:none@http://127.0.0.1:9/v1', '--budget=1usd'];
    for (const results of [inRoot('new', 'deep'), inRoot('empty')]) {
      expectRefusal(await evaluate(results, '--data', RUN, ...unpriced), 2, [
        'needs the price of every model',
      ]);
    }
    expect(existsSync(inRoot('new'))).toBe(false);
    expect(readdirSync(inRoot('empty'))).toEqual([]);
  });
});

describe('a folder of an unreleased version', () => {
  test('is refused by every command, but its output is a data set', async () => {
    const [run, results] = [copyOf(RUN, 'unreleased'), copyOf(RESULTS, 'unreleased-results')];
    editSealed(join(run, '.cupid/inputs/run.json'), removeFormat);
    editSealed(join(results, '.cupid/inputs/evaluation.json'), removeFormat);
    await refused(run, () => synth(run), 1, saysOf(run));
    await refused(run, () => synth(run, '--estimate'), 1, saysOf(run));
    await refused(results, () => evaluate(results, '--data', RUN), 1, saysOf(results));
    for (const folder of [run, results]) {
      for (const command of ['status', 'failures', 'retry', 'pause', 'worker', 'report', 'explore']) {
        await refused(folder, () => runLoaded([command, folder]), 1, saysOf(folder));
      }
      await refused(folder, () => runLoaded(['push', folder, 's3://bucket/run']), 1, saysOf(folder));
    }
    expect(await runLoaded(['validate', run])).toMatchObject({ code: 0 });
    expect(await evaluate(inRoot('of-unreleased'), '--data', run)).toMatchObject({ code: 0 });
  });
});

describe('a file that the run did not write', () => {
  test('is left when the run is extended, with its data set, until it is moved away', async () => {
    const grown = copyOf(RUN, 'grown');
    appendFileSync(join(grown, CARD), '\nA note.\n');
    const before = readFilesBelow(join(grown, UNVERIFIED));
    const ended = await synth(grown, '--n-personas=2');
    expect(ended).toMatchObject({ code: 3, stdout: expect.stringContaining('2 personas, 6 instances') });
    expect(ended.stdout).toContain(`1 file differs from what this run wrote and was left unchanged: `);
    expect(ended.stdout).toContain('2 files of the same data were not updated: ');
    expect(readFilesBelow(join(grown, UNVERIFIED))).toEqual(before);

    renameSync(join(grown, CARD), inRoot('moved.md'));
    const again = await synth(grown, '--n-personas=2');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Written again: ') });
    expect(readFileSync(join(grown, CARD), 'utf8')).toContain('num_examples: 6');
  });

  test('is left when an evaluation is extended, with the other results, until it is moved away', async () => {
    const grown = copyOf(RESULTS, 'grown-results');
    appendFileSync(join(grown, 'results.json'), '\n');
    writeFileSync(join(grown, 'instances', 'notes.txt'), 'mine');
    const before = readFileSync(join(grown, 'results.txt'), 'utf8');
    const ended = await evaluate(grown, '--data', RUN, '--context=none');
    expect(ended).toMatchObject({ code: 3 });
    expect(ended.stdout).toContain(`then run cupid eval --results-dir`);
    expect(readFileSync(join(grown, 'results.txt'), 'utf8')).toBe(before);

    rmSync(join(grown, 'results.json'));
    expect(await runLoaded(['eval', '--results-dir', grown, '--rescore'])).toMatchObject({ code: 0 });
    expect(readFileSync(join(grown, 'results.txt'), 'utf8')).toContain('none');
    expect(readFileSync(join(grown, 'instances', 'notes.txt'), 'utf8')).toBe('mine');
  });
});

describe('a folder whose .cupid is gone', () => {
  let lost: string;
  let lostResults: string;
  beforeAll(() => {
    lost = copyOf(RUN, 'lost', ['.cupid']);
    lostResults = copyOf(RESULTS, 'lost-results', ['.cupid']);
  });

  test('is refused by every command that needs it, which says what is missing and what still works', async () => {
    const says = ['.cupid is missing', `cupid eval --data ${lost}`, `Restore ${lost}/.cupid from a copy`];
    await refused(lost, () => synth(lost), 1, says);
    await refused(lost, () => synth(lost, '--n-personas=2'), 1, says);
    await refused(lost, () => synth(lost, '--estimate'), 1, says);
    for (const command of ['status', 'failures', 'retry', 'pause']) {
      await refused(lost, () => runLoaded([command, lost]), 1, says);
    }
    const saysOfResults = ['.cupid is missing', 'results.parquet in ', 'name another --results-dir'];
    await refused(lostResults, () => evaluate(lostResults, '--data', RUN), 1, saysOfResults);
    await refused(
      lostResults,
      () => runLoaded(['eval', '--results-dir', lostResults, '--rescore']),
      1,
      saysOfResults,
    );
    await refused(lostResults, () => runLoaded(['status', lostResults]), 1, saysOfResults);
    await refused(
      lostResults,
      () => evaluate(inRoot('compared'), '--data', RUN, '--compare', lostResults),
      1,
      saysOfResults,
    );
  });

  test('still is a data set: it is validated, exported and evaluated on', async () => {
    expect(await runLoaded(['validate', lost])).toMatchObject({ code: 0 });
    expect(
      await runLoaded(['export', lost, '--format=reference', '--output-dir', inRoot('exported')]),
    ).toMatchObject({ code: 0 });
    expect(await evaluate(inRoot('of-lost'), '--data', lost)).toMatchObject({ code: 0 });
  });
});

test('a run’s folder is a data set to evaluate on, whose models the results name', async () => {
  const rows = [...(await readResultRows(RESULTS)).values()];
  expect(rows).toMatchObject([{ state: 'scored', simulated: true, synthesizer: 'simulated:default' }]);
});

describe('a folder of another kind than the command works in', () => {
  const FOLDERS = {
    run: RUN,
    results: RESULTS,
    verification: inRoot('verification'),
    review: inRoot('review'),
    set: join(RUN, UNVERIFIED),
    empty: inRoot('nothing'),
    file: inRoot('file'),
    missing: inRoot('missing'),
  };
  type Kind = keyof typeof FOLDERS;
  const NO_RUN: readonly Kind[] = ['review', 'set', 'empty', 'file', 'missing'];
  const NO_DATA: readonly Kind[] = ['results', 'verification', 'review', 'empty', 'file', 'missing'];
  const NO_RESULTS: readonly Kind[] = ['run', 'verification', ...NO_RUN];

  beforeAll(async () => {
    mkdirSync(FOLDERS.empty);
    writeFileSync(FOLDERS.file, 'text');
    const verify = ['verify', RUN, '--results-dir', FOLDERS.verification, '--model=simulated:default'];
    expect((await runLoaded([...verify, '--no-check'])).code).not.toBe(1);
    const page = startCommand(reviewArgs(FOLDERS.review));
    await untilSaid(page, 'Open these links');
    await interrupt(page);
  });
  afterAll(endLeftovers);

  const exportArgs = (...more: string[]) => ['export', `--output-dir=${inRoot('unwritten')}`, ...more];
  const raters = ['--rater=anna', '--rater=ben'];
  const reviewArgs = (folder: string) => ['review', RUN, '--results-dir', folder, ...raters];

  test('is named by what it contains', async () => {
    await refused(RESULTS, () => synth(RESULTS), 2, ['contains an evaluation. Name another --output-dir.']);
    const says = ['contains a synthesis run. Name another --results-dir.'];
    await refused(RUN, () => evaluate(RUN, '--data', RUN), 2, says);
    const { verification } = FOLDERS;
    const evaluation = () => evaluate(verification, '--data', RUN);
    await refused(verification, evaluation, 2, ['contains a verification']);
  });

  test('is named by its review, of which status shows the progress', async () => {
    const { review } = FOLDERS;
    expect(await runLoaded(['status', review])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        `Its page is not served. Continue: cupid review ${RUN} --results-dir ${review}`,
      ),
    });
    for (const command of ['pause', 'resume', 'cancel', 'failures']) {
      const says = [`contains a review, not a run: cupid status ${review} shows its progress`];
      await refused(review, () => runLoaded([command, review]), 2, says);
    }
    await refused(review, () => runLoaded(['retry', review]), 2, ['contains a review. Name another']);
    const watch = ['--watch follows a run, but ', 'contains a review. Leave it out.'];
    await refused(review, () => runLoaded(['status', review, '--watch']), 2, watch);
  });

  test.each<[command: string, kinds: readonly Kind[], args: (folder: string) => string[]]>([
    ['status', ['set', 'empty', 'file', 'missing'], (folder) => ['status', folder]],
    ...['pause', 'resume', 'cancel', 'failures', 'retry', 'worker', 'report'].map(
      (name): [string, readonly Kind[], (folder: string) => string[]] => [
        name,
        NO_RUN,
        (folder) => [name, folder],
      ],
    ),
    ['server', NO_RUN, (folder) => ['server', '--output-dir', folder]],
    ['replay', ['run', 'results', 'set', 'missing'], (folder) => ['replay', folder]],
    ['explore', ['review', 'empty', 'file', 'missing'], (folder) => ['explore', folder]],
    ['validate', NO_DATA, (folder) => ['validate', folder]],
    ['export', NO_DATA, (folder) => exportArgs(folder, '--format=jsonl')],
    ['export of scores', NO_RESULTS, (folder) => exportArgs(folder, '--format=every-eval-ever')],
    [
      'export --verified',
      ['run', 'results', ...NO_RUN],
      (folder) => exportArgs(RUN, '--format=jsonl', `--verified=${folder}`),
    ],
    [
      'export --hardest',
      NO_RESULTS,
      (folder) => exportArgs(RUN, '--format=jsonl', '--hardest=1', `--results=${folder}`),
    ],
    [
      'import',
      ['run', ...NO_DATA, 'set'],
      (folder) => ['import', folder, `--output-dir=${inRoot('unwritten')}`],
    ],
    ['publish', NO_DATA, (folder) => ['publish', folder, '--repo=kim/cupid', '--dry-run']],
    ['synth', ['results', 'verification', 'review', 'set', 'file'], synthArgs],
    [
      'eval',
      ['run', 'verification', 'review', 'set', 'file'],
      (folder) => evaluateArgs(folder, '--data', RUN),
    ],
    ['eval --data', NO_DATA, (folder) => evaluateArgs(inRoot('unwritten'), '--data', folder)],
    [
      'eval --compare',
      NO_RESULTS,
      (folder) => evaluateArgs(inRoot('unwritten'), '--data', RUN, '--compare', folder),
    ],
    [
      'verify',
      ['run', 'results', 'review', 'set', 'file'],
      (folder) => ['verify', RUN, '--results-dir', folder, '--model=simulated:default'],
    ],
    ['verify DATA', NO_DATA, (folder) => ['verify', folder, '--model=simulated:default']],
    [
      'review',
      ['run', 'results', 'verification', 'set', 'file'],
      (folder) => [...reviewArgs(folder), '--finish'],
    ],
    ['review DATA', NO_DATA, (folder) => ['review', folder, '--rater=anna', '--rater=ben']],
  ])('%s is wrong usage', async (_, kinds, args) => {
    for (const kind of kinds) {
      const watched = FOLDERS[kind === 'file' ? 'empty' : kind];
      await refused(watched, () => runLoaded(args(FOLDERS[kind])), 2, []);
    }
    expect(readFileSync(FOLDERS.file, 'utf8')).toBe('text');
    expect(existsSync(inRoot('unwritten'))).toBe(false);
  });
});

test('a run whose built data sets are gone builds them again, and calls no model', async () => {
  const damaged = copyOf(RUN, 'damaged', ['.cupid/datasets', 'CUPID-Raw']);
  const journal = readFilesBelow(join(damaged, '.cupid', 'packs'));
  expect(await synth(damaged)).toMatchObject({ code: 0 });
  expect(readFilesBelow(join(damaged, '.cupid', 'packs'))).toEqual(journal);
  expect(readFilesBelow(join(damaged, 'CUPID-Raw'))).toEqual(readFilesBelow(join(RUN, 'CUPID-Raw')));
});

async function synth(folder: string, ...more: string[]): Promise<Ended> {
  return runLoaded([...synthArgs(folder), ...more]);
}

function synthArgs(folder: string): string[] {
  const small = ['--model=simulated:default', '--n-personas=1', '--n-sessions=9', '--max-turns=2'];
  return ['synth', '--output-dir', folder, ...small];
}

function removeFormat(document: string): string {
  return document.replace(/"format":\d+,/, '');
}

function saysOf(folder: string): string[] {
  return [`${folder} was made by an unreleased version of cupid`, 'use commit '];
}

async function evaluate(folder: string, ...more: string[]): Promise<Ended> {
  return runLoaded(evaluateArgs(folder, ...more));
}

function evaluateArgs(folder: string, ...more: string[]): string[] {
  const who = ['--model=simulated:default', '--evaluator=simulated:default', '--limit=1'];
  return ['eval', '--results-dir', folder, ...who, ...more];
}

function copyOf(folder: string, name: string, without: readonly string[] = []): string {
  cpSync(folder, inRoot(name), { recursive: true });
  for (const path of without) rmSync(inRoot(name, path), { recursive: true });
  return inRoot(name);
}

/** Expects this refusal, and that the folder is as it was before. */
async function refused(
  folder: string,
  command: () => Promise<Ended>,
  code: number,
  says: readonly string[],
): Promise<void> {
  const before = readFilesBelow(folder);
  expectRefusal(await command(), code, says);
  expect(readFilesBelow(folder)).toEqual(before);
}
