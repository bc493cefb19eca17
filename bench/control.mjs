/**
 * Measures the costs of many workers on one run: the time from `cupid pause` to the last call, and the growth of the control workflows' histories
 * per worker and hour, with workers at their limits. The run has a budget and limits of requests, tokens and calls in flight, of which the
 * requests are the bottleneck.
 *
 *   npm run build && node bench/control.mjs [--workers N] [--minutes N] [--rpm N] [--latency MS]
 *
 * --workers  processes that work on the run, including the one that drives it (default: 24; each takes about 250 MB)
 * --minutes  for which the growth of the histories is measured (default: 2)
 * --rpm      requests per minute of the model (default: 600)
 * --latency  of the model, in milliseconds (default: 1000)
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startModelServer } from './shared/model-server.mjs';
import { readOptions } from './shared/options.mjs';
import {
  describeMachine,
  makeFolder,
  runCommand,
  startCommand,
  synthesisOf,
  until,
} from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { Client, Connection } = createRequire(import.meta.url)('@temporalio/client');
const { workers, minutes, rpm, latency } = readOptions({ workers: 24, minutes: 2, rpm: 600, latency: 1000 });
const title = `Control: ${workers} workers, ${rpm} requests a minute. ${describeMachine()}`;

const modelServer = await startModelServer({ latencyMs: latency });
const runFolder = join(makeFolder(), 'run');
const limits = ['--rate', `${rpm}rpm 9Mtpm 64inflight`, '--budget', '900Mtok'];
const args = synthesisOf(runFolder, modelServer.spec(), 1000, '--concurrency', '64', ...limits);
const driver = startCommand(args, { runFolder });
await until(async () => (await modelServer.readCalls()).length > 0, 100);
const others = [];
for (let number = 1; number < workers; number += 1) {
  const worker = startCommand(['worker', runFolder]);
  const started = until(() => worker.output() !== '');
  await Promise.race([started, worker.ended, wait(60_000)]);
  others.push(worker);
}
// Wait until the last worker has its share.
await wait(30_000);

const { address } = JSON.parse(readFileSync(join(runFolder, '.cupid', 'engine', 'server.json'), 'utf8'));
const { id: run } = JSON.parse(readFileSync(join(runFolder, 'run.json'), 'utf8'));
const client = new Client({ connection: await Connection.connect({ address }) });
const before = await controlBytes();
const callsBefore = (await modelServer.readCalls()).length;
await wait(minutes * 60_000);
const after = await controlBytes();
const sent = (await modelServer.readCalls()).length - callsBefore;

const pausedAt = Date.now();
await runCommand(['pause', runFolder]);
const returnedAt = Date.now();
await wait(20_000);
const calls = await modelServer.readCalls();
const lastSentAt = calls.at(-1).receivedAt;
for (const { child } of [...others, driver]) child.kill('SIGKILL');
modelServer.stop();

const megabytes = (kind) => (after[kind] - before[kind]) / 1e6 / (minutes / 60) / workers;
printTable(title, [
  {
    workers: 1 + others.filter(({ endedAt }) => endedAt === undefined).length,
    'calls/min sent': sent / minutes,
    'last call after the pause, s': Math.max(0, lastSentAt - pausedAt) / 1000,
    'cupid pause returned after, s': (returnedAt - pausedAt) / 1000,
    'calls sent after it returned': calls.filter(({ receivedAt }) => receivedAt > returnedAt).length,
    'history a worker and hour, MB': megabytes('all'),
    'of the control of the run': megabytes('ofRun'),
    'of the limits of the model': megabytes('ofModel'),
  },
]);
await client.connection.close();
process.exit();

/** Returns the bytes of all workflow histories except those of the run and its personas, continued ones included. */
async function controlBytes() {
  const bytes = { all: 0, ofRun: 0, ofModel: 0 };
  for await (const { workflowId, runId } of client.workflow.list()) {
    if (workflowId === run || workflowId.startsWith(`${run}/p`)) continue;
    const { historySize = 0 } = await client.workflow.getHandle(workflowId, runId).describe();
    bytes.all += historySize;
    bytes[workflowId.startsWith(run) ? 'ofRun' : 'ofModel'] += historySize;
  }
  return bytes;
}
