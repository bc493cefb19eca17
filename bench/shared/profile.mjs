/** Profiles the processor time of a run. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder, ROOT, serverPid, until } from './processes.mjs';
import { printTable } from './table.mjs';

const ROWS = 20;
const SAMPLES_PER_SECOND = 499;

/**
 * Profiles one run and prints a table for each kind of thread of the command, and one for the server if `perf` is installed.
 * @param synthesize makes the run in `runFolder`, with these options of Node
 */
export async function printProfile(synthesize) {
  const folder = makeFolder();
  const runFolder = join(folder, 'run');
  const profiles = join(folder, 'profiles');
  const run = synthesize({ runFolder, nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${profiles}`] });
  const recording = recordMachine(runFolder, join(folder, 'perf.data'), run);
  await run;
  const threads = new Map();
  for (const name of readdirSync(profiles)) {
    const profile = JSON.parse(readFileSync(join(profiles, name), 'utf8'));
    const thread = threadOf(profile);
    threads.set(thread, [...(threads.get(thread) ?? []), profile]);
  }
  for (const [thread, all] of threads) printTable(`Profile of the command: ${thread}`, rowsOf(shares(all)));
  const recorded = await recording;
  if (recorded === undefined) return;
  printTable('Threads of the command', rowsOf(recorded.threads));
  printTable('Profile of the server', rowsOf(recorded.server));
}

function threadOf({ nodes }) {
  const runs = (file) => nodes.some(({ callFrame: { url } }) => url.endsWith(file));
  if (runs('workflow-worker-thread.js')) return 'workflow threads';
  return runs('dist/cli/main.js') ? 'main thread' : 'other threads';
}

/** Adds up the seconds of each package or directory in these profiles. */
function shares(profiles) {
  const seconds = new Map();
  for (const { nodes, samples, timeDeltas } of profiles) {
    const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
    samples.forEach((id, index) => add(seconds, places.get(id), timeDeltas[index] / 1e6));
  }
  return seconds;
}

function placeOf({ url, functionName }) {
  const file = decodeURIComponent(url.replace(/^file:\/\//, ''));
  const [, dependency] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  if (dependency !== undefined) return dependency;
  if (file.endsWith('workflows.bundle.js') || file.startsWith('evalmachine')) return 'workflow bundle';
  const dist = join(ROOT, 'dist', '/');
  if (file.startsWith(dist)) return `cupid: ${file.slice(dist.length).split('/', 1)[0]}`;
  if (file.startsWith('wasm:')) return 'WebAssembly';
  const [, builtin] = /^node:(?:internal\/(?:deps\/)?)?([^/]+)/.exec(file) ?? [];
  if (builtin !== undefined) return `Node.js: ${builtin}`;
  if (file !== '') return file;
  if (functionName.startsWith('RegExp: ')) return 'regular expressions';
  if (FILE_OPERATIONS.test(functionName)) return 'Node.js: fs';
  return NOT_CALLS.has(functionName) ? functionName : `native: ${functionName || 'unnamed'}`;
}

const FILE_OPERATIONS =
  /^(open|close|read|write|writev|f?sync|fsync|fdatasync|[lf]?stat|mkdir|link|unlink|rename|rm|readdir|access|internalModuleStat)([A-Z]\w*)?$/;

const NOT_CALLS = new Set(['(program)', '(idle)', '(garbage collector)']);

/**
 * Samples the machine with perf during the run, and returns the threads of the command and the packages of the server. Undefined if the tools for
 * it are missing.
 */
async function recordMachine(runFolder, file, run) {
  const ended = run.catch(() => undefined);
  await Promise.race([ended, until(() => serverPid(runFolder) !== undefined)]);
  const pid = serverPid(runFolder);
  if (pid === undefined) return undefined;
  // Initially, the process is the shell that becomes the server.
  const readBinary = () => readlinkSync(`/proc/${pid}/exe`);
  await until(() => basename(readBinary()).startsWith('temporal'));
  const binary = readBinary();
  // The whole machine, because otherwise threads that a process starts later would be missing.
  const options = ['record', '-a', '-e', 'cpu-clock', '-F', `${SAMPLES_PER_SECOND}`, '-o', file];
  const perf = spawn('perf', options, { stdio: 'ignore' });
  try {
    const recorded = once(perf, 'close');
    await Promise.race([ended, recorded]);
    perf.kill('SIGINT');
    await recorded;
    const { child } = await run;
    return { threads: threadsIn(file, child.pid), server: packagesIn(file, pid, binary) };
  } catch (error) {
    console.log(`Threads and server were not profiled, which needs perf and go: ${error.message}`);
    return undefined;
  }
}

function threadsIn(file, pid) {
  const seconds = new Map();
  for (const [name, thread] of samplesIn(file, pid, 'comm,tid')) {
    const kind = name === 'node' ? (thread === `${pid}` ? 'main thread' : 'other threads of Node.js') : name;
    add(seconds, kind, 1 / SAMPLES_PER_SECOND);
  }
  return seconds;
}

/** Adds up the server's time by package. Go resolves the addresses, because the symbols of the server are stripped. */
function packagesIn(file, pid, binary) {
  const addresses = samplesIn(file, pid, 'ip').map(([address]) => address);
  const distinct = [...new Set(addresses)];
  const input = distinct.map((address) => `0x${address}\n`).join('');
  // Each address has two lines: the function, and its place.
  const names = read('go', ['tool', 'addr2line', binary], input).split('\n');
  const packages = new Map(distinct.map((address, index) => [address, packageOf(names[2 * index])]));
  const seconds = new Map();
  for (const address of addresses) add(seconds, packages.get(address), 1 / SAMPLES_PER_SECOND);
  return seconds;
}

function samplesIn(file, pid, fields) {
  const lines = read('perf', ['script', '-i', file, '-F', fields, '--pid', `${pid}`]).split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => line.trim().split(/\s+/));
}

function read(command, options, input) {
  const stdio = ['pipe', 'pipe', 'ignore'];
  return execFileSync(command, options, { encoding: 'utf8', maxBuffer: 2 ** 30, input, stdio });
}

/**
 * Returns the package of a symbol: `go.temporal.io/server/service/history` for
 * `go.temporal.io/server/service/history/workflow.(*ContextImpl).Load`.
 */
function packageOf(symbol) {
  const [, path = '', name] = /^(.*\/)?([^.(]+)\./.exec(symbol) ?? [];
  if (name === undefined) return 'kernel and C';
  return `${path}${name}`.replace(/^(go\.temporal\.io\/server\/(?:common|service)\/[^/]+).*/, '$1');
}

function rowsOf(seconds) {
  const idle = seconds.get('(idle)') ?? 0;
  seconds.delete('(idle)');
  const total = [...seconds.values()].reduce((sum, value) => sum + value, 0);
  const sorted = [...seconds].toSorted(([, one], [, other]) => other - one);
  const rest = sorted.slice(ROWS).reduce((sum, [, value]) => sum + value, 0);
  return [
    ...sorted.slice(0, ROWS),
    ['everything else', rest],
    ['busy', total],
    ...(idle > 0 ? [['idle', idle]] : []),
  ].map(([place, value]) => ({ place, s: value, 'of busy, %': (100 * value) / total }));
}

function add(map, key, value) {
  map.set(key, (map.get(key) ?? 0) + value);
}
