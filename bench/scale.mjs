/**
 * Measures runs with growing numbers of personas: memory, processor time and bytes of the engine's database. The model server, a separate process,
 * answers at once. Linux only.
 *
 *   npm run build && node bench/scale.mjs [PERSONAS…] [--concurrency N]
 *
 * PERSONAS       personas of each run, one row each (default: 10 100 1000, which takes half an hour or more on two cores)
 * --concurrency  calls in flight (default: 64)
 *
 * "memory" is the maximum of command and server together; "after a tenth" is the maximum until a tenth of the personas was done.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startModelServer } from './shared/model-server.mjs';
import { describeMachine, makeFolder, runCommand, synthesisOf } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '64' } },
});
const sizes = positionals.length > 0 ? positionals : ['10', '100', '1000'];
const title = `Scale: ${values.concurrency} calls in flight. ${describeMachine()}`;
const WATCH_MS = 1_000;

const rows = [];
for (const personas of sizes) rows.push(await measure(personas));
printTable(title, rows);

async function measure(personas) {
  const modelServer = await startModelServer({ latencyMs: 0 });
  const runFolder = join(makeFolder(), 'run');
  const args = synthesisOf(runFolder, modelServer.spec(), personas, '--concurrency', values.concurrency);
  let databaseBytes = 0;
  let tenthAt = Infinity;
  const timer = setInterval(() => {
    databaseBytes = Math.max(databaseBytes, sizeOfDatabase(runFolder));
    if (tenthAt === Infinity && finishedPersonas(runFolder) >= Number(personas) / 10) tenthAt = Date.now();
  }, WATCH_MS);
  const run = await runCommand(args, { runFolder });
  clearInterval(timer);
  const calls = (await modelServer.readCalls()).length;
  modelServer.stop();
  const seconds = run.command.processorSeconds + run.server.processorSeconds;
  return {
    personas: Number(personas),
    calls,
    'start to Parquet, min': (run.endedAt - run.startedAt) / 60_000,
    'memory, MB': Math.round(mostMb(run.samples)),
    'after a tenth, MB': Math.round(mostMb(run.samples.filter(({ at }) => at <= tenthAt))),
    'command, MB': Math.round(run.command.peakMemoryMb),
    'server, MB': Math.round(run.server.peakMemoryMb),
    'processor time a persona, s': seconds / Number(personas),
    'a call, ms': (seconds * 1000) / calls,
    'database a persona, MB': databaseBytes / 1e6 / Number(personas),
    'files in .cupid': readdirSync(join(runFolder, '.cupid'), { recursive: true }).length,
  };
}

function mostMb(samples) {
  return samples.reduce((most, { memoryMb }) => Math.max(most, memoryMb), 0);
}

function sizeOfDatabase(runFolder) {
  const files = ['temporal.db', 'temporal.db-wal'].map((name) => join(runFolder, '.cupid', 'engine', name));
  return files.reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
}

function finishedPersonas(runFolder) {
  const records = join(runFolder, '.cupid', 'records');
  return existsSync(records) ? readdirSync(records).length : 0;
}
