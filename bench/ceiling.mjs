/**
 * Measures calls per second with a fast model, and the processor time of a call: in the command, which is the worker, and in the embedded Temporal
 * server. The model server is a separate process whose processor time does not count. Each row is one run of `cupid synth`. "ms a call" is the
 * processor time of the whole command, including start and data sets; "between" is the part from the first call to the last. "Last call to end"
 * is what a user waits for after the last answer. An unmeasured first run lets the model server remember its answers. The figures need an otherwise idle machine: see "other programs".
 *
 *   npm run build && node bench/ceiling.mjs [--latency MS,MS…] [--personas N] [--concurrency N] [--telemetry KINDS] [--rounds N] [--beside DIR] [--profile]
 *
 * --latency      latencies of the model in milliseconds, one row each (default: 20)
 * --personas     personas of each run (default: 12)
 * --concurrency  calls in flight (default: 64)
 * --telemetry    off, metrics (scraped once a second), traces (metrics too), in any order, one row each (default: off)
 * --rounds       runs of each row (default: 1)
 * --beside       directory of another build, whose runs alternate with this one's; a second table has the medians of each
 * --profile      also prints where the processor time of one more run goes: the main thread and the workflow threads of the command by
 *                package, and, if `perf` is installed, the server by package. A profiled run is slower and gives no row.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { lastAnswer, processorSecondsBetween, spanSeconds } from './shared/calls.mjs';
import { startModelServer } from './shared/model-server.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine, getCommand, makeFolder, runCommand, synthesisOf } from './shared/processes.mjs';
import { printProfile } from './shared/profile.mjs';
import { median, printTable } from './shared/table.mjs';

const options = readOptions({
  latency: '20',
  personas: 12,
  concurrency: 64,
  telemetry: 'off',
  rounds: 1,
  beside: '',
  profile: false,
});
const METRICS = '127.0.0.1:19465';
const latencies = options.latency.split(',').map(Number);
const title = `Ceiling: ${options.personas} personas, ${options.concurrency} calls in flight. ${describeMachine()}`;

const collector = await startCollector();
const modelServer = await startModelServer({ latencyMs: 0 });
// Unmeasured, so that the model server knows all answers afterwards.
await synthesize();

const builds = options.beside === '' ? ['.'] : ['.', options.beside];
const kinds = latencies.flatMap((ms) => options.telemetry.split(',').map((kind) => [ms, kind]));
const planned = kinds.flatMap((kind) =>
  Array.from({ length: options.rounds }, (_, round) =>
    (round % 2 === 0 ? builds : builds.toReversed()).map((build) => [...kind, build]),
  ).flat(),
);

const rows = [];
for (const [latencyMs, telemetry, build] of planned) {
  await modelServer.restart({ latencyMs });
  const before = modelServer.processorSeconds();
  const run = await synthesize({ telemetry, build });
  const calls = await modelServer.readCalls();
  const [{ receivedAt: from }] = calls;
  const to = lastAnswer(calls);
  const perCall = (seconds) => (seconds * 1000) / calls.length;
  const between = (whose) => perCall(processorSecondsBetween(run.samples, from, to, whose));
  rows.push({
    ...(builds.length > 1 ? { build } : {}),
    'latency, ms': latencyMs,
    telemetry,
    calls: calls.length,
    'calls/s': calls.length / spanSeconds(calls),
    'ms a call': perCall(run.command.processorSeconds + run.server.processorSeconds),
    worker: perCall(run.command.processorSeconds),
    server: perCall(run.server.processorSeconds),
    between: between('command') + between('server'),
    'worker, between': between('command'),
    'server, between': between('server'),
    'start to first call, s': (from - run.startedAt) / 1000,
    'first call to last, s': spanSeconds(calls),
    'last call to end, s': (run.endedAt - to) / 1000,
    'whole command, s': (run.endedAt - run.startedAt) / 1000,
    'other programs, cores': coresOfOthers(run, calls, modelServer.processorSeconds() - before),
  });
}
printTable(title, rows);
if (builds.length > 1) {
  const summary = kinds.flatMap((kind) => builds.map((build) => summarize(kind, build)));
  printTable('Medians', summary);
}

if (options.profile) {
  await modelServer.restart({ latencyMs: latencies[0] });
  await printProfile(synthesize);
}
modelServer.stop();
collector.close();

/** Returns the number of cores that other programs kept busy: the figures are valid only near 0. */
function coresOfOthers({ samples }, calls, modelServerSeconds) {
  const [from, to] = [calls[0].receivedAt, lastAnswer(calls)];
  const [machine, command, server] = ['machine', 'command', 'server'].map((whose) =>
    processorSecondsBetween(samples, from, to, whose),
  );
  return Math.max(0, machine - command - server - modelServerSeconds) / ((to - from) / 1000);
}

/** Returns the medians of a build's runs of one kind. */
function summarize([latencyMs, telemetry], build) {
  const own = rows.filter(
    (row) => row.build === build && row['latency, ms'] === latencyMs && row.telemetry === telemetry,
  );
  const columns = ['ms a call', 'between', 'last call to end, s', 'whole command, s'];
  return {
    build,
    'latency, ms': latencyMs,
    telemetry,
    ...Object.fromEntries(columns.map((column) => [column, median(own.map((row) => row[column]))])),
    'lowest ms a call': Math.min(...own.map((row) => row['ms a call'])),
    'highest ms a call': Math.max(...own.map((row) => row['ms a call'])),
  };
}

async function synthesize({
  runFolder = join(makeFolder(), 'run'),
  nodeOptions,
  telemetry = 'off',
  build = '.',
} = {}) {
  const command = getCommand(build);
  const size = ['--concurrency', options.concurrency];
  const run = synthesisOf(runFolder, modelServer.spec(), options.personas, ...size);
  if (telemetry === 'off') return runCommand(run, { runFolder, nodeOptions, command });
  const scraping = setInterval(() => void fetch(`http://${METRICS}/metrics`).catch(() => undefined), 1_000);
  const environment = telemetry === 'traces' ? { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } : {};
  try {
    return await runCommand([...run, '--telemetry', METRICS], {
      runFolder,
      nodeOptions,
      environment,
      command,
    });
  } finally {
    clearInterval(scraping);
  }
}

/** Starts a server that accepts and discards traces. */
async function startCollector() {
  const server = createServer((request, response) => request.resume().on('end', () => response.end()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
