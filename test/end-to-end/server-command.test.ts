import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessStart } from '../../data/store/process-start';
import { createTemporaryFolder } from '../temporary-folder';
import { runCupid } from './command';
import { runLoaded } from './loaded-command';
import { endLeftovers, startCommand, until, untilSaid, interrupt } from './processes';

const folder = createTemporaryFolder();

afterEach(endLeftovers);

test('Ctrl-C while the server is built ends Go and what it started, and leaves nothing behind (exit 130)', async () => {
  const place = join(folder, 'building');
  const compiler = join(place, 'compiler.pid');
  const environment = surroundings(place, `sleep 600 & echo $! > '${compiler}'; wait`);
  const running = startCommand(['synth', '--output-dir', join(place, 'run'), ...SMALL], environment);
  await untilSaid(running, 'Building the Temporal server');
  await until(() => existsSync(compiler) && readFileSync(compiler, 'utf8') !== '');
  const { stdout, stderr } = await interrupt(running);
  expect(stdout).toBe('');
  expect(stderr).toContain('Stopped. Nothing was started.');
  await until(async () => (await readProcessStart(Number(readFileSync(compiler, 'utf8')))) === '');
  expect(readdirSync(join(place, 'cupid', 'temporal-1.5.1'))).toEqual([]);
  expect(existsSync(join(place, 'run'))).toBe(false);
});

test('doctor says before whether a run would start: the same without a server, a download and Go', async () => {
  const place = join(folder, 'nothing');
  const environment = surroundings(place);
  const [forecast, run] = await Promise.all([
    runCupid(['doctor'], environment),
    runCupid(['synth', '--output-dir', join(place, 'run'), ...SMALL], environment),
  ]);
  expect(forecast).toMatchObject({ code: 1, stderr: '' });
  expect(run).toMatchObject({ code: 1, stdout: '' });
  const old = `${join(place, 'bin', 'temporal')} is skipped: it contains Temporal server 1.20.0, but 1.29.0 or newer is needed.`;
  const remedy = 'Install the Temporal CLI (server 1.29.0 or newer) so that "temporal" is on PATH';
  for (const line of [
    old,
    '- The download failed: ',
    '- The build failed: Go is not installed.',
    remedy,
    'set TEMPORAL_ADDRESS',
  ]) {
    expect(run.stderr).toContain(line);
  }
  expect(existsSync(join(place, 'run'))).toBe(false);
  for (const line of [
    '--  Temporal server: none can be used, downloaded or built',
    old,
    'It cannot be downloaded: temporal.download cannot be reached (Error: offline).',
    'It cannot be built: Go is not installed.',
    remedy,
  ]) {
    expect(forecast.stdout).toContain(line);
  }
});

test('the server and its UI cannot share a port (exit 2)', async () => {
  const ended = await runLoaded(['server', '--port', '4000', '--ui-port', '4000']);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('--port and --ui-port are both 4000.');
});

const SMALL = ['--model=simulated:default', '--n-personas=1'];

/** Returns the environment of a machine without a network, whose Temporal CLI is too old. Its Go runs this script, or is missing. */
function surroundings(place: string, go?: string): Record<string, string> {
  const bin = join(place, 'bin');
  mkdirSync(bin, { recursive: true });
  const programs = { temporal: 'echo "temporal version 0.1 (Server 1.20.0, UI 1)"', ...(go ? { go } : {}) };
  for (const [name, lines] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${lines}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const offline = join(place, 'offline.js');
  writeFileSync(offline, "globalThis.fetch = () => Promise.reject(new Error('offline'));\n");
  return { PATH: bin, XDG_CACHE_HOME: place, NODE_OPTIONS: `--require ${offline}` };
}
