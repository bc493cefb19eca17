/** Starts the built command, and measures its and its server's resources. Linux only. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export const ROOT = join(import.meta.dirname, '..', '..');
const COMMAND = getCommand('.');
const SAMPLE_MS = 50;
const TICKS_PER_SECOND = 100;

if (!existsSync(COMMAND)) {
  console.error('The command is not built. Run: npm run build');
  process.exit(1);
}

const running = new Set();
const folders = new Set();

/** Creates a temporary folder, which is removed when this process ends. */
export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'cupid-bench-'));
  folders.add(folder);
  return folder;
}

// The embedded server ends with its command.
process.on('exit', () => {
  for (const { child } of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

/** Returns the command of a build. @param directory of the build; a relative path begins at the project */
export function getCommand(directory) {
  return resolvePath(ROOT, directory, 'dist', 'cli', 'main.js');
}

/**
 * Starts `cupid` and samples processor time and memory of the command and its embedded server until it ends.
 * @param runFolder the folder of the run whose server is measured
 * @param command another build of it
 */
export function startCommand(
  args,
  { runFolder, environment = {}, nodeOptions = [], command: program = COMMAND } = {},
) {
  const child = spawn(process.execPath, [...nodeOptions, program, ...args.map(String)], {
    cwd: ROOT,
    env: { ...withoutClusters(process.env), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const startedAt = Date.now();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  }
  const command = newUsage();
  const server = newUsage();
  const samples = [];
  const sample = () => {
    addTo(command, timesOf(child.pid));
    addTo(server, timesOf(serverPid(runFolder)));
    samples.push({
      at: Date.now(),
      machine: machineSeconds(),
      command: command.processorSeconds,
      server: server.processorSeconds,
      memoryMb: command.memoryMb + server.memoryMb,
    });
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const process_ = { child, startedAt, command, server, samples, output: () => output };
  running.add(process_);
  process_.ended = new Promise((resolve) => {
    child.once('exit', () => {
      clearInterval(timer);
      process_.endedAt = Date.now();
    });
    child.once('close', (code, signal) => {
      running.delete(process_);
      resolve({ code, signal });
    });
  });
  return process_;
}

/** Returns the arguments of a `cupid synth` that does not check its model. */
export function synthesisOf(runFolder, model, personas, ...more) {
  const run = ['synth', '--output-dir', runFolder, '--model', model, '--no-check'];
  return [...run, '--n-personas', personas, ...more];
}

/** Returns the arguments of a `cupid eval` of both tasks, with one model in every role, that does not check it. */
export function evaluationOf(runFolder, model, data, ...more) {
  const run = ['eval', '--results-dir', runFolder, '--model', model, '--evaluator', model, '--no-check'];
  return [...run, '--data', data, '--task', 'both', ...more];
}

/** Runs `cupid` to its end. @throws Error with its output when it fails */
export async function runCommand(args, options = {}) {
  const command = startCommand(args, options);
  const { code, signal } = await command.ended;
  if (code !== 0) throw new Error(`cupid ${args[0]} ended with ${code ?? signal}:\n${command.output()}`);
  return command;
}

/** Reads processor time, memory and session of a process; undefined if there is none. */
export function timesOf(pid) {
  if (pid === undefined) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      pid,
      parent: Number(fields[1]),
      session: Number(fields[3]),
      processorSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
      endedChildrenSeconds: (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND,
      memoryMb: (Number(fields[21]) * 4096) / 1e6,
    };
  } catch {
    return undefined;
  }
}

/** Returns the most memory that a command has had, in MB. */
export function peakMbOf({ child }) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Returns the process id of a run's embedded server. */
export function serverPid(runFolder) {
  if (runFolder === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(join(runFolder, '.cupid', 'engine', 'server.json'), 'utf8')).pid;
  } catch {
    return undefined;
  }
}

/** Waits until a condition holds. */
export async function until(holds, everyMs = 20) {
  while (!(await holds())) await wait(everyMs);
}

/** Returns the processor time of the whole machine. */
function machineSeconds() {
  const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split(/\s+/, 9);
  return (Number(user) + Number(nice) + Number(system) + Number(irq) + Number(softirq)) / TICKS_PER_SECOND;
}

/** Describes the machine, the commit and the time, for the title of a table. */
export function describeMachine() {
  const dirty = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes';
  return `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${git('rev-parse', '--short', 'HEAD')}${dirty}, ${cpus().length} cores, load before ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0]}`;
}

function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function newUsage() {
  return { processorSeconds: 0, memoryMb: 0, peakMemoryMb: 0, earlier: 0, pid: undefined };
}

/** Adds a sample. A restarted server is another process, whose time adds to that of the first. */
function addTo(usage, times) {
  if (times === undefined) return;
  if (usage.pid !== times.pid) {
    usage.earlier = usage.processorSeconds;
    usage.pid = times.pid;
  }
  usage.processorSeconds = usage.earlier + times.processorSeconds;
  usage.memoryMb = times.memoryMb;
  usage.peakMemoryMb = Math.max(usage.peakMemoryMb, times.memoryMb);
}

function withoutClusters(environment) {
  const kept = Object.entries(environment).filter(([name]) => !/^(TEMPORAL|OPENAI|npm)_/.test(name));
  return Object.fromEntries(kept);
}
