import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLicense } from '../../../data/card/edit';
import { withFiles } from '../../../data/card/dataset-info';
import { INSTANCE_COLUMNS, RECORD_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import {
  type PublishProgress,
  UnsoundData,
  type PublicationRequest,
  type PublishSurroundings,
} from '../../../publishing/publish';
import type { Publication } from '../../../schemas/dataset/publication';
import { DataError } from '../../../data/store/data-error';
import { expectGolden, expectGoldenErrors, type RefusedCall, type TitledText } from '../../golden';
import { NOBODY } from '../../stand-in/nobody';
import type { Stage, Transfer } from '../../stand-in/hub-faults';
import { HubStandIn } from '../../stand-in/hub-server';
import { publishWith, readContents, REPO, runFolder } from './publishable';
import { CANARY, SEED, buildSoundInstances, buildSoundRecords } from './sound-data';

const TOKEN = 'hf_ofTheseTests';
const FILES = ['README.md', 'provenance.parquet', 'test.parquet'];
const TRANSFERS = ['basic', 'xet'] as const;

const made = mkdtempSync(join(tmpdir(), 'cupid-publish-'));
let folder: string;
let run: string;
let hub: HubStandIn;
let reports: string[];

beforeAll(async () => {
  await runFolder(join(made, 'run'), { personas: 1 });
  await runFolder(join(made, 'simulated'), { personas: 1, simulated: true });
});
afterAll(() => rmSync(made, { recursive: true }));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cupid-publish-'));
  run = join(folder, 'run');
  cpSync(join(made, 'run'), run, { recursive: true });
  hub = await startHub();
  reports = [];
});
afterEach(async () => {
  await hub.stop();
  // The token is only ever sent to the Hub.
  for (const { host, authorization, path } of hub.received) {
    if (host === 'store') expect(authorization ?? '').not.toContain(TOKEN);
    expect(path).not.toContain(TOKEN);
  }
  expect(reports.join('\n')).not.toContain(TOKEN);
  rmSync(folder, { recursive: true });
});

describe('a data set is published', () => {
  test.each(TRANSFERS)('in one commit on top of the one it was compared with (%s)', async (transfer) => {
    hub.transfer = transfer;
    const phases = new Set<string>();
    const published = await publish({}, { progress: (at) => phases.add('phase' in at ? at.phase : at.path) });
    const [commit, initial, ...more] = hub.commits(REPO);
    expect(published).toEqual({
      repo: REPO,
      url: `${hub.url}/datasets/${REPO}`,
      branch: 'main',
      commit: commit?.id,
      loadingCode: `load_dataset("${REPO}", split="test")`,
      unchanged: false,
      dryRun: false,
      files: [
        expect.objectContaining({ path: '.gitattributes', state: 'kept' }),
        ...FILES.map((path) => ({ path, bytes: readContents(run, path).length, state: 'new' })),
      ],
    });
    expect(more).toEqual([]);
    expect(commit).toMatchObject({
      parent: initial?.id,
      author: 'kim',
      title: expect.stringContaining('cupid'),
    });
    expectAllThere();
    expect([...hub.files(REPO).keys()].toSorted()).toEqual(['.gitattributes', ...FILES]);
    expect(hub.isPrivate(REPO)).toBe(false);
    expect(reports).toEqual([
      expect.stringContaining('its'),
      'Not part of the data set, so not published: test.arrow.',
      `Creating the data set ${REPO} (public).`,
    ]);
    expect([...phases]).toEqual(
      expect.arrayContaining(['checking', 'comparing', 'uploading', 'committing', 'test.parquet']),
    );
  });

  test('privately, to a branch of its own, under an organization', async () => {
    const published = await publish({ repo: 'lab/new', private: true, branch: 'v2' });
    expect(hub.isPrivate('lab/new')).toBe(true);
    expect(published.url).toBe(`${hub.url}/datasets/lab/new/tree/v2`);
    expect(published.loadingCode).toBe('load_dataset("lab/new", split="test", revision="v2")');
    expect(reports).toContain('Creating the data set lab/new (private).');
    expect(hub.commits('lab/new')).toHaveLength(1);
    expect(hub.commits('lab/new', 'v2')[0]?.id).toBe(published.commit);
    expectAllThere('lab/new', 'v2');
    expect(reports.join('\n')).not.toContain('is private on the Hub');
    await publish({ repo: 'lab/new' });
    expect(reports.at(-1)).toBe(
      'lab/new is private on the Hub: only users with access to it will see what is published.',
    );
  });

  test('with a token for this data set alone', async () => {
    hub.users.set(TOKEN, { name: 'kim', role: 'fineGrained', writes: [REPO] });
    hub.makeRepository(REPO);
    await publish();
    expectAllThere();
    hub.makeRepository('kim/other');
    const error = await refusalOf(publish({ repo: 'kim/other' }));
    expect(error.message).toContain('Use a token with write permission for kim/other');
  });

  test('though the Hub does not show at once what it made: a repeat continues', async () => {
    const headers = { 'x-error-code': 'RepoNotFound' };
    hub.when('create', () => hub.refuse('info', 404, 'Repository not found', { headers }));
    const error = await refusalOf(publish());
    expect(error.message).toBe(
      `The Hub does not show ${REPO} yet, although it created it. Wait a few minutes.`,
    );
    expect(await publish()).toMatchObject({ unchanged: false });
    expectAllThere();
  });

  test('again: the same bytes make no commit, changed ones change only what differs', async () => {
    const first = await publish();
    hub.received.length = 0;
    const again = await publish();
    expect(again).toMatchObject({ unchanged: true, commit: first.commit });
    expect(hub.commits(REPO)).toHaveLength(2);
    expect(hub.received.map(({ method }) => method)).not.toContain('POST');
    appendToCard();
    const changed = await publish();
    expect(statesOf(changed)).toEqual({
      '.gitattributes': 'kept',
      'README.md': 'changed',
      'provenance.parquet': 'same',
      'test.parquet': 'same',
    });
    expect(hub.commits(REPO)).toHaveLength(3);
    expectAllThere();
  });

  test('from its own folder as from the run’s, and with the license and all that its configs name', async () => {
    const own = copyDataSet();
    writeFileSync(join(own, 'LICENSE'), 'Do as you like.\n');
    cpSync(join(own, 'test.parquet'), join(own, 'train-0.parquet'));
    replaceIn(join(own, 'README.md'), 'data_files:\n', TRAIN);
    const published = await publish({ data: own });
    expect(Object.keys(statesOf(published))).toEqual([
      '.gitattributes',
      'LICENSE',
      'README.md',
      'test.parquet',
      'train-0.parquet',
    ]);
  });

  test('with another license, which the card here has as well afterwards', async () => {
    await publish({ license: 'mit' });
    expect(hub.files(REPO).get('README.md')?.toString()).toContain('license: mit');
    expectAllThere();
    expect(await publish({ license: 'mit' })).toMatchObject({ unchanged: true });
  });

  test.each<[string, () => void]>([
    ['the token may only read', () => hub.users.set(TOKEN, { name: 'kim', role: 'read' })],
    ['the Hub refuses the commit', () => hub.refuse('commit', 403, 'Forbidden')],
  ])('with another license, which the card here has only then: not when %s', async (_, prepare) => {
    const before = readContents(run, 'README.md');
    prepare();
    await refusalOf(publish({ license: 'mit' }));
    expect(readContents(run, 'README.md').equals(before)).toBe(true);
  });

  test('with another license, though the card here was changed after it was sent, and stays so', async () => {
    hub.when('commit', () => appendToCard());
    expect(await publish({ license: 'mit' })).toMatchObject({ unchanged: false });
    expect(reports.at(-1)).toMatch(
      /^The license was published but not written to .*README\.md, which was changed in the meantime/,
    );
    expect(readContents(run, 'README.md').toString()).toMatch(/license: cc-by-4\.0[^]*More\.\n$/);
  });

  test('with files of any name, and empty ones, and a branch with a slash', async () => {
    const own = copyDataSet();
    const names = ['the räws 1.parquet', 'below/the räws 2.parquet'];
    mkdirSync(join(own, 'below'));
    for (const name of names) cpSync(join(run, 'CUPID-Unverified', 'test.parquet'), join(own, name));
    writeFileSync(join(own, 'LICENSE'), '');
    rmSync(join(own, 'test.parquet'));
    const [test, train] = names;
    const paths = `path: "${test}"\n      - split: train\n        path: "${train}"`;
    replaceIn(join(own, 'README.md'), 'path: test.parquet', paths);
    const published = await publish({ data: own, branch: 'of/mine' });
    const files = hub.files(REPO, 'of/mine');
    expect([...files.keys()].toSorted()).toEqual(
      ['.gitattributes', 'LICENSE', 'README.md', ...names].toSorted(),
    );
    expect(files.get('LICENSE')).toHaveLength(0);
    expect(published.url).toBe(`${hub.url}/datasets/${REPO}/tree/of%2Fmine`);
    expect(await publish({ data: own, branch: 'of/mine' })).toMatchObject({ unchanged: true });
  });
});

test('the number of warnings that validation found is reported, where there are any', async () => {
  await publish({ dryRun: true });
  expect(reports.join('\n')).not.toContain('warning');
  await runFolder(run, { personas: 1, preferenceInRequest: true });
  await publish({ dryRun: true });
  expect(reports).toContain(
    `Validation found 3 warnings and no errors. Show them: cupid validate ${join(run, 'CUPID-Unverified')}`,
  );
});

describe('of the card that is replaced is reported', () => {
  const dry = { dryRun: true };

  test('that the license changes, and how to keep it', async () => {
    putCard(withLicense(readContents(run, 'README.md').toString(), 'apache-2.0'));
    const change = 'The license changes from apache-2.0 (on the Hub) to';
    await publish(dry);
    expect(reports.at(-1)).toBe(`${change} cc-by-4.0. To keep the license, add --license apache-2.0.`);
    await publish({ ...dry, license: 'mit' });
    expect(reports.at(-1)).toBe(`${change} mit.`);
    putCard('---\nlicense: [odbl]\n---\n# CUPID\n');
    await publish(dry);
    expect(reports.at(-1)).toContain('The license changes from odbl (on the Hub) to');
    putCard(withLicense(readContents(run, 'README.md').toString(), 'apache-2.0'));
    reports = [];
    await publish({ ...dry, license: 'apache-2.0' });
    expect(reports.join('\n')).not.toContain('The license');
    await publish();
    expect(reports.at(-1)).toContain(change);
    expectAllThere();
  });

  test('or nothing is published: when it cannot be read', async () => {
    putCard(RECORDS_CARD);
    hub.refuse('resolve', 500, 'Broken');
    expect((await refusalOf(publish())).message).toContain('failed while reading README.md (500');
    expect(hub.commits(REPO)).toHaveLength(2);
  });

  test('unless the Hub has none after all', async () => {
    putCard('# Ours\n');
    hub.refuse('resolve', 404, 'Entry not found', { headers: { 'x-error-code': 'EntryNotFound' } });
    await publish();
    expect(hub.faultsLeft()).toBe(0);
    expectAllThere();
  });

  test('that it is of another data set', async () => {
    putCard(RECORDS_CARD);
    const kinds = `${REPO} contains records on the Hub, but this data set contains instances. Choose another --repo, or add --replace-kind`;
    const error = await refusalOf(publish());
    expect(error.message).toContain(kinds);
    expect(error).toMatchObject({ again: ['--replace-kind'] });
    expect(hub.commits(REPO)).toHaveLength(2);
    await publish({ dryRun: true });
    expect(reports.join('\n')).toContain(kinds);
    await publish({ replaceKind: true });
    expect(reports.at(-1)).toBe(`${REPO} contains CUPID-Raw. Publishing replaces it with CUPID-Unverified.`);
    appendToCard();
    reports = [];
    await publish();
    expect(reports).toEqual([expect.stringContaining('its'), expect.stringContaining('not published: ')]);
  });
});

describe('what only the Hub has', () => {
  beforeEach(async () => {
    await publish();
    hub.commitTo(REPO, {
      'of-others.txt': 'Of others.',
      'data/old.parquet': 'old',
      'data/.gitattributes': '',
    });
  });

  test('stays there', async () => {
    appendToCard();
    const published = await publish();
    expect(statesOf(published)).toMatchObject({ 'of-others.txt': 'kept', 'data/old.parquet': 'kept' });
    expect(hub.files(REPO).get('of-others.txt')?.toString()).toBe('Of others.');
  });

  test('is removed if the card names it as data: shards of an earlier version', async () => {
    const own = copyDataSet();
    mkdirSync(join(own, 'data'));
    renameSync(join(own, 'test.parquet'), join(own, 'data', 'test-00000-of-00001.parquet'));
    replaceIn(join(own, 'README.md'), 'path: test.parquet', 'path: data/test-*');
    const shards = [0, 1].map((part) => `data/test-0000${part}-of-00002.parquet`);
    hub.commitTo(REPO, Object.fromEntries(shards.map((path) => [path, 'old'])));
    hub.commitTo(REPO, { 'data/test-notes.md': 'Notes.' });
    const expected = {
      ...Object.fromEntries(shards.map((path) => [path, 'removed'])),
      'data/test-00000-of-00001.parquet': 'new',
      'data/test-notes.md': 'kept',
      'data/old.parquet': 'kept',
      'test.parquet': 'kept',
    };
    expect(statesOf(await publish({ data: own, dryRun: true }))).toMatchObject(expected);
    const commits = hub.commits(REPO).length;
    expect(statesOf(await publish({ data: own }))).toMatchObject(expected);
    expect(hub.commits(REPO)).toHaveLength(commits + 1);
    const paths = [...hub.files(REPO).keys()].filter((path) => path.startsWith('data/test-'));
    expect(paths.toSorted()).toEqual(['data/test-00000-of-00001.parquet', 'data/test-notes.md']);
    expect(await publish({ data: own })).toMatchObject({ unchanged: true });
  });

  test('is removed with --prune, but for .gitattributes', async () => {
    const published = await publish({ prune: true });
    expect(statesOf(published)).toMatchObject({
      '.gitattributes': 'kept',
      'data/.gitattributes': 'kept',
      'of-others.txt': 'removed',
      'data/old.parquet': 'removed',
      'test.parquet': 'same',
    });
    expect([...hub.files(REPO).keys()].toSorted()).toEqual([
      '.gitattributes',
      'README.md',
      'data/.gitattributes',
      'provenance.parquet',
      'test.parquet',
    ]);
    expect(await publish({ prune: true })).toMatchObject({ unchanged: true });
  });
});

describe('a dry run only reads', () => {
  test('with the data set there, and not there', async () => {
    const first = await publish({ dryRun: true, license: 'mit', private: true });
    expect(first).toMatchObject({ dryRun: true, unchanged: false });
    expect(Object.values(statesOf(first))).toEqual(['new', 'new', 'new']);
    expect(first.commit).toBeUndefined();
    expect(new Set(hub.received.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(hub.has(REPO)).toBe(false);
    expect(readContents(run, 'README.md').toString()).toContain('license: cc-by-4.0');
    const { commit } = await publish();
    expect(statesOf(await publish({ dryRun: true, license: 'mit' }))).toMatchObject({
      'README.md': 'changed',
    });
    expect(await publish({ dryRun: true, branch: 'v2' })).toMatchObject({ unchanged: false });
    expect(await publish({ dryRun: true })).toMatchObject({ unchanged: true, commit });
    expect(hub.refs(REPO).size).toBe(1);
    expect(reports).toContain(`${REPO} does not exist on the Hub. It would be created, private.`);
    expect(reports).toContain(`Branch v2 of ${REPO} does not exist on the Hub. It would be created.`);
  });

  test.each<[string, Partial<PublicationRequest>, string | undefined]>([
    ['its own', {}, undefined],
    ['its own, with other capitals', { repo: 'Kim/cupid' }, undefined],
    ['an organization that it belongs to', { repo: 'lab/cupid' }, undefined],
    ['another', { repo: 'sam/cupid' }, 'create data sets for sam'],
    ['another, where the data set is', { repo: 'sam/theirs' }, 'write to sam/theirs'],
    [
      'another, where the data set is that anybody may propose to',
      { repo: 'sam/theirs', createPr: true },
      undefined,
    ],
  ])('and says when it cannot know the rights of an account in a namespace (%s)', async (_, wanted, what) => {
    hub.makeRepository('sam/theirs');
    await publish({ dryRun: true, ...wanted });
    expect(reports.filter((line) => line.startsWith('The token belongs to'))).toEqual(
      what === undefined
        ? []
        : [`The token belongs to kim. Whether it may ${what} is known only when it is tried.`],
    );
  });

  test.each<[string, Record<string, string>, string]>([
    ['offline', { HF_HUB_OFFLINE: '1' }, 'HF_HUB_OFFLINE is set'],
    ['where nobody answers', { HF_ENDPOINT: `http://${NOBODY}` }, 'did not answer while checking the token'],
  ])('or nothing, %s: the files are listed with their sizes', async (_, variables, says) => {
    const listed = await publish({ dryRun: true }, { environment: environment(variables) });
    expect(listed).toMatchObject({ dryRun: true, unchanged: false });
    expect(listed.files).toEqual(
      FILES.map((path) => ({ path, bytes: readContents(run, path).length, state: 'unknown' })),
    );
    expect(reports.at(-1)).toContain(says);
    expect(hub.received).toEqual([]);
  });

  test('without a token, and with one that may only read', async () => {
    await publish({ dryRun: true }, { environment: environment({ HF_TOKEN: '' }) });
    expect(reports.at(-1)).toContain('as far as can be seen without a token');
    hub.users.set('hf_reads', { name: 'kim', role: 'read' });
    await publish({ dryRun: true }, { environment: environment({ HF_TOKEN: 'hf_reads' }) });
    expect(reports.join('\n')).toContain('The token from HF_TOKEN has no write permission.');
  });
});

describe('a pull request', () => {
  test('is opened once for the same files', async () => {
    await publish();
    const main = hub.refs(REPO).get('main');
    appendToCard();
    const proposed = await publish({ createPr: true });
    expect(proposed).toMatchObject({
      unchanged: false,
      pullRequest: `${hub.url}/datasets/${REPO}/discussions/1`,
      commit: hub.refs(REPO).get('refs/pr/1'),
    });
    expect(hub.refs(REPO).get('main')).toBe(main);
    expectAllThere(REPO, 'refs/pr/1');
    expect(await publish({ createPr: true })).toMatchObject({
      unchanged: true,
      pullRequest: proposed.pullRequest,
    });
    expect([...hub.refs(REPO).keys()]).toEqual(['main', 'refs/pr/1']);
  });

  test('to a data set of somebody else', async () => {
    hub.makeRepository('sam/theirs');
    const { pullRequest } = await publish({ repo: 'sam/theirs', createPr: true });
    expect(pullRequest).toBe(`${hub.url}/datasets/sam/theirs/discussions/1`);
    expectAllThere('sam/theirs', 'refs/pr/1');
  });

  test('whose answer was lost is found', async () => {
    await publish();
    appendToCard();
    hub.cut('commit-after');
    const { pullRequest } = await publish({ createPr: true });
    expect(pullRequest).toBe(`${hub.url}/datasets/${REPO}/discussions/1`);
    expect([...hub.refs(REPO).keys()]).toEqual(['main', 'refs/pr/1']);
  });
});

describe('a connection that breaks', () => {
  test.each<[Transfer, Stage]>([
    ['basic', 'whoami'],
    ['basic', 'create-after'],
    ['basic', 'branch'],
    ['basic', 'tree'],
    ['basic', 'lfs-batch'],
    ['basic', 'upload'],
    ['basic', 'commit'],
    ['xet', 'xorb'],
    ['xet', 'shard'],
  ])('(%s, %s) is an error, and a repeat completes the publication', async (transfer, stage) => {
    hub.transfer = transfer;
    const wanted = { branch: 'v2' };
    hub.cut(stage, 2);
    const error = await refusalOf(publish(wanted));
    expect(error.message).toMatch(/^The Hub('s store)? \(http.*\) did not answer while .* \(.+\)\. Check/);
    expect(error).toMatchObject({ again: [] });
    hub.cut(stage, -hub.faultsLeft());
    expect(await publish(wanted)).toMatchObject({ unchanged: false });
    expect(hub.commits(REPO, 'v2')).toHaveLength(2);
    expect(hub.commits(REPO)).toHaveLength(1);
    expectAllThere(REPO, 'v2');
  });

  test('costs no file that had arrived', async () => {
    hub.cut('commit');
    await refusalOf(publish());
    hub.received.length = 0;
    await publish();
    expect(stagesOf(hub)).not.toContain('upload');
    expectAllThere();
  });

  test('(xet) costs no file that had arrived, of more than are uploaded at once', async () => {
    hub.transfer = 'xet';
    const own = copyDataSet();
    for (const part of [1, 2, 3, 4, 5, 6, 7]) writeFileSync(join(own, `train-${part}.bin`), `PAR1 ${part}`);
    replaceIn(join(own, 'README.md'), 'data_files:\n', TRAIN);
    // The card and eight files: the first five, then the rest.
    const cut = () => hub.cut('shard', 1000);
    for (const action of [nothing, nothing, nothing, nothing, cut]) hub.when('shard', action);
    await refusalOf(publish({ data: own }));
    hub.cut('shard', -hub.faultsLeft());
    hub.received.length = 0;
    await publish({ data: own });
    expect(stagesOf(hub).filter((stage) => stage === 'shard')).toHaveLength(4);
    expect(await publish({ data: own })).toMatchObject({ unchanged: true });
  });

  test.each<[string, () => void]>([
    ['is lost', () => hub.cut('commit-after')],
    [
      'says that it failed',
      () => {
        const ours = { 'README.md': readContents(run, 'README.md') };
        hub.when('commit', () => void hub.commitTo(REPO, ours));
        hub.refuse('commit', 500, 'Internal Server Error');
      },
    ],
  ])('at a commit whose answer %s: the head is read once, and has the files', async (_, prepare) => {
    await publish();
    appendToCard();
    prepare();
    hub.received.length = 0;
    const published = await publish();
    expect(published).toMatchObject({ unchanged: false, commit: hub.refs(REPO).get('main') });
    expect(hub.commits(REPO)).toHaveLength(3);
    const stages = stagesOf(hub);
    expect(new Set(stages.slice(stages.indexOf('commit') + 1))).toEqual(new Set(['info', 'tree']));
    expect(stages.filter((stage) => stage === 'info')).toHaveLength(2);
  });
});

describe('what the Hub refuses is reported with what to do, and no commit is made', () => {
  type Refused = readonly [
    what: string,
    prepare: () => unknown,
    wanted?: Partial<PublicationRequest>,
    variables?: Record<string, string>,
  ];

  const REFUSED: readonly Refused[] = [
    ['no token', nothing, {}, { HF_TOKEN: '' }],
    ['a token that is none', nothing, {}, { HF_TOKEN: 'hf_mistyped' }],
    [
      'a token that may only read',
      () => hub.users.set('hf_reads', { name: 'kim', role: 'read' }),
      {},
      { HF_TOKEN: 'hf_reads' },
    ],
    ['a data set under another account', nothing, { repo: 'sam/new' }],
    ['a data set that another account has', () => hub.makeRepository('sam/theirs'), { repo: 'sam/theirs' }],
    [
      'a name that is taken by a data set which the account may not see',
      () => {
        hub.add({ name: 'lab/secret', commits: {}, refs: {}, privateFor: [] });
        hub.users.set(TOKEN, { name: 'kim', orgs: [], role: 'write' });
        hub.refuse('create', 409, 'You already created this dataset repo: lab/secret');
      },
      { repo: 'lab/secret' },
    ],
    ['a pull request that is not there', () => hub.makeRepository(REPO), { branch: 'refs/pr/7' }],
    ['a file that is too large', () => (hub.largestObject = 1000)],
    ['storage that is used up', () => hub.refuse('lfs-batch', 403, STORAGE_LIMIT)],
    ['a card that the Hub does not take', () => hub.refuse('commit', 400, 'Invalid metadata in README.md.')],
    ['a commit while another one is made', () => hub.refuse('commit', 409, 'Another commit is in progress.')],
    ['a Hub that fails', () => hub.refuse('preupload', 503, 'Service Unavailable')],
    ['a commit at which it fails', () => hub.refuse('commit', 503, 'Service Unavailable')],
    ['too many requests', () => hub.refuse('tree', 429, 'Too Many Requests')],
    ['to be offline', nothing, {}, { HF_HUB_OFFLINE: '1' }],
  ];

  test('each with its own message', async () => {
    const cases: TitledText[] = [];
    for (const [what, prepare, wanted = {}, variables] of REFUSED) {
      await hub.stop();
      hub = await startHub();
      prepare();
      const error = await refusalOf(publish(wanted, { environment: environment(variables) }));
      expect(error).toMatchObject({ name: 'PublishError' });
      expect(error.message).not.toMatch(/hf_\w/);
      expect(stagesOf(hub)).not.toContain('commit-after');
      const repo = wanted.repo ?? REPO;
      if (hub.has(repo)) expect(hub.commits(repo).length).toBeLessThanOrEqual(1);
      const message = error.message.replaceAll(hub.url, 'HUB').replace(/ID: [-\da-f]+/, 'ID: …');
      cases.push([what, message]);
    }
    expectGolden('refused-publications.txt', cases, folder);
  });

  test('a name that it has given up for another, or writes with other capitals', async () => {
    hub.makeRepository('kim/old');
    hub.rename('kim/old', 'Kim/New');
    const error = await refusalOf(publish({ repo: 'kim/old' }));
    expect(error.message).toBe('On the Hub, kim/old is named Kim/New. Use --repo Kim/New.');
    expect(hub.commits('Kim/New')).toHaveLength(1);
  });

  test('being sent on to somebody else, who does not get the token', async () => {
    const location = `${hub.url.replace('127.0.0.1', 'localhost')}/api/whoami-v2`;
    hub.refuse('whoami', 307, 'Elsewhere.', { headers: { location } });
    await refusalOf(publish());
    expect(hub.received.map(({ host, authorization }) => [host, authorization])).toEqual([
      ['hub', `Bearer ${TOKEN}`],
      ['store', undefined],
    ]);
  });

  test('a token in what it says itself', async () => {
    hub.refuse('whoami', 400, `No good: ${TOKEN}`);
    expect((await refusalOf(publish())).message).toContain('(400: "No good: …")');
  });

  test('an address that nobody answers at', async () => {
    for (const nowhere of [`http://${NOBODY}`, 'http://hub.invalid']) {
      const error = await refusalOf(publish({}, { environment: environment({ HF_ENDPOINT: nowhere }) }));
      expect(error.message).toMatch(`The Hub (${nowhere}) did not answer while checking the token (`);
      expect(error.message).toContain('Check the network and HF_ENDPOINT.');
    }
  });

  test('a commit of somebody else in between, which is not lost, and a repeat goes on top of it', async () => {
    await publish();
    appendToCard();
    hub.when('commit', () => void hub.commitTo(REPO, { 'of-others.txt': 'Of others.' }));
    const error = await refusalOf(publish());
    expect(error.message).toContain(`Branch main of ${REPO} received another commit in the meantime`);
    expect(error).toMatchObject({ again: [] });
    expect(hub.commits(REPO)).toHaveLength(3);
    expect(statesOf(await publish())).toMatchObject({ 'of-others.txt': 'kept', 'README.md': 'changed' });
    expectAllThere();
  });
});

describe('what is wrong here is reported before the Hub is asked', () => {
  afterEach(() => expect(hub.received).toEqual([]));

  test('wrong options', async () => {
    const wrong: readonly Partial<PublicationRequest>[] = [
      { repo: 'cupid' },
      { repo: 'https://huggingface.co/datasets/kim/cupid' },
      { repo: 'kim/cupid--raw' },
      { branch: 'my branch' },
      { branch: 'a'.repeat(40) },
      { license: 'no such licence' },
    ];
    await expectGoldenErrors('refused-publish-options.txt', folder, DataError, [
      ...wrong.map((wanted): RefusedCall => [JSON.stringify(wanted), () => publish(wanted)]),
      ['a file for a folder', () => publish({ data: join(run, 'CUPID-Unverified', 'README.md') })],
    ]);
  });

  test.each<[string, (card: string) => void, string[]]>([
    [
      'a folder without a card',
      (card) => rmSync(card),
      ['has no card (README.md)', 'https://huggingface.co/docs/hub/datasets-cards'],
    ],
    [
      'a config of a file that is not there',
      (card) =>
        replaceIn(card, 'split: test', 'split: train\n        path: train.parquet\n      - split: test'),
      ['"configs" names "train.parquet", but the folder has no such file'],
    ],
  ])('%s', async (_, change, says) => {
    change(join(run, 'CUPID-Unverified', 'README.md'));
    const error = await refusalOf(publish());
    for (const text of says) expect(error.message).toContain(text);
  });

  test('simulated data, unless it is allowed', async () => {
    const simulated = join(folder, 'simulated');
    cpSync(join(made, 'simulated'), simulated, { recursive: true });
    const error = await refusalOf(publish({ data: simulated }));
    expect(error.message).toContain('The data is simulated');
    expect(error.message).toContain('--allow-simulated');
    // Its card may have been edited.
    replaceIn(join(simulated, 'CUPID-Unverified', 'README.md'), /\*\*Simulated.*/, '');
    expect((await refusalOf(publish({ data: simulated }))).message).toContain('The data is simulated');
  });

  test.each(['train-0.parquet', 'train-0.jsonl'])('simulated data of another split: %s', async (name) => {
    const own = copyDataSet();
    replaceIn(join(own, 'README.md'), 'data_files:\n', TRAIN);
    const rows = buildSoundInstances(1);
    if (name.endsWith('.parquet')) {
      await writeParquet(join(own, name), INSTANCE_COLUMNS, rows, { canary: CANARY, simulated: true });
    } else {
      writeFileSync(join(own, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      writeFileSync(join(own, 'manifest.json'), '{"simulated": true}');
    }
    const error = await refusalOf(publish({ data: own, dryRun: true }));
    expect(error.message).toContain(`${join(own, name)} is simulated: `);
    expect(error.message).toContain('--allow-simulated');
  });

  test.each(['train-0.parquet', 'train-0.arrow', 'train-0.jsonl'])(
    'a file of another split that cannot be read: %s',
    async (name) => {
      const own = copyDataSet();
      replaceIn(join(own, 'README.md'), 'data_files:\n', TRAIN);
      writeFileSync(join(own, name), 'PAR1 of others');
      const error = await refusalOf(publish({ data: own, dryRun: true, allowSimulated: true }));
      expect(error).toBeInstanceOf(DataError);
      expect(error.message).toContain(join(own, name));
    },
  );

  test('data with errors', async () => {
    rmSync(join(run, 'CUPID-Unverified', 'test.parquet'));
    rmSync(join(run, 'provenance.parquet'));
    const rows = join(run, 'CUPID-Unverified', 'test.jsonl');
    writeFileSync(rows, '{"persona_id": "1-cook"}\n');
    writeFileSync(
      join(run, 'CUPID-Unverified', 'README.md'),
      '---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: test.jsonl\n---\n',
    );
    const error = await refusalOf(publish({ data: join(run, 'CUPID-Unverified') }));
    expect(error).toBeInstanceOf(UnsoundData);
    expect(error).toMatchObject({ findings: { errors: expect.any(Number) } });
  });
});

test.each(['LICENSE', 'README.md', 'test.parquet'])(
  'a symbolic link is not followed out of the folder: %s',
  async (name) => {
    const file = join(run, 'CUPID-Unverified', name);
    const outside = join(run, '..', `outside-${name}`);
    if (existsSync(file)) renameSync(file, outside);
    else writeFileSync(outside, 'A secret.');
    symlinkSync(outside, file);
    const error = await refusalOf(publish({ data: join(run, 'CUPID-Unverified') }));
    expect(error.message).toContain(`${file} is a symbolic link`);
    expect(hub.received).toEqual([]);
  },
);

test('a data set in the folder of a run is checked against its records', async () => {
  const dataSet = join(run, 'CUPID-Unverified');
  rmSync(join(dataSet, 'test.arrow'));
  writeFileSync(
    join(run, 'run.json'),
    JSON.stringify({ settings: { seed: SEED, nSessions: 13, maxTurns: 16 }, simulated: false }),
  );
  const records = join(run, 'CUPID-Raw');
  const writeRecords = async (personas: number) => {
    const path = 'test.parquet';
    const written = await writeParquet(join(records, path), RECORD_COLUMNS, buildSoundRecords(personas), {
      canary: CANARY,
    });
    writeFileSync(join(records, 'README.md'), withFiles('# Records\n', RECORD_COLUMNS, { path, ...written }));
  };
  await writeRecords(1);
  await publish({ data: dataSet, dryRun: true });
  // One persona has no instances.
  await writeRecords(2);
  const error = await refusalOf(publish({ data: dataSet, dryRun: true }));
  expect(error).toBeInstanceOf(UnsoundData);
  expect(error).toMatchObject({ folder: dataSet, checked: run });
});

test('data of the simulated assistant are recognized without their card, and published where that is allowed', async () => {
  const rewritten = join(folder, 'rewritten');
  mkdirSync(rewritten);
  writeFileSync(join(rewritten, 'README.md'), '---\nlicense: mit\n---\n# Ours\n');
  const writeAnswers = (find: (session: number) => string) => {
    const rows = buildSoundInstances(1).map((instance) => ({
      ...instance,
      prior_interactions: instance.prior_interactions.map((one, session) => ({
        ...one,
        dialogue: one.dialogue.map((message, turn) =>
          turn === 1 ? { ...message, content: find(session) } : message,
        ),
      })),
    }));
    writeFileSync(join(rewritten, 'test.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  };
  const simulated = 'Here is a first draft for the plan. Write down what counts as finished.';
  writeAnswers(() => simulated);
  expect((await refusalOf(publish({ data: rewritten }))).message).toContain('The data is simulated');
  await publish({ data: rewritten, allowSimulated: true, dryRun: true });
  // A real model may begin an answer in this way, too.
  writeAnswers((session) => (session < 5 ? simulated : 'Here is a plan.'));
  await publish({ data: rewritten, dryRun: true });
});

test('simulated data that are allowed are published as what they are', async () => {
  await publish({ data: join(made, 'simulated'), allowSimulated: true });
  expect(hub.files(REPO).get('README.md')?.toString()).toContain('**Simulated data');
});

test.each<Partial<PublicationRequest>>([
  {},
  { branch: 'v2' },
  { branch: 'v2', dryRun: true },
  { createPr: true },
])('what is public already is not published to as private (%j)', async (wanted) => {
  hub.makeRepository(REPO);
  const error = await refusalOf(publish({ private: true, ...wanted }));
  expect(error.message).toContain('is public');
  expect([...hub.refs(REPO).keys()]).toEqual(['main']);
  expect(hub.commits(REPO)).toHaveLength(1);
});

test.each<[string, Partial<PublicationRequest>]>([
  ['README.md', {}],
  ['README.md', { license: 'mit' }],
  ['test.parquet', {}],
])('%s that changes while the data are validated is not published unseen (%j)', async (name, wanted) => {
  const file = join(run, 'CUPID-Unverified', name);
  const progress = (at: PublishProgress) => {
    if ('phase' in at && at.phase === 'checking') writeFileSync(file, changedContents(name));
  };
  const error = await refusalOf(publish(wanted, { progress }));
  expect(error.message).toContain(`${name} changed while it was being published`);
  // The text of somebody else is still there.
  expect(readFileSync(file).equals(changedContents(name))).toBe(true);
});

test.each(TRANSFERS)(
  'a file that changes while several are uploaded is seen, and nothing is committed (%s)',
  async (transfer) => {
    hub.transfer = transfer;
    const own = copyDataSet();
    for (const part of [1, 2, 3, 4, 5]) writeFileSync(join(own, `train-${part}.bin`), randomBytes(1e6));
    replaceIn(join(own, 'README.md'), 'data_files:\n', TRAIN);
    hub.when('preupload', () => appendFileSync(join(own, 'train-3.bin'), 'more'));
    const error = await refusalOf(publish({ data: own }));
    expect(error.message).toContain('train-3.bin changed while it was being published');
    expect(hub.commits(REPO)).toHaveLength(1);
  },
  60_000,
);

test('Ctrl-C ends an upload, and the same command completes it', async () => {
  const stop = new AbortController();
  hub.when('upload', () => stop.abort(new Error('Ctrl-C')));
  expect((await refusalOf(publish({}, { signal: stop.signal }))).message).toBe('Ctrl-C');
  expect(hub.commits(REPO)).toHaveLength(1);
  await publish();
  expect(hub.commits(REPO)).toHaveLength(2);
  expectAllThere();
});

async function startHub(): Promise<HubStandIn> {
  const started = await HubStandIn.start();
  started.users.set(TOKEN, { name: 'kim', orgs: ['lab'], role: 'write' });
  return started;
}

async function publish(
  wanted: Partial<PublicationRequest> = {},
  around: Partial<PublishSurroundings> = {},
): Promise<Publication> {
  const surroundings = { environment: environment(), report: (line: string) => reports.push(line) };
  return publishWith({ data: run, ...wanted }, { ...surroundings, ...around });
}

/** Copies the data set out of the folder of its run. */
function copyDataSet(): string {
  const own = join(folder, 'own');
  cpSync(join(run, 'CUPID-Unverified'), own, { recursive: true });
  return own;
}

const TRAIN = 'data_files:\n      - split: train\n        path: train-*\n';

function replaceIn(file: string, before: string | RegExp, after: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(before, after));
}

function appendToCard(): void {
  appendFileSync(join(run, 'CUPID-Unverified', 'README.md'), '\nMore.\n');
}

/** Has the Hub contain a data set with this card. */
function putCard(text: string): void {
  hub.makeRepository(REPO);
  hub.commitTo(REPO, { 'README.md': text });
}

const STORAGE_LIMIT = 'Private repository storage limit reached, please pay.';
const RECORDS_CARD = '---\npretty_name: CUPID-Raw\nlicense: cc-by-4.0\n---\n# Records\n';

function environment(variables: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { HF_ENDPOINT: hub.url, HF_TOKEN: TOKEN, HF_HOME: join(folder, 'hub'), ...variables };
}

async function refusalOf(publishing: Promise<unknown>): Promise<Error> {
  const error = await publishing.catch((refusal: unknown) => refusal);
  if (!(error instanceof Error)) throw new Error('It was not refused.');
  return error;
}

/** Returns contents of another length that are still valid. */
function changedContents(name: string): Buffer {
  return name === 'README.md'
    ? Buffer.concat([readContents(join(made, 'run'), name), Buffer.from('\nMore.\n')])
    : readContents(join(made, 'simulated'), name);
}

function statesOf({ files }: Publication): Record<string, string> {
  return Object.fromEntries(files.map(({ path, state }) => [path, state]));
}

function expectAllThere(repo = REPO, ref = 'main'): void {
  const files = hub.commits(repo, ref)[0]?.files;
  const same = FILES.filter((path) => {
    const contents = readContents(run, path);
    const { bytes, lfs } = files?.get(path) ?? {};
    // The stores check it.
    if (lfs !== undefined) return lfs.oid === createHash('sha256').update(contents).digest('hex');
    return bytes?.equals(contents) === true;
  });
  expect(same).toEqual(FILES);
}

function stagesOf({ received }: HubStandIn): (Stage | undefined)[] {
  return received.map(({ stage }) => stage);
}

function nothing(): void {
  // Prepares nothing.
}
