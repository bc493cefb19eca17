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
import { until } from '../processes';
import type { Stage } from '../../stand-in/hub-faults';
import { HubStandIn } from '../../stand-in/hub-server';
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
    hub.transfer = 'xet';
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
    expect(first.stderr).toContain(`so its data set ${join(run, 'CUPID-Unverified')} is published`);
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
    hub.transfer = 'xet';
    expect(await runLoaded(['publish', run, '--repo', REPO], variables)).toMatchObject({ code: 0 });
    await expectLoaded(version);
  },
);

async function expectLoaded(version?: DatasetsVersion): Promise<void> {
  const { columns, rows } = await readFromHub(REPO, hub.url, version);
  expect(columns).toEqual(PUBLISHED);
  expect(rows).toEqual(buildSoundInstances(2));
}

test('ends with the exit code of what was wrong', async () => {
  const nobody = await runLoaded(['publish', run, '--repo', REPO], {
    ...variables,
    HF_TOKEN_PATH: join(folder, 'none'),
  });
  expect(nobody).toMatchObject({ code: 1, stdout: '' });
  expect(nobody.stderr).toMatch(/^cupid: No token for the Hub was found.*\n$/m);
  const unnamed = await runLoaded(['publish', run, '--repo', 'cupid'], variables);
  expect(unnamed).toMatchObject({ code: 2, stdout: '' });
  const simulated = await runFolder(join(folder, 'simulated'), { simulated: true });
  const refused = await runLoaded(['publish', simulated, '--repo', REPO], variables);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('Add --allow-simulated to publish it anyway.');

  const data = join(folder, 'unsound');
  mkdirSync(data);
  const rows = buildSoundInstances(1).map((row, index) =>
    index === 0 ? { ...row, current_request: ' ' } : row,
  );
  writeFileSync(join(data, 'test.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  writeFileSync(
    join(data, 'README.md'),
    '---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: test.jsonl\n---\n',
  );
  const unsound = await runLoaded(['publish', data, '--repo', REPO], variables);
  expect(unsound).toMatchObject({ code: 3, stdout: '' });
  expect(unsound.stderr).toContain(`${data} was not published: `);
  expect(unsound.stderr).toMatch(/test\.jsonl, line 1 .*current_request/);
  expect(unsound.stderr).toContain(`cupid validate ${data}`);
  expect(hub.received).toEqual([]);
});

test('killed in the middle of an upload, the same command completes it', async () => {
  hub.transfer = 'xet';
  const { publishing, release } = await heldUpAt('shard', 2);
  publishing.child.kill('SIGKILL');
  expect(await publishing.ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  release();
  expect(hub.commits(REPO)).toHaveLength(1);

  expect(await runLoaded(['publish', run, '--repo', REPO], variables)).toMatchObject({ code: 0 });
  expect(hub.commits(REPO)).toHaveLength(2);
  expectAllThere();
});

test.each<[Stage, string]>([
  ['whoami', 'Stopped. Nothing was committed. To continue, run the same command again'],
  ['create', 'Nothing was committed. The data set may have been created and is empty.'],
  ['upload', 'Stopped. Nothing was committed. The data set was created and is empty. To continue, run'],
  ['commit', 'The commit was requested and may have been created.'],
])('stopped by Ctrl-C (%s), it says how things stand', async (stage, says) => {
  const { publishing, release } = await heldUpAt(stage, 1);
  publishing.child.kill('SIGINT');
  const ended = await publishing.ended;
  release();
  expect(ended).toMatchObject({ code: 130, stdout: '' });
  expect(ended.stderr).toContain(says);
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
