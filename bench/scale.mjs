/**
 * What a run of many personas takes, and whether it takes more for each of them the longer it is: memory of the command and of the
 * server, processor time and bytes of the engine's database a persona, told at every tenth of the run. Linux only.
 *
 *   npm run build && node bench/scale.mjs [personas] [concurrency]
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const [personas = '1000', concurrency = '64'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'cupid-bench-'));
const run = join(folder, 'run');
const engine = join(run, '.cupid', 'engine');
const begun = performance.now();
const command = join(new URL('.', import.meta.url).pathname, '..', 'dist', 'cli', 'main.js');
const child = spawn(
  process.execPath,
  [
    command,
    'synth',
    `--output-dir=${run}`,
    '--model=simulated:default',
    `--n-personas=${personas}`,
    `--concurrency=${concurrency}`,
  ],
  { stdio: ['ignore', 'inherit', 'ignore'] },
);
const ended = new Promise((resolve) => child.once('close', resolve));

const ticks = 100;
const megabyte = 1024 * 1024;
const rows = [];
const peaks = { command: 0, server: 0 };
let told = 0;
let last;
while (child.exitCode === null && child.signalCode === null) {
  await wait(1_000);
  const now = sample();
  if (now === undefined) continue;
  peaks.command = Math.max(peaks.command, now.command);
  peaks.server = Math.max(peaks.server, now.server);
  last = now;
  if (now.finished < ((told + 1) * Number(personas)) / 10) continue;
  told = Math.floor((now.finished * 10) / Number(personas));
  tell(now);
}
const code = await ended;
if (last !== undefined) tell({ ...last, finished: finishedPersonas() });
const [first] = rows;
const final = rows.at(-1);
console.log(
  `exit code ${code}, ${((performance.now() - begun) / 60_000).toFixed(1)} minutes from start to Parquet`,
);
if (first !== undefined && final !== undefined) {
  console.log(
    `command's memory at the end / at ${first.finished} personas: ${(final.peak / first.peak).toFixed(2)}; ` +
      `processor time a persona: ${(final.cpu / first.cpu).toFixed(2)}; database a persona: ${(final.database / first.database).toFixed(2)}`,
  );
}
rmSync(folder, { recursive: true, force: true });

/** How the run stands, as the system tells it; undefined while it is starting or ending. */
function sample() {
  try {
    const server = JSON.parse(readFileSync(join(engine, 'server.json'), 'utf8')).pid;
    const ofCommand = statsOf(child.pid);
    const ofServer = statsOf(server);
    return {
      finished: finishedPersonas(),
      command: ofCommand.memory,
      server: ofServer.memory,
      cpu: ofCommand.cpu + ofServer.cpu,
      database: sizeOf('temporal.db') + sizeOf('temporal.db-wal'),
    };
  } catch {
    return undefined;
  }
}

function tell({ finished, command: memory, server, cpu, database }) {
  const row = {
    finished,
    peak: peaks.command,
    cpu: cpu / finished,
    database: database / finished,
  };
  rows.push(row);
  console.log(
    [
      `${finished} personas in ${((performance.now() - begun) / 60_000).toFixed(1)} min`,
      `command ${Math.round(memory)} MB (peak ${Math.round(peaks.command)})`,
      `server ${Math.round(server)} MB (peak ${Math.round(peaks.server)})`,
      `processor ${row.cpu.toFixed(2)} s a persona`,
      `database ${row.database.toFixed(2)} MB a persona`,
    ].join(', '),
  );
}

/** Memory in MB, processor time in seconds. */
function statsOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    memory: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
    cpu: (Number(fields[11]) + Number(fields[12])) / ticks,
  };
}

function sizeOf(name) {
  const file = join(engine, name);
  return existsSync(file) ? statSync(file).size / megabyte : 0;
}

function finishedPersonas() {
  const records = join(run, '.cupid', 'records');
  return existsSync(records) ? readdirSync(records).length : 0;
}
