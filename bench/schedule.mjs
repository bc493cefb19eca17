/**
 * Compares a run with the shortest time possible: the longest chain of successive calls, or all calls at the maximum in flight, whichever is
 * longer. Each row is one run against a model server in a separate process.
 *
 *   npm run build && node bench/schedule.mjs [RUN…]
 *
 * RUN is synth:PERSONAS:LATENCY:CONCURRENCY or eval:INSTANCES:LATENCY:CONCURRENCY, with the latency in milliseconds
 * (default: synth:12:1000:64 eval:756:1000:64). Evaluations are of both tasks.
 * "in flight" is the mean from the first call to the last; "in the middle" leaves out the first and the last minute.
 */
import { join } from 'node:path';
import { lastAnswer, meanInFlight, spanSeconds } from './shared/calls.mjs';
import { criticalPath } from './shared/critical-path.mjs';
import { makeInstances, writeJsonLines } from './shared/instances.mjs';
import { startModelServer } from './shared/model-server.mjs';
import { describeMachine, makeFolder, runCommand } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const named = process.argv.slice(2);
const runs = named.length > 0 ? named : ['synth:12:1000:64', 'eval:756:1000:64'];
const title = `Schedule. ${describeMachine()}`;

const modelServer = await startModelServer({ latencyMs: 0 });
const rows = [];
for (const run of runs) {
  const [command, size, latency, concurrency] = run.split(':');
  const runFolder = join(makeFolder(), 'run');
  const spec = modelServer.spec();
  const options =
    command === 'synth'
      ? ['--output-dir', runFolder, '--n-personas', size]
      : ['--results-dir', runFolder, '--task', 'both', '--evaluator', spec, '--data', await dataOf(size)];
  await modelServer.restart({ latencyMs: Number(latency) });
  const args = [command, ...options, '--model', spec, '--concurrency', concurrency, '--no-check'];
  const { startedAt, endedAt, command: worker } = await runCommand(args, { runFolder });
  const calls = await modelServer.readCalls();
  const path = criticalPath(runFolder);
  const shortest = (Math.max(path, calls.length / Number(concurrency)) * Number(latency)) / 1000;
  const [from, to] = [calls[0].receivedAt, lastAnswer(calls)];
  const middle = to - from > 180_000 ? meanInFlight(calls, from + 60_000, to - 60_000) : undefined;
  rows.push({
    run: `${command}, ${size} ${command === 'synth' ? 'personas' : 'instances'}`,
    'latency, ms': Number(latency),
    'most in flight': Number(concurrency),
    calls: calls.length,
    'longest chain, calls': path,
    'shortest, s': shortest,
    'first call to last, s': spanSeconds(calls),
    ratio: spanSeconds(calls) / shortest,
    'whole command, s': (endedAt - startedAt) / 1000,
    'its ratio': (endedAt - startedAt) / 1000 / shortest,
    'in flight': meanInFlight(calls, from, to),
    'in the middle': middle,
    'in the middle, %': middle === undefined ? undefined : (100 * middle) / Number(concurrency),
    'memory of the command, MB': Math.round(worker.peakMemoryMb),
  });
}
printTable(title, rows);
modelServer.stop();

async function dataOf(instances) {
  return writeJsonLines(await makeInstances(Number(instances)));
}
