import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CLI_VERSION } from '../../workers/server/temporal-binary';
import { expectGolden } from '../golden';
import { getPart, needing } from '../parts/needing';
import { createTemporaryFolder } from '../temporary-folder';
import { buildBareEnvironment, COMMAND, runCupid } from './command';

const { test } = needing('temporal');
const folder = createTemporaryFolder();
const finished = join(folder, 'finished');
const denied = join(folder, 'denied');
const readable = join(folder, 'readable');
const sealed = join(folder, 'sealed');
const home = join(folder, 'home');
const cache = mkdtempSync('/dev/shm/cupid-test-');
const SMALL = '--model=simulated:default --n-personas=1 --n-sessions=9 --max-turns=2';

beforeAll(async () => {
  const { code, stderr } = await runCupid(['synth', `--output-dir=${finished}`, ...SMALL.split(' ')]);
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  for (const copy of [denied, readable, sealed]) cpSync(finished, copy, { recursive: true });
  // Root keeps no right that its processes lack below.
  chmodSync(join(denied, '.cupid'), 0);
  chmodSync(sealed, 0);
  for (const name of ['.cupid/journal', '.cupid/engine', '.cupid/scratch', '.cupid', ''])
    chmodSync(join(readable, name), 0o555);
  mkdirSync(home, { mode: 0o555 });
  const cached = join(cache, 'cupid', `temporal-${CLI_VERSION}`);
  mkdirSync(cached, { recursive: true });
  symlinkSync(getPart('temporal'), join(cached, 'temporal'));
});

/** An environment, the lines of a shell that make it, its variables, and the first command in it. */
type Environment = readonly [
  name: string,
  shell: string,
  variables: Readonly<Record<string, string | undefined>>,
  command: string,
];

const LOGIN_NODE = { NODE_OPTIONS: '--disable-wasm-trap-handler' };
const synth = (name: string) => `synth --output-dir='${join(folder, name)}' ${SMALL}`;

const environments: readonly Environment[] = [
  ['address space of 4 GB', 'ulimit -v 4000000', {}, synth('v4')],
  ['address space of 4 GB: explore', 'ulimit -v 4000000', {}, `explore ${finished}`],
  ['address space of 4 GB, with the option for more', 'ulimit -v 4000000', LOGIN_NODE, synth('v4o')],
  ['address space of 8 GB, reading Parquet', 'ulimit -v 8000000', {}, `validate ${finished}`],
  [
    'address space of 8 GB, with the option that the message names',
    'ulimit -v 8000000',
    LOGIN_NODE,
    synth('v8'),
  ],
  ['files of 2 MB', 'ulimit -f 2048', {}, synth('f')],
  ['200 open files', 'ulimit -n 200', {}, synth('n200')],
  ['256 open files, of 16 MB', 'ulimit -n 256 -f 16384', {}, synth('n256')],
  ['200 processes', 'ulimit -u 200', {}, synth('u')],
  ['no HOME', 'true', { HOME: undefined }, synth('nohome')],
  [
    'a HOME that cannot be written, without a server',
    'PATH=/nowhere',
    { HOME: home, CUPID_TEMPORAL: undefined },
    synth('homed'),
  ],
  [
    'a cache on another file system',
    'true',
    { CUPID_TEMPORAL: undefined, XDG_CACHE_HOME: cache },
    synth('cache'),
  ],
  ['a TMPDIR with a space', 'mkdir -p "$TMPDIR"', { TMPDIR: join(folder, 'a space') }, synth('space')],
  [
    'a TMPDIR of 200 characters',
    'mkdir -p "$TMPDIR"',
    { TMPDIR: join(folder, 'a'.repeat(200)) },
    synth('long'),
  ],
  ['a folder with spaces and Cyrillic letters', 'true', {}, synth('Мои данные 1')],
  ['a run that may be read but not written: status', 'true', {}, `status ${readable}`],
  ['a run that may be read but not written: failures', 'true', {}, `failures ${readable}`],
  ['a run that may be read but not written: synth', 'true', {}, `synth --output-dir ${readable} ${SMALL}`],
  ['a run that may be read but not written: pause', 'true', {}, `pause ${readable}`],
  ['a folder that may not be read: verify', 'true', {}, `verify ${sealed} --model=simulated:default`],
  ['a run that may not be read: status', 'true', {}, `status ${denied}`],
  ['a run that may not be read: validate', 'true', {}, `validate ${denied}`],
];

test('the first command in each environment does its work, or says in a line what is in its way', async () => {
  const table: [string, string][] = [];
  try {
    for (const environment of environments) table.push([environment[0], await runIn(environment)]);
  } finally {
    for (const path of [join(denied, '.cupid'), sealed, readable, join(readable, '.cupid')])
      chmodSync(path, 0o755);
    rmSync(cache, { recursive: true });
  }
  expectGolden('environments.txt', table, folder);
  // Nothing is half written.
  expect(readdirSync(folder).filter((name) => ['v4', 'v4o', 'f', 'n200', 'homed'].includes(name))).toEqual(
    [],
  );
});

/** Runs a command without the rights that root has everywhere. Returns it, its exit code, and the line that says how it ended. */
async function runIn([, shell, variables, command]: Environment): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  const drop = isRoot ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];
  const script = `${shell}; exec '${process.execPath}' '${COMMAND}' ${command}`;
  const [program, ...args] = [...drop, 'bash', '-c', script];
  const env = { ...buildBareEnvironment(), CUPID_TEMPORAL: getPart('temporal'), ...variables };
  const child = spawn(program, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const lines = `${stdout}\n${stderr}`.split('\n');
  const last =
    lines.find((line) => /^cupid: |no failures|no errors|: finished\.$|^Nothing failed/.test(line)) ?? stderr;
  return `cupid ${command}\nexit code ${code}: ${last.trim().replace(/cupid-[0-9a-f]{8}/, 'RUN-ID')}`;
}
