import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicationSchema } from '../../schemas/publication';
import { DATASETS_VERSIONS, readFolder, readFromHub, READERS_TIMEOUT } from '../data/readers';
import { runCupid, startCupid, temporaryFolder } from '../end-to-end/command';
import { HubStandIn, type Stage } from '../stand-in/hub-server';
import { contentsIn, runFolder } from './publishable';
import { soundInstances } from './sound-data';

const TOKEN = 'hf_ofTheseTests';
const REPO = 'kim/cupid';

const folder = temporaryFolder();
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

test('publishes, and says what it did; again, that there is nothing to do; the token shows nowhere', async () => {
  const first = await runCupid(['publish', run, '--repo', REPO], variables);
  const [commit] = hub.commits(REPO);
  expect(first).toMatchObject({ code: 0 });
  expect(first.stdout).toBe(
    [
      `Published to ${REPO}, branch main, as commit ${commit?.id}:`,
      ...['README.md', 'provenance.parquet', 'test.parquet'].map(
        (path) => `  new        ${path}  (${contentsIn(run, path).length.toLocaleString('en-US')} bytes)`,
      ),
      '  On the Hub only, and left there: .gitattributes',
      `${hub.url}/datasets/${REPO}`,
      '',
    ].join('\n'),
  );
  expect(first.stderr).toContain(`its ${join(run, 'CUPID-Unverified')} is published`);
  const again = await runCupid(['publish', run, '--repo', REPO], variables);
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toContain(
    `Nothing to do: already published as commit ${commit?.id} of ${REPO}, branch main.`,
  );
  const json = await runCupid(
    ['publish', run, '--repo', REPO, '--json', '--dry-run', '--branch', 'v2'],
    variables,
  );
  expect(publicationSchema.parse(JSON.parse(json.stdout))).toMatchObject({ branch: 'v2', dryRun: true });
  for (const { stdout, stderr } of [first, again, json]) expect(stdout + stderr).not.toContain('hf_');
});

test('ends with the exit code of what was wrong', async () => {
  const nobody = await runCupid(['publish', run, '--repo', REPO], {
    ...variables,
    HF_TOKEN_PATH: join(folder, 'none'),
  });
  expect(nobody).toMatchObject({ code: 1, stdout: '' });
  expect(nobody.stderr).toMatch(/^cupid: Nobody is logged in to the Hub.*\n$/m);
  const unnamed = await runCupid(['publish', run, '--repo', 'cupid'], variables);
  expect(unnamed).toMatchObject({ code: 2, stdout: '' });
  const simulated = await runFolder(join(folder, 'simulated'), { simulated: true });
  const refused = await runCupid(['publish', simulated, '--repo', REPO], variables);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('only with --allow-simulated');

  const data = join(run, 'CUPID-Unverified');
  const rows = soundInstances(1).map((row, index) => (index === 0 ? { ...row, current_request: ' ' } : row));
  for (const name of readdirSync(data)) rmSync(join(data, name));
  rmSync(join(run, 'provenance.parquet'));
  writeFileSync(join(data, 'test.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  writeFileSync(
    join(data, 'README.md'),
    '---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: test.jsonl\n---\n',
  );
  const unsound = await runCupid(['publish', data, '--repo', REPO], variables);
  expect(unsound).toMatchObject({ code: 3, stdout: '' });
  expect(unsound.stderr).toContain(`${data} was not published: `);
  expect(unsound.stderr).toMatch(/test\.jsonl, line 1 .*current_request/);
  expect(unsound.stderr).toContain(`cupid validate ${data}`);
  expect(hub.received).toEqual([]);
});

test.each<[string, NodeJS.Signals, 'basic' | 'xet', Stage, Stage[]]>([
  // What had arrived as a whole is not sent again; by Xet that are the blocks of both files.
  ['killed', 'SIGKILL', 'basic', 'upload', ['upload']],
  ['killed', 'SIGKILL', 'xet', 'shard', ['shard', 'shard']],
  ['stopped by Ctrl-C', 'SIGINT', 'basic', 'upload', ['upload']],
])(
  '%s (%s, %s) in the middle of an upload, it is completed by the same command',
  async (_, signal, transfer, stage, sentAgain) => {
    hub.transfer = transfer;
    const releasing = new AbortController();
    let waiting = 0;
    const hold = async () => {
      waiting += 1;
      await once(releasing.signal, 'abort');
    };
    // By Xet, the ends of both files are held; else the second file, and the first arrives.
    hub.when(stage, transfer === 'xet' ? hold : () => undefined);
    hub.when(stage, hold);
    const publishing = startCupid(['publish', run, '--repo', REPO], variables);
    await until(() =>
      transfer === 'xet'
        ? waiting === 2
        : waiting === 1 && hub.received.some((request) => request.stage === stage && request.bytes > 0),
    );
    publishing.child.kill(signal);
    const ended = await publishing.ended;
    releasing.abort();
    if (signal === 'SIGINT') {
      expect(ended).toMatchObject({ code: 130, stdout: '' });
      expect(ended.stderr).toContain('Stopped. Nothing was committed. Go on with the same command');
    } else {
      expect(ended).toMatchObject({ code: null, signal });
    }
    expect(hub.commits(REPO)).toHaveLength(1);

    hub.received.length = 0;
    expect(await runCupid(['publish', run, '--repo', REPO], variables)).toMatchObject({ code: 0 });
    const sent = hub.received.map((request) => request.stage);
    expect(sent.filter((one) => one !== undefined && ['upload', 'xorb', 'shard'].includes(one))).toEqual(
      sentAgain,
    );
    expect(hub.commits(REPO)).toHaveLength(2);
    for (const path of ['README.md', 'provenance.parquet', 'test.parquet']) {
      expect(hub.files(REPO).get(path)).toEqual(contentsIn(run, path));
    }
  },
);

test(
  'what was published is loaded by its name, by every datasets that people use: columns and rows as they were written',
  async () => {
    hub.transfer = 'xet';
    appendFileSync(join(run, 'CUPID-Unverified', 'README.md'), '\nPublished.\n');
    expect(await runCupid(['publish', run, '--repo', REPO], variables)).toMatchObject({ code: 0 });
    const here = await readFolder(join(run, 'CUPID-Unverified'));
    expect(here.rows).toEqual(soundInstances(2));
    for (const version of DATASETS_VERSIONS) {
      const loaded = await readFromHub(REPO, hub.url, version);
      expect([version, loaded.columns, loaded.rows]).toEqual([version, here.columns, here.rows]);
    }
    expect(readFileSync(join(run, 'CUPID-Unverified', 'test.parquet'))).toEqual(
      hub.files(REPO).get('test.parquet'),
    );
  },
  READERS_TIMEOUT,
);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}
