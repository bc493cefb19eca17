import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicationSchema } from '../../../schemas/dataset/publication';
import { needing } from '../../parts/needing';
import { OLD_VERSIONS } from '../../parts/readers';
import { type DatasetsVersion, PUBLISHED, readFromHub } from '../../readers/readers';
import { runCupid, startCupid, type Running } from '../command';
import { createTemporaryFolder } from '../../temporary-folder';
import { runLoaded } from '../loaded-command';
import { until, interrupt, kill } from '../processes';
import { expectRefusal } from '../refusal';
import type { Stage } from '../../stand-in/hub-faults';
import { HubStandIn } from '../../stand-in/hub-server';
import { renderLines } from '../../unit/data/sets/instances';
import { readContents, runFolder } from '../../unit/publishing/publishable';
import { buildSoundInstances } from '../../unit/publishing/sound-data';

const withReaders = needing('readers');
const withOldReaders = needing('old-readers');

const TOKEN = 'hf_ofTheseTests';
const REPO = 'kim/cupid';
const FILES = ['README.md', 'provenance.parquet', 'test.parquet'];

const folder = createTemporaryFolder();
let hub: HubStandIn;
let run: string;
let variables: Record<string, string>;

beforeEach(async () => {
  hub = await HubStandIn.start();
  hub.users.set(TOKEN, { name: 'kim', role: 'write' });
  run = await runFolder(join(folder, 'run'));
  writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
  variables = {
    HF_ENDPOINT: hub.url,
    HF_TOKEN_PATH: join(folder, 'token'),
    HF_TOKEN: '',
    XDG_CACHE_HOME: join(folder, 'cache'),
  };
});
afterEach(() => hub.stop());

withReaders.test(
  'publishes, and says what it did; datasets loads it by its name, columns and rows as they were written',
  async () => {
    const first = await runCupid(['publish', run, '--repo', REPO], variables);
    const [commit] = hub.commits(REPO);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toBe(
      [
        `Published to ${REPO}, branch main, as commit ${commit?.id}:`,
        ...FILES.map(
          (path) => `  new        ${path}  (${readContents(run, path).length.toLocaleString('en-US')} bytes)`,
        ),
        '  Only on the Hub, not changed: .gitattributes',
        `${hub.url}/datasets/${REPO}`,
        `Load it: load_dataset("${REPO}", split="test")`,
        '',
      ].join('\n'),
    );
    expect(first.stderr).toContain(`so its data set ${join(run, 'CUPID-Unverified')} is used.`);
    const again = await runLoaded(['publish', run, '--repo', REPO], variables);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).toContain(
      `Nothing to do. Already published as commit ${commit?.id} of ${REPO}, branch main.`,
    );
    const json = await runLoaded(
      ['publish', run, '--repo', REPO, '--json', '--dry-run', '--branch', 'v2'],
      variables,
    );
    expect(publicationSchema.parse(JSON.parse(json.stdout))).toMatchObject({ branch: 'v2', dryRun: true });
    for (const { stdout, stderr } of [first, again, json]) expect(stdout + stderr).not.toContain('hf_');
    expectAllThere();

    await expectLoaded();
  },
);

withOldReaders.test.each(OLD_VERSIONS)(
  'datasets %s loads what was published by its name',
  async (version) => {
    expect(await runLoaded(['publish', run, '--repo', REPO], variables)).toMatchObject({ code: 0 });
    await expectLoaded(version);
  },
);

async function expectLoaded(version?: DatasetsVersion): Promise<void> {
  const { columns, rows } = await readFromHub(REPO, hub.url, version);
  expect(columns).toEqual(PUBLISHED);
  expect(rows).toEqual(buildSoundInstances(2));
}

// The other refusals: test/unit/publishing/publish.test.ts, test/unit/cli/exit.test.ts.
test('data with errors are not published, and the command says how to see them all (exit 3)', async () => {
  const data = join(folder, 'unsound');
  mkdirSync(data);
  const [first, ...others] = buildSoundInstances(1);
  writeFileSync(join(data, 'test.jsonl'), renderLines([{ ...first, current_request: ' ' }, ...others]));
  writeFileSync(
    join(data, 'README.md'),
    '---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: test.jsonl\n---\n',
  );
  const unsound = await runLoaded(['publish', data, '--repo', REPO], variables);
  expectRefusal(unsound, 3, [`${data} was not published: `, `cupid validate ${data}`]);
  expect(unsound.stderr).toMatch(/test\.jsonl, line 1 .*current_request/);
  expect(hub.received).toEqual([]);
});

test.each<[string, () => void, string, string]>([
  ['fails', () => hub.refuse('commit', 503, 'Down.'), 'failed while creating the commit (503: "Down.").', ''],
  [
    'has records',
    () => hub.commitTo(REPO, { 'README.md': '---\npretty_name: CUPID-Raw\n---\n' }),
    'contains records on the Hub',
    ' --replace-kind',
  ],
])('where the Hub %s, it names the command that publishes (exit 1)', async (_, prepare, says, option) => {
  hub.makeRepository(REPO);
  prepare();
  const again = `Run again; it uploads only what is missing: cupid publish ${run} --repo ${REPO}${option}\n`;
  expectRefusal(await runLoaded(['publish', run, '--repo', REPO], variables), 1, [says, again]);
});

test('killed in the middle of an upload, the same command completes it', async () => {
  const { publishing, release } = await heldUpAt('upload', 2);
  await kill(publishing);
  release();
  expect(hub.commits(REPO)).toHaveLength(1);

  expect(await runLoaded(['publish', run, '--repo', REPO], variables)).toMatchObject({ code: 0 });
  expect(hub.commits(REPO)).toHaveLength(2);
  expectAllThere();
});

test.each<[Stage, string]>([
  ['upload', 'Stopped. Nothing was committed. Run again; it uploads only what is missing: cupid publish '],
  ['commit', 'Stopped. The commit was requested and may have been created. Run again; '],
])('stopped by Ctrl-C (%s), it says how things stand', async (stage, says) => {
  const { publishing, release } = await heldUpAt(stage, 1);
  const { stdout, stderr } = await interrupt(publishing);
  release();
  expect(stdout).toBe('');
  expect(stderr).toContain(says);
});

test('says where a proposal is that is there already', async () => {
  hub.makeRepository(REPO);
  const propose = ['publish', run, '--repo', REPO, '--create-pr'];
  expect((await runLoaded(propose, variables)).stdout).toContain(`Proposed to ${REPO}, branch main:`);
  expect((await runLoaded(propose, variables)).stdout).toContain(
    `Nothing to do. Already proposed as ${hub.url}/datasets/${REPO}/discussions/1.\n`,
  );
});

/** Starts to publish, and waits until so many requests are held at the stage; gives what lets them go. */
async function heldUpAt(
  stage: Stage,
  requests: number,
): Promise<{ publishing: Running; release: () => void }> {
  const releasing = new AbortController();
  let held = 0;
  for (let request = 0; request < requests; request += 1) {
    hub.when(stage, async () => {
      held += 1;
      await once(releasing.signal, 'abort');
    });
  }
  const publishing = startCupid(['publish', run, '--repo', REPO], variables);
  await until(() => held === requests);
  return { publishing, release: () => releasing.abort() };
}

function expectAllThere(): void {
  const files = hub.files(REPO);
  expect(FILES.filter((path) => files.get(path)?.equals(readContents(run, path)))).toEqual(FILES);
}
