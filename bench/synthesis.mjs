/**
 * How close synthesis comes to the ideal: the time that all its calls would take if as many as allowed were always in
 * flight and nothing else took time. Both figures are of the same run, so the machine's speed that day cancels out.
 *
 *   npm run build && node bench/synthesis.mjs [personas] [concurrency] [latency in ms]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [personas = '24', concurrency = '32', latency = '1000'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'cupid-bench-'));
const command = join(new URL('.', import.meta.url).pathname, '..', 'dist', 'cli', 'main.js');
const { status } = spawnSync(
  process.execPath,
  [
    command,
    'synth',
    `--output-dir=${join(folder, 'run')}`,
    `--model=simulated:default?latency=${latency}ms`,
    `--n-personas=${personas}`,
    `--concurrency=${concurrency}`,
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
);
if (status !== 0) throw new Error(`synth ended with ${status}`);

const journal = join(folder, 'run', '.cupid', 'journal');
const ends = readdirSync(journal, { recursive: true })
  .filter((name) => name.endsWith('.json'))
  .map((name) => {
    const file = join(journal, name);
    return { end: statSync(file).mtimeMs, took: JSON.parse(readFileSync(file, 'utf8')).milliseconds };
  });
const first = ends.reduce((least, { end, took }) => Math.min(least, end - took), Infinity);
const last = ends.reduce((most, { end }) => Math.max(most, end), 0);
const seconds = (last - first) / 1000;
const ideal = (ends.length * Number(latency)) / 1000 / Number(concurrency);
rmSync(folder, { recursive: true, force: true });

console.log(`personas ${personas}, in flight at most ${concurrency}, latency ${latency} ms`);
console.log(
  `calls ${ends.length}, first to last ${seconds.toFixed(1)} s, ${(ends.length / seconds).toFixed(1)} calls/s`,
);
console.log(`ideal ${ideal.toFixed(1)} s, ratio ${(seconds / ideal).toFixed(2)}`);
