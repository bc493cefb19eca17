import { execFile, type ExecFileException } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { needing } from '../parts/needing';
import { createTemporaryFolder } from '../temporary-folder';
import { runLoaded } from './loaded-command';

const { test } = needing('storage', 'cluster', 'postgres');

const SCRIPT = join(__dirname, '..', '..', 'deploy', 'local.sh');
const folder = createTemporaryFolder();
const cluster = join(folder, 'cluster');
/** The first of a block of ports, below those that the system assigns by itself. */
const PORT = 10_000 + 50 * Math.floor(Math.random() * 200);
const PARTS = ['postgres', 'storage', 'temporal', 'worker-1', 'worker-2'];

afterAll(() => runScript('down'));

test('a run on PostgreSQL and object storage, with workers that are killed and started; nothing is left running', async () => {
  const up = await runScript('up', '--workers', '2', '--port', `${PORT}`, '--', '--concurrency', '4');
  expect(up).toMatchObject({ code: 0 });
  const environment = parseExports(up.stdout);
  expect(environment['TEMPORAL_ADDRESS']).toBe(`127.0.0.1:${PORT}`);
  const { code, stdout } = await runScript('status');
  expect(code).toBe(0);
  expect(stdout.match(/^[\w-]+ runs/gm)).toEqual(PARTS.map((part) => `${part} runs`));

  expect(await runScript('kill', 'worker-1')).toMatchObject({ code: 0 });
  expect(await runScript('status')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('worker-1 does not run'),
  });
  expect(await runScript('start', 'worker-1', '--', '--concurrency', '3')).toMatchObject({ code: 0 });
  expect(readCommandLine('worker-1')).toContain('--concurrency 3');
  expect(readCommandLine('worker-2')).toContain('--concurrency 4');
  const synth = ['synth', '--output-dir', join(folder, 'run'), '--model=simulated:default', ...SIZE];
  const run = await runLoaded([...synth, '--store', `${environment['CUPID_STORE']}/one`], environment);
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });

  expect(await runScript('up')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('runs already. Stop it first: deploy/local.sh down --folder'),
  });
  expect(await runScript('down')).toMatchObject({ code: 0 });
  expect(listProcessesIn(cluster)).toEqual([]);
  // The start of workers for calls only, or for workflows only, logs no warning.
  expect(readFileSync(join(cluster, 'logs', 'worker-2.log'), 'utf8')).not.toContain('not polling');
});

test('wrong usage is exit 2, and a folder without a cluster exit 1', async () => {
  expect(await runScript('restart', 'everything')).toMatchObject({ code: 2 });
  expect(await runScript('up', '--workers')).toMatchObject({ code: 2 });
  for (const port of ['1023', '32761', '99999', 'abc']) {
    expect(await runScript('up', '--port', port)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--port takes a number from 1024 to 32760'),
    });
  }
  expect(await runScript('status', '--folder', join(folder, 'none'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Start one with: deploy/local.sh up --folder'),
  });
});

/** One short journey. */
const SIZE = ['--n-personas=1', '--n-sessions=9', '--max-turns=3'];

function parseExports(text: string): Record<string, string> {
  const exports = [...text.matchAll(/^export (?<name>\w+)=(?<value>.*)$/gm)];
  return Object.fromEntries(exports.map(({ groups = {} }) => [groups['name'] ?? '', groups['value'] ?? '']));
}

interface Result {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the script on the test's folder. */
async function runScript(command: string, ...options: readonly string[]): Promise<Result> {
  const parts = ['kill', 'start', 'restart'].includes(command) ? options.slice(0, 1) : [];
  const args = [command, ...parts, '--folder', cluster, ...options.slice(parts.length)];
  return new Promise((resolve) => {
    execFile(SCRIPT, args, (error: ExecFileException | null, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

function readCommandLine(part: string): string {
  const pid = readFileSync(join(cluster, 'run', part), 'utf8').trim();
  return readFileSync(join('/proc', pid, 'cmdline'), 'utf8').replaceAll('\0', ' ');
}

/** Lists the processes that have a file below this folder open. */
function listProcessesIn(path: string): string[] {
  return readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && listOpenFiles(pid).some((file) => file.startsWith(path)),
  );
}

function listOpenFiles(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((descriptor) => readlinkSync(`/proc/${pid}/fd/${descriptor}`));
  } catch {
    // It has ended, or is another user's.
    return [];
  }
}
