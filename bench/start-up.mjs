/**
 * Measures how long commands take to start: the median of commands without an engine, and `cupid synth` until the first call at the model server.
 * The Temporal server is in the cache.
 *
 *   npm run build && node bench/start-up.mjs [--times N]
 *
 * --times        how often each command is run (default: 5)
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startModelServer } from './shared/model-server.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine, makeFolder, ROOT, startCommand, synthesisOf, until } from './shared/processes.mjs';
import { median, printTable } from './shared/table.mjs';

const title = `Start-up. ${describeMachine()}`;
const times = Array.from({ length: readOptions({ times: 5 }).times });

const folder = makeFolder();
const missing = join(folder, 'missing');
const commands = [
  ['--help'],
  ['synth', '--help'],
  ['models'],
  ['doctor'],
  ['failures', missing],
  ['validate', missing],
  ['synth', '--output-dir', missing, '--model', 'simulated:default', '--estimate'],
];
const rows = commands.map((args) => {
  const runs = times.map(() => run(args));
  return {
    command: `cupid ${args.map((arg) => (arg === missing ? 'missing' : arg)).join(' ')}`,
    'ms until it ended': median(runs.map(({ ms }) => ms)),
    'processor ms': median(runs.map(({ processorMs }) => processorMs)),
    'ms until the first call': undefined,
  };
});

const modelServer = await startModelServer({ latencyMs: 0 });
const firsts = [];
for (const _ of times) firsts.push(await firstCall());
rows.push({
  command: 'cupid synth',
  'ms until it ended': undefined,
  'processor ms': median(firsts.map(({ processorMs }) => processorMs)),
  'ms until the first call': median(firsts.map(({ ms }) => ms)),
});
modelServer.stop();
printTable(title, rows);

/** Runs a command to its end; the shell prints the processor time of its children. */
function run(args) {
  const startedAt = performance.now();
  const { stdout } = spawnSync('/bin/sh', ['-c', '"$@" >/dev/null 2>&1; times', 'sh', ...commandLine(args)], {
    encoding: 'utf8',
  });
  const ms = performance.now() - startedAt;
  const [, children] = stdout.split('\n');
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => 60 * Number(m) + Number(s));
  return { ms: Math.round(ms), processorMs: Math.round(1000 * seconds.reduce((sum, one) => sum + one, 0)) };
}

function commandLine(args) {
  return [process.execPath, join(ROOT, 'dist', 'cli', 'main.js'), ...args];
}

/** Measures a new run up to its first call. The processor time is that of the command and its server. */
async function firstCall() {
  await modelServer.restart({ latencyMs: 0 });
  const runFolder = join(makeFolder(), 'run');
  const command = startCommand(synthesisOf(runFolder, modelServer.spec(), 1), { runFolder });
  await until(async () => (await modelServer.readCalls()).length > 0, 50);
  const [{ receivedAt }] = await modelServer.readCalls();
  const used = command.samples.findLast(({ at }) => at <= receivedAt);
  command.child.kill('SIGKILL');
  await command.ended;
  return {
    ms: receivedAt - command.startedAt,
    processorMs: Math.round(1000 * ((used?.command ?? 0) + (used?.server ?? 0))),
  };
}
