import { mkdir, readFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTANCE_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import type { Instance } from '../../schemas/dataset/instance';
import { synthesizeInstances } from '../unit/models/simulated/evaluation';
import { openSimulated } from '../unit/models/simulated/persona';
import { HubStandIn } from '../stand-in/hub-server';
import type { Ended } from './command';
import { runLoaded } from './loaded-command';
import { NOBODY } from '../stand-in/nobody';
import { createTemporaryFolder } from '../temporary-folder';
import { expectNoStackTrace, expectRefusal, readFilesBelow } from './refusal';
import { readResults } from './results';

const FIRST = 'a'.repeat(40);
const OTHER = 'b'.repeat(40);
const RETOLD = 'c'.repeat(40);
const TOKEN = 'hf_ofTheseTests';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
let hub: HubStandIn;
let sha256: string;
/** Those of two personas. */
let longer: readonly Instance[];

beforeAll(async () => {
  hub = await HubStandIn.start();
  hub.tokens.add(TOKEN);
  longer = await synthesizeInstances(openSimulated(), 2);
  const first = longer.slice(0, 3);
  const parquet = await parquetOf(first);
  const altered = await parquetOf(first.map((one) => ({ ...one, current_request: 'Another request.' })));
  hub.add({
    name: 'kim/cupid',
    commits: {
      [FIRST]: { 'test.parquet': parquet.bytes },
      [OTHER]: { 'test.parquet': altered.bytes },
      // The data are the same, and only the words around them are others.
      [RETOLD]: { 'test.parquet': parquet.bytes, 'README.md': 'Now with a description.\n' },
    },
    refs: { main: FIRST, altered: OTHER, retold: RETOLD },
  });
  sha256 = parquet.sha256;
});
afterAll(() => hub.stop());

// The other refusals of the Hub: test/end-to-end/data/hub/hub.test.ts.
test('no network, when the data set of the paper is wanted, which is the default', async () => {
  const nowhere = `http://${NOBODY}`;
  const refused = await evaluated('results', [], { HF_ENDPOINT: nowhere, HF_TOKEN: TOKEN });
  expectRefusal(refused, 1, [
    `The Hub cannot be reached at ${nowhere}`,
    'ECONNREFUSED',
    'Check the network and HF_ENDPOINT, or name a file or folder instead of kixlab/CUPID',
  ]);
  expect(refused.stderr).not.toMatch(/hf_/);
  expect(readFilesBelow(inFolder('results'))).toEqual(new Map());
});

test('a data set of the Hub is evaluated on as it was when the folder was begun, also without the Hub', async () => {
  // The folder of commands that were refused is as good as any.
  const begun = await evaluated('results', ['--data', 'kim/cupid', '--limit', '1'], { HF_TOKEN: TOKEN });
  expect(begun).toMatchObject({ code: 0 });
  const pinned = {
    argument: 'kim/cupid',
    source: `hub:kim/cupid@${FIRST}`,
    commit: FIRST,
    files: [{ name: 'kim/cupid/test.parquet', sha256 }],
    sha256,
    instances: 3,
  };
  expect(await dataIn('results')).toEqual(pinned);
  expect(begun.stdout).toContain(`hub:kim/cupid@${FIRST}, 3 instances, SHA-256 ${sha256.slice(0, 12)}`);

  const other = await evaluated('results', ['--data', 'kim/cupid@altered']);
  expectRefusal(other, 2, [
    `${inFolder('results')} contains an evaluation of other data: hub:kim/cupid@${OTHER} has none of its instances unchanged.`,
    'Name another --results-dir',
  ]);

  // Equal content of another revision is the same data, of which the folder keeps telling what it began with.
  const retold = await evaluated('results', ['--data', 'kim/cupid@retold', '--limit', '2']);
  expect(retold).toMatchObject({ code: 0 });
  expect(await dataIn('results')).toEqual(pinned);
  expect(await countsIn('results')).toEqual([2]);

  const down = { HF_ENDPOINT: `http://${NOBODY}`, HF_HOME: inFolder('no-cache') };
  for (const data of [['--data', 'kim/cupid'], []]) {
    expect(await evaluated('results', data, down)).toMatchObject({ code: 0 });
  }
  expect(await countsIn('results')).toEqual([3]);
  expect(await dataIn('results')).toEqual(pinned);
  for (const [file, content] of readFilesBelow(inFolder('results'))) {
    if (content === 'directory') continue;
    expect(readFileSync(join(inFolder('results'), file)).includes(TOKEN)).toBe(false);
  }
});

test('a revision is pinned to its commit, and its own content is what is evaluated on', async () => {
  const ended = await evaluated('pinned', ['--data', 'kim/cupid@altered', '--limit', '1']);
  expect(ended).toMatchObject({ code: 0 });
  expectNoStackTrace(ended);
  expect(await dataIn('pinned')).toMatchObject({
    argument: 'kim/cupid@altered',
    source: `hub:kim/cupid@${OTHER}`,
    commit: OTHER,
  });
  const kept = inFolder('pinned/.cupid/inputs/instances');
  const [chunk = ''] = readdirSync(kept);
  expect(await readFile(join(kept, chunk), 'utf8')).toContain('Another request.');
});

test('a branch that moved to a longer data set is followed by the command that names it, and by no other', async () => {
  const commits = {
    [FIRST]: { 'test.parquet': (await parquetOf(longer.slice(0, 3))).bytes },
    [OTHER]: { 'test.parquet': (await parquetOf(longer)).bytes },
  };
  hub.add({ name: 'kim/growing', commits, refs: { main: FIRST } });
  expect(await evaluated('growing', ['--data', 'kim/growing'])).toMatchObject({ code: 0 });
  hub.add({ name: 'kim/growing', commits, refs: { main: OTHER } });
  expect(await evaluated('growing', [])).toMatchObject({ code: 0 });
  expect(await dataIn('growing')).toMatchObject({ commit: FIRST, instances: 3 });
  const grown = await evaluated('growing', ['--data', 'kim/growing']);
  expect(grown).toMatchObject({ code: 0 });
  expect(grown.stderr).toContain('The data grew: 3 instances of 1 persona were added');
  expect(await dataIn('growing')).toMatchObject({
    commit: OTHER,
    instances: 6,
    earlier: [{ commit: FIRST, instances: 3 }],
  });
  expect(await countsIn('growing')).toEqual([6]);
});

async function evaluated(
  name: string,
  options: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const who = ['--model', 'simulated:default', '--evaluator', 'simulated:default', '--context', 'none'];
  return runLoaded(['eval', '--results-dir', inFolder(name), ...who, ...options], {
    HF_ENDPOINT: hub.url,
    HF_HOME: inFolder('hub-home'),
    HF_TOKEN: '',
    HF_HUB_OFFLINE: '',
    ...environment,
  });
}

async function dataIn(name: string): Promise<unknown> {
  return (await readResults(inFolder(name))).data;
}

/** Returns the number of scored instances of each cell. */
async function countsIn(name: string): Promise<number[]> {
  return (await readResults(inFolder(name))).cells.map(({ all }) => all.counts.scored);
}

async function parquetOf(instances: readonly Instance[]): Promise<{ bytes: Buffer; sha256: string }> {
  await mkdir(inFolder('made'), { recursive: true });
  const file = inFolder('made/test.parquet');
  const written = await writeParquet(file, INSTANCE_COLUMNS, instances);
  return { bytes: await readFile(file), sha256: written.sha256 };
}
