import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTANCE_COLUMNS, PROVENANCE_COLUMNS } from '../../../../data/tables/columns';
import type { DataSet } from '../../../../data/sets/data-set';
import { getExitCode } from '../../../../cli/exit';
import { DataError } from '../../../../data/store/data-error';
import { HubError } from '../../../../data/hub/hub-error';
import { openData } from '../../../../data/sets/open';
import { readInstances } from '../../../../data/sets/read';
import { writeParquet } from '../../../../data/tables/parquet';
import { HubStandIn } from '../../../stand-in/hub-server';
import { getPart, needing } from '../../../parts/needing';
import { buildProvenanceRow } from '../../../unit/data/tables/rows';
import { collect, buildInstances } from '../../../unit/data/sets/instances';
import { createEmptiedFolder } from '../../../temporary-folder';

const COMMIT = 'a'.repeat(40);
const OLDER = 'b'.repeat(40);
const TOKEN = 'hf_ofTheTests';
const CARD =
  '---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: test.parquet\n---\n';

let hub: HubStandIn;
const folder = createEmptiedFolder();
let reports: string[];
let parquet: Buffer;
let provenance: Buffer;

beforeAll(async () => {
  const made = await mkdtemp(join(tmpdir(), 'cupid-hub-made-'));
  await writeParquet(join(made, 'test.parquet'), INSTANCE_COLUMNS, buildInstances(7));
  await writeParquet(join(made, 'provenance.parquet'), PROVENANCE_COLUMNS, [
    { ...buildProvenanceRow(0), simulated: true },
  ]);
  parquet = await readFile(join(made, 'test.parquet'));
  provenance = await readFile(join(made, 'provenance.parquet'));
  await rm(made, { recursive: true });
});

beforeEach(async () => {
  hub = await HubStandIn.start();
  hub.tokens.add(TOKEN);
  hub.add({
    name: 'kim/cupid',
    commits: { [COMMIT]: { 'README.md': CARD, 'test.parquet': parquet, 'raw.parquet': 'not asked for' } },
    refs: { main: COMMIT, 'v1.0': COMMIT },
  });
  reports = [];
});
afterEach(async () => {
  await hub.stop();
});

function open(given: string, environment: NodeJS.ProcessEnv = {}): Promise<DataSet> {
  return openData(given, {
    report: (line) => reports.push(line),
    environment: { HF_ENDPOINT: hub.url, HF_HOME: folder, ...environment },
  });
}

/** @param code that the command exits with: 2 when the name is wrong, 1 when the Hub does not give it */
async function refusalOf(code: 1 | 2, given: string, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const error = await open(given, environment).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DataError || error instanceof HubError)) throw error;
  expect(getExitCode(error)).toBe(code);
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    expect(`${cause.message} ${cause.stack}`).not.toContain('ofTheTests');
  }
  return error.message;
}

function downloads(): string[] {
  return hub.received.filter(({ path }) => path.startsWith('/store/')).map(({ path }) => path);
}

test('a data set of the Hub is downloaded into the Hub’s cache, pinned to the commit that it is', async () => {
  const dataSet = await open('kim/cupid');
  const file = join(folder, 'hub/datasets--kim--cupid/snapshots', COMMIT, 'test.parquet');
  expect(dataSet).toMatchObject({
    argument: 'kim/cupid',
    source: `hub:kim/cupid@${COMMIT}`,
    commit: COMMIT,
    files: [{ path: file, name: 'kim/cupid/test.parquet', bytes: parquet.length }],
  });
  expect(dataSet.sha256).toBe(dataSet.files[0]?.sha256);
  expect(await collect(readInstances(dataSet))).toEqual(buildInstances(7));
  expect(reports).toEqual([
    'Downloading README.md (0.0 MB) of kim/cupid from the Hub.',
    expect.stringMatching(/^Downloading test\.parquet \(\d\.\d MB\) of kim\/cupid from the Hub\.$/),
  ]);
});

test.each([`kim/cupid@${COMMIT}`])('%s needs no network once it is in the cache', async (argument) => {
  const first = await open('kim/cupid');
  await hub.stop();
  reports = [];
  expect(await open(argument)).toEqual({ ...first, argument });
  expect(reports).toEqual([]);
});

test('a branch or tag is asked for each time, but what is in the cache is not downloaded again', async () => {
  await open('kim/cupid');
  const before = hub.received.length;
  expect((await open('kim/cupid@v1.0')).commit).toBe(COMMIT);
  expect(hub.received.slice(before).map(({ path }) => path.replace(/\?.*/, ''))).toEqual([
    '/api/datasets/kim/cupid/revision/v1.0',
  ]);
});

test('when the Hub cannot be reached, a branch is what it was, and that is reported', async () => {
  const first = await open('kim/cupid');
  await hub.stop();
  reports = [];
  expect(await open('kim/cupid')).toEqual(first);
  expect(reports).toEqual([
    `The Hub cannot be reached. Using kim/cupid@main from the cache, commit ${COMMIT}.`,
  ]);
  reports = [];
  expect(await open('kim/cupid', { HF_HUB_OFFLINE: '1' })).toEqual(first);
  expect(reports).toHaveLength(1);
});

test('a branch that moved is followed; its older commit can still be named', async () => {
  hub.add({
    name: 'kim/moving',
    commits: { [OLDER]: { 'test.parquet': parquet }, [COMMIT]: { 'test.parquet': provenance } },
    refs: { main: OLDER },
  });
  const older = await open('kim/moving');
  hub.add({
    name: 'kim/moving',
    commits: { [OLDER]: { 'test.parquet': parquet }, [COMMIT]: { 'test.parquet': provenance } },
    refs: { main: COMMIT },
  });
  expect((await open('kim/moving')).commit).toBe(COMMIT);
  expect(await open(`kim/moving@${OLDER}`)).toEqual({ ...older, argument: `kim/moving@${OLDER}` });
});

test('shards are read as the card describes them, with the provenance that stands beside them', async () => {
  const card = CARD.replace('test.parquet', 'data/test-*');
  hub.add({
    name: 'kim/shards',
    commits: {
      [COMMIT]: {
        'README.md': card,
        'data/test-00000-of-00002.parquet': parquet,
        'data/test-00001-of-00002.parquet': parquet,
        'data/train-00000-of-00001.parquet': 'not asked for',
        'provenance.parquet': provenance,
      },
    },
    refs: { main: COMMIT },
  });
  const dataSet = await open('kim/shards');
  expect(dataSet.files.map(({ name }) => name)).toEqual([
    'kim/shards/data/test-00000-of-00002.parquet',
    'kim/shards/data/test-00001-of-00002.parquet',
  ]);
  expect(dataSet.simulated).toBe(true);
  expect(dataSet.provenance).toBe(
    join(folder, 'hub/datasets--kim--shards/snapshots', COMMIT, 'provenance.parquet'),
  );
  // The second shard has the bytes of the first, which the cache keeps once.
  expect(downloads().filter((path) => path.endsWith('.parquet') && path.includes('/data/'))).toHaveLength(1);
  await hub.stop();
  expect(await open(`kim/shards@${COMMIT}`)).toEqual({ ...dataSet, argument: `kim/shards@${COMMIT}` });
});

describe('a Hub that is busy', () => {
  test('is asked again after the time that it names', async () => {
    hub.refuse('info', 429, 'Slow down.', { headers: { ratelimit: '"api";r=0;t=2' } });
    hub.refuse('store', 503, 'Down.', { headers: { 'retry-after': '1' } });
    expect((await open('kim/cupid')).commit).toBe(COMMIT);
    expect(reports.filter((line) => line.includes('busy'))).toEqual([
      'The Hub is busy (429). Asking again in 2 s.',
      'The Hub is busy (503). Asking again in 1 s.',
    ]);
  });

  test('for longer is done without, where the cache has the data', async () => {
    const first = await open('kim/cupid');
    reports = [];
    hub.refuse('info', 429, 'Slow down.', { headers: { ratelimit: '"api";r=0;t=3600' } });
    expect(await open('kim/cupid')).toEqual(first);
    expect(reports).toEqual([`The Hub is busy. Using kim/cupid@main from the cache, commit ${COMMIT}.`]);
    const other = await refusalOf(1, 'kim/cupid@v1.0', { HF_HUB_OFFLINE: '1' });
    expect(other).toContain(`In the cache: kim/cupid@${COMMIT}.`);
  });
});

describe('what is in the cache by chance does not decide', () => {
  beforeEach(async () => {
    hub.add({
      name: 'kim/two',
      commits: { [COMMIT]: { 'first.parquet': parquet, 'second.parquet': parquet } },
      refs: { main: COMMIT },
    });
    // As another tool would leave it that wanted this file only.
    const snapshot = join(folder, 'hub/datasets--kim--two/snapshots', COMMIT);
    await mkdir(snapshot, { recursive: true });
    await writeFile(join(snapshot, 'first.parquet'), parquet);
  });

  test('while the Hub can be asked', async () => {
    expect(await refusalOf(2, `kim/two@${COMMIT}`)).toBe(
      'kim/two of the Hub could mean any of first.parquet, second.parquet. Name the file itself, or name it test.parquet. If several files are one data set, add a README.md whose "configs" names them for the test split.',
    );
  });

  test('but when it cannot, it is taken, and that is reported', async () => {
    await hub.stop();
    expect((await open(`kim/two@${COMMIT}`)).files.map(({ name }) => name)).toEqual([
      'kim/two/first.parquet',
    ]);
    expect(reports).toEqual([
      'The Hub cannot be reached. Using the files of kim/two that are in the cache (first.parquet).',
    ]);
  });
});

describe('what the Hub refuses says what to do', () => {
  const LOG_IN = 'set HF_TOKEN to your token, or run "hf auth login"';

  test('a data set that does not exist', async () => {
    expect(await refusalOf(1, 'kim/cupdi')).toBe(
      `There is no file or folder kim/cupdi here, and on the Hub it does not exist or is private (401). Check the spelling; if it is private, ${LOG_IN}.`,
    );
    expect(await refusalOf(2, 'kim/cupdi', { HF_TOKEN: TOKEN })).toBe(
      'There is no file or folder kim/cupdi here, and on the Hub it does not exist or is private (404). Check the spelling; if it is private, use a token of an account that may read it.',
    );
  });

  test('a revision that does not exist', async () => {
    expect(await refusalOf(2, 'kim/cupid@v9')).toBe(
      'kim/cupid has no revision "v9" (404). Name a branch, a tag or a full commit after "@", or leave it out.',
    );
    expect(await refusalOf(2, `kim/cupid@${OLDER}`)).toContain(`has no revision "${OLDER}"`);
  });

  test('a token that is none', async () => {
    expect(await refusalOf(1, 'kim/cupid', { HF_TOKEN: 'hf_mistyped_ofTheTests' })).toBe(
      `The Hub rejects the token from HF_TOKEN (401): it is mistyped, expired or revoked. Create another at ${hub.url}/settings/tokens, or remove it: public data sets need none.`,
    );
  });

  test('a token that cannot be sent', async () => {
    expect(await refusalOf(1, 'kim/cupid', { HF_TOKEN: 'hf_\n“ofTheTests”' })).toBe(
      'The token from HF_TOKEN contains characters that no token has. Set it to the token alone.',
    );
  });

  test('a gated data set, without a token and with one that is not let in', async () => {
    hub.add({
      name: 'kim/gated',
      commits: { [COMMIT]: { 'README.md': CARD, 'test.parquet': parquet } },
      refs: { main: COMMIT },
      gatedFor: [],
    });
    const gated = 'kim/gated is gated: its owner requires you to accept terms';
    expect(await refusalOf(1, 'kim/gated')).toBe(
      `${gated} (401). Accept them at ${hub.url}/datasets/kim/gated and ${LOG_IN}.`,
    );
    expect(await refusalOf(1, 'kim/gated', { HF_TOKEN: TOKEN })).toBe(
      `${gated} (403). Accept them at ${hub.url}/datasets/kim/gated and use a token of that account; the token from HF_TOKEN has no access.`,
    );
  });

  test('no Hub', async () => {
    const { url } = hub;
    await hub.stop();
    expect(await refusalOf(1, 'kim/cupid')).toMatch(
      new RegExp(
        `^The Hub cannot be reached at ${url} \\(.*ECONNREFUSED.*\\)\\. Check the network and HF_ENDPOINT, or name a file or folder instead of kim/cupid\\.$`,
      ),
    );
    expect(await refusalOf(1, 'kim/cupid', { HF_HUB_OFFLINE: 'true' })).toMatch(
      /^kim\/cupid is not in the cache \(.+\), and the Hub was not contacted because HF_HUB_OFFLINE is set\./,
    );
  });

  test('an address that is none', async () => {
    expect(await refusalOf(1, 'kim/cupid', { HF_ENDPOINT: 'mirror.example' })).toBe(
      'HF_ENDPOINT is "mirror.example", which is not a URL. Set it to one that begins with https://, or unset it.',
    );
  });

  test('too many requests, or a Hub that fails, after it was asked again', async () => {
    hub.refuse('info', 503, 'Down.', { times: 3 });
    expect(await refusalOf(1, 'kim/cupid')).toMatch(
      /^The Hub failed with status 503 on kim\/cupid\. Try again later, /,
    );
    hub.refuse('store', 429, 'Slow down.', { times: 3 });
    expect(await refusalOf(1, 'kim/cupid')).toContain('too many requests and asks to wait');
  });

  test('a mirror that lists no files', async () => {
    hub.refuse('tree', 404, 'Not here.');
    expect(await refusalOf(1, 'kim/cupid')).toContain('does not list the files of kim/cupid (404)');
  });

  test('no instances there', async () => {
    hub.add({ name: 'kim/text', commits: { [COMMIT]: { 'a.txt': 'a' } }, refs: { main: COMMIT } });
    expect(await refusalOf(2, 'kim/text')).toMatch(
      /^kim\/text of the Hub contains no data set: no \.parquet, .* file, only a\.txt\./,
    );
  });
});

test('who is let in reads private and gated data, and the token goes to the Hub only', async () => {
  hub.add({
    name: 'kim/private',
    commits: { [COMMIT]: { 'README.md': CARD, 'test.parquet': parquet } },
    refs: { main: COMMIT },
    privateFor: [TOKEN],
    gatedFor: [TOKEN],
  });
  await writeFile(join(folder, 'token'), `${TOKEN}\n`);
  expect((await open('kim/private')).commit).toBe(COMMIT);
  expect(downloads()).not.toEqual([]);
  for (const { host, authorization } of hub.received) {
    expect(authorization).toBe(host === 'hub' ? `Bearer ${TOKEN}` : undefined);
  }
});

function blobs(): string[] {
  return readdirSync(join(folder, 'hub/datasets--kim--cupid/blobs')).filter(
    (name) => readFileSync(join(folder, 'hub/datasets--kim--cupid/blobs', name), 'utf8') !== CARD,
  );
}

describe('a download that is not whole', () => {
  test('because it broke off leaves nothing behind', async () => {
    hub.cutAfter = 300;
    expect(await refusalOf(1, 'kim/cupid')).toMatch(
      /^The download of test\.parquet was interrupted \(.+\)\. Run the same command again\.$/,
    );
    expect(blobs()).toEqual([]);
    hub.cutAfter = undefined;
    expect(await collect(readInstances(await open('kim/cupid')))).toEqual(buildInstances(7));
  });

  test('because something altered it leaves nothing behind', async () => {
    hub.alters = true;
    expect(await refusalOf(1, 'kim/cupid')).toMatch(
      /^test\.parquet was not downloaded as the Hub lists it \(\d+ of \d+ bytes, or other content\)\./,
    );
    expect(blobs()).toEqual([]);
  });

  test('is seen later too: a damaged cache is reported, with what to delete', async () => {
    const { files } = await open('kim/cupid');
    const blob = realpathSync(files[0]?.path ?? '');
    await writeFile(blob, 'damaged');
    expect(await refusalOf(1, `kim/cupid@${COMMIT}`)).toBe(
      `kim/cupid/test.parquet is damaged in the cache of the Hub's tools. Delete ${blob}; it is then downloaded again.`,
    );
    await rm(blob);
    expect(await collect(readInstances(await open(`kim/cupid@${COMMIT}`)))).toEqual(buildInstances(7));
  });
});

async function python(program: string, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(getPart('readers'), ['-c', program], {
    env: {
      ...process.env,
      HF_ENDPOINT: hub.url,
      HF_HOME: folder,
      HF_HUB_DISABLE_TELEMETRY: '1',
      HF_HUB_DISABLE_PROGRESS_BARS: '1',
      ...environment,
    },
  });
  return stdout.trim();
}

needing('readers').describe("the Hub's own tools and this program share the cache", () => {
  test('what this program downloaded, they read without network', async () => {
    const dataSet = await open('kim/cupid');
    await hub.stop();
    const path = await python(
      'from huggingface_hub import hf_hub_download as get; print(get("kim/cupid", "test.parquet", repo_type="dataset", revision="main"))',
      { HF_HUB_OFFLINE: '1' },
    );
    expect(path).toBe(dataSet.files[0]?.path);
  });

  test('what they downloaded, this program does not download again', async () => {
    const path = await python(
      'from huggingface_hub import hf_hub_download as get; print(get("kim/cupid", "test.parquet", repo_type="dataset"))',
    );
    const before = downloads().length;
    const dataSet = await open('kim/cupid');
    expect(dataSet.files[0]?.path).toBe(path);
    expect(downloads()).toHaveLength(before);
  });

  test('datasets loads the same rows from the same Hub', async () => {
    const rows = await python(
      'import datasets, json; print(json.dumps(list(datasets.load_dataset("kim/cupid", split="test"))))',
    );
    expect(JSON.parse(rows)).toEqual(await collect(readInstances(await open('kim/cupid'))));
  });
});
