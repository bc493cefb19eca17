import { spawnSync } from 'node:child_process';
import { cpSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runLoaded } from '../end-to-end/loaded-command';
import { expectRefusal, readFilesBelow } from '../end-to-end/refusal';
import { editSealed } from '../edit-sealed';
import { createTemporaryFolder } from '../temporary-folder';

const folder = createTemporaryFolder();
const run = join(folder, 'run');
/** Targets of links. */
const outside = join(folder, 'outside');
const victim = join(outside, 'victim');
const MODEL = '--model=simulated:default';

beforeAll(async () => {
  mkdirSync(outside);
  writeFileSync(victim, 'precious');
  expect(await runLoaded(['synth', `--output-dir=${run}`, MODEL, '--n-personas=1'])).toMatchObject({
    code: 0,
  });
});

const link = (path: string) => symlinkSync(victim, path);
const fifo = (path: string) => spawnSync('mkfifo', [path]);

test.each<[path: string, set: (path: string) => unknown, command: string[]]>([
  ['.cupid/lock', link, ['set', '--budget=900Mtok']],
  ['.cupid/lock', (path) => linkSync(victim, path), ['pause']],
  ['.cupid/lock', fifo, ['status']],
  ['.cupid/worker.log', link, ['synth', MODEL, '--n-personas=2']],
  ['.cupid/store.json', (path) => symlinkSync('/dev/zero', path), ['status']],
  ['.cupid/inputs/run.json', fifo, ['status']],
  ['.cupid/engine', (path) => symlinkSync(outside, path), ['synth', MODEL, '--n-personas=2']],
  ['CUPID-Unverified', (path) => symlinkSync(outside, path), ['validate']],
  ['CUPID-Unverified/README.md', fifo, ['publish', '--repo=kim/cupid']],
  ['CUPID-Unverified/test.parquet', link, ['export', `--output-dir=${join(folder, 'exported')}`]],
])(
  'a folder from somebody else in which %s leads elsewhere is refused by name, and nothing there is touched',
  async (path, set, [command = '', ...options]) => {
    const foreign = join(folder, 'foreign');
    rmSync(foreign, { recursive: true, force: true });
    cpSync(run, foreign, { recursive: true });
    rmSync(join(foreign, path), { recursive: true, force: true });
    set(join(foreign, path));
    const before = readFilesBelow(outside);
    const named = command === 'synth' ? `--output-dir=${foreign}` : foreign;
    const ended = await runLoaded([command, named, ...options]);
    expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(join(foreign, path)),
    });
    expect(readFilesBelow(outside)).toEqual(before);
  },
);

test('a model whose name a shell would run is refused, and written nowhere', async () => {
  const foreign = join(folder, 'named');
  cpSync(run, foreign, { recursive: true });
  const plan = join(foreign, '.cupid', 'inputs', 'run.json');
  editSealed(plan, (text) => text.replaceAll('simulated:default', 'openai:x$(touch owned)'));
  const before = readFilesBelow(foreign);
  const ended = await runLoaded(['synth', `--output-dir=${foreign}`, MODEL, '--n-personas=2']);
  expectRefusal(ended, 1, ["a character in the model's name"]);
  expect(readFilesBelow(foreign)).toEqual(before);
});
