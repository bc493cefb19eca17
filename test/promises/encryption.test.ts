import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findTemporal } from '../../workers/server/temporal-binary';
import { findOwnPort } from '../ports';
import { openJournal } from '../../data/run/journal';
import { createFolderStore } from '../../data/store/store';
import { formatKeys } from '../keyring';
import { createTemporaryFolder } from '../temporary-folder';
import { hashDataSets, type Running } from '../end-to-end/command';
import { runLoaded } from '../end-to-end/loaded-command';
import { readRunFile } from '../end-to-end/outputs';
import { endLeftovers, startCommand, until, untilSaid } from '../end-to-end/processes';

const folder = createTemporaryFolder();
const plain = join(folder, 'plain');
const secret = join(folder, 'secret');
const settings = join(folder, 'settings.yaml');
const commandOf = (out: string) => [
  'synth',
  `--output-dir=${out}`,
  '--model=simulated:default?latency=50ms&malformed=0.06',
  `--settings=${settings}`,
  '--n-personas=2',
  '--n-sessions=9',
  '--max-turns=2',
];
const keys = (...ids: string[]) => ({ CUPID_ENCRYPTION_KEYS: formatKeys(...ids) });

/** What models answered in the run that is not encrypted: lines of personas, plans and dialogues. */
let texts: readonly string[];

// One bad answer fails its dialogue, so that there are failures.
beforeAll(async () => {
  const once = { asks: 1, samples: 1 };
  writeFileSync(settings, JSON.stringify({ steps: { user: once } }));
  expect(await runLoaded(commandOf(plain))).toMatchObject({ code: 3 });
  texts = await readTexts(plain);
});
afterEach(endLeftovers);

test('a run that was killed and continued with a new key in front has the same data sets, and no text of a dialogue elsewhere', async () => {
  const killed = startCommand(commandOf(secret), keys('old'));
  await until(() => countFiles(join(secret, '.cupid', 'journal')) > 15);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const ended = await runLoaded(commandOf(secret), keys('new', 'old'));
  expect(ended).toMatchObject({ code: 3 });
  expect(ended.stderr).toContain('The run is encrypted, from now on with key new.');
  expect(await hashDataSets(secret)).toEqual(await hashDataSets(plain));

  expect(texts.length).toBeGreaterThan(100);
  for (const part of ['.cupid/engine', '.cupid', 'failures']) {
    // The same search finds them where nothing is encrypted.
    expect(findTexts(join(plain, part)).length).toBeGreaterThan(part === 'failures' ? 2 : 50);
    expect(findTexts(join(secret, part))).toEqual([]);
  }
  expect(countFiles(join(secret, 'failures'))).toBe(countFiles(join(plain, 'failures')));
});

test('with its keys a failure is replayed, and without them every command names the key that is missing', async () => {
  const [bundle = ''] = readdirSync(join(secret, 'failures')).filter((name) => /bundle/.test(name));
  const file = join(secret, 'failures', bundle);
  const [replayed, expected] = [
    await runLoaded(['replay', file], keys('new', 'old')),
    await runLoaded(['replay', join(plain, 'failures', bundle)]),
  ];
  expect(replayed).toMatchObject({ code: 0, stderr: '' });
  expect(listTexts(replayed.stdout)).toEqual(listTexts(expected.stdout));
  expect(await runLoaded(['replay', file], keys('old'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /The bundle .* is encrypted with key new, and CUPID_ENCRYPTION_KEYS has only old\./,
    ),
  });
  for (const command of [['status', secret], ['failures', secret], ['worker', secret], commandOf(secret)]) {
    expect(await runLoaded(command)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /The run's store .* is encrypted with key old, and CUPID_ENCRYPTION_KEYS is not set\./,
      ),
    });
  }
});

test("Temporal's command line shows the texts with the codec endpoint, and not without it", async () => {
  const port = await findOwnPort();
  const ports = ['--port', String(port), '--ui-port', String(await findOwnPort())];
  const server = startCommand(['server', '--output-dir', secret, ...ports], keys('new', 'old'));
  const codec = startCommand(['codec', '--port', '0'], keys('new', 'old'));
  const link = readFirstLine(codec);
  await untilSaid(server, 'Press Ctrl-C');
  const url = await link;
  const temporal = await findTemporal(() => undefined);
  const show = async (...options: string[]) => {
    const workflow = ['--workflow-id', `${readRunFile(secret).id}/p1`, '--address', `127.0.0.1:${port}`];
    const shown = ['workflow', 'show', ...workflow, '--output', 'json', ...options];
    const { stdout } = await promisify(execFile)(temporal.path, shown, { maxBuffer: 100_000_000 });
    const values = [...stdout.matchAll(/"data": "([^"]+)"/g)].map(([, data = '']) =>
      Buffer.from(data, 'base64'),
    );
    return Buffer.concat(values).toString();
  };
  expect(listTexts(await show())).toEqual([]);
  expect(listTexts(await show('--codec-endpoint', url)).length).toBeGreaterThan(10);
});

/** Lines long enough to be nowhere by chance. */
async function readTexts(run: string): Promise<string[]> {
  const journal = openJournal(createFolderStore(join(run, '.cupid')));
  const lines = new Set<string>();
  for (const workflow of await journal.workflows()) {
    for (const { answer } of await journal.ofWorkflow(workflow)) {
      for (const line of answer.text.split(/[\n"\\]+/)) if (line.length >= 40) lines.add(line);
    }
  }
  return [...lines];
}

/** Those of the texts that are found in the files below a directory. */
function findTexts(directory: string): string[] {
  const bytes = Buffer.concat(listFiles(directory).map((file) => readFileSync(file)));
  return listTexts(bytes);
}

function listTexts(content: string | Buffer): string[] {
  return texts.filter((text) => content.includes(text));
}

function countFiles(directory: string): number {
  return listFiles(directory).length;
}

function listFiles(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names
    .map((name) => join(directory, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

async function readFirstLine({ child }: Running): Promise<string> {
  return new Promise((resolve) => child.stdout?.once('data', (text: string) => resolve(text.trim())));
}
