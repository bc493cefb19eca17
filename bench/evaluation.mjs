/**
 * How close evaluation comes to the ideal: the time that all its calls would take if as many as allowed were always in flight
 * and nothing else took time; and whether its memory grows with the number of instances. All figures are of one run, so
 * the machine's speed that day cancels out.
 *
 *   npm run build && node bench/evaluation.mjs [instances] [concurrency] [latency in ms]
 */
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [instances = '756', concurrency = '64', latency = '1000'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'cupid-bench-'));
const dist = join(new URL('.', import.meta.url).pathname, '..', 'dist');
const command = join(dist, 'cli', 'main.js');

const data = await madeData();
const model = `simulated:default?latency=${latency}ms`;
const start = performance.now();
const child = spawn(
  process.execPath,
  [
    command,
    'eval',
    `--results-dir=${join(folder, 'results')}`,
    `--data=${data}`,
    '--task=both',
    `--model=${model}`,
    `--evaluator=${model}`,
    `--concurrency=${concurrency}`,
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
);
const memory = [];
const sampling = setInterval(() => memory.push(residentMegabytes(child.pid)), 1_000);
const ended = await new Promise((resolve) => child.once('close', resolve));
clearInterval(sampling);
if (ended !== 0) throw new Error(`eval ended with ${ended}`);
const seconds = (performance.now() - start) / 1000;

const journal = join(folder, 'results', '.cupid', 'journal');
const calls = readdirSync(journal, { recursive: true }).filter((name) => name.endsWith('.json')).length;
const ideal = (calls * Number(latency)) / 1000 / Number(concurrency);
rmSync(folder, { recursive: true, force: true });

console.log(`instances ${instances}, both tasks, in flight at most ${concurrency}, latency ${latency} ms`);
console.log(
  `calls ${calls}, the whole command ${seconds.toFixed(1)} s, ${(calls / seconds).toFixed(1)} calls/s`,
);
console.log(`ideal ${ideal.toFixed(1)} s, ratio ${(seconds / ideal).toFixed(2)}`);
const quarter = memory.slice(0, Math.ceil(memory.length / 4));
console.log(
  `memory of the command, MB: most in the first quarter ${Math.max(...quarter)}, in the whole ${Math.max(...memory)}`,
);

/** A small synthesized data set, its personas repeated under new names until there are enough instances. */
async function madeData() {
  const made = join(folder, 'made');
  const { status } = spawnSync(
    process.execPath,
    [command, 'synth', `--output-dir=${made}`, '--model=simulated:default', '--n-personas=8'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (status !== 0) throw new Error(`synth ended with ${status}`);
  const load = createRequire(import.meta.url);
  const { openData } = load(join(dist, 'data', 'instances', 'open.js'));
  const { readInstances } = load(join(dist, 'data', 'instances', 'read.js'));
  const rows = [];
  const dataSet = await openData(made, { report: () => undefined, environment: process.env });
  for await (const instance of readInstances(dataSet)) rows.push(instance);
  const lines = Array.from({ length: Number(instances) }, (_, at) => {
    const row = rows[at % rows.length];
    return JSON.stringify({ ...row, persona_id: `${Math.floor(at / rows.length)}.${row.persona_id}` });
  });
  const file = join(folder, 'instances.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

function residentMegabytes(pid) {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return Math.round((pages * 4096) / 1e6);
}
