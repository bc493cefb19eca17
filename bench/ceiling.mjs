/**
 * Measures calls per second with a fast model, and the processor time of a call: in the command, which is the worker, and in the embedded Temporal
 * server. The model server is a separate process whose processor time does not count. Each row is one run of `cupid synth` or `cupid eval`. "ms a call" is the
 * processor time of the whole command, including start and data sets; "between" is the part from the first call to the last. "Last call to end"
 * is what a user waits for after the last answer. An unmeasured first run lets the model server remember its answers. The figures need an otherwise idle machine: see "other programs".
 *
 *   npm run build && node bench/ceiling.mjs [--work synth,eval] [--latency MS,MS…] [--personas N,N…] [--concurrency N] [--telemetry KINDS] [--rounds N] [--beside DIR] [--profile]
 *
 * --work         synth: synthesis; eval: evaluation of both tasks (default: synth)
 * --latency      latencies of the model in milliseconds, one row each (default: 20)
 * --personas     personas of a synthesis; an evaluation has ten times as many instances, one row each (default: 12)
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
import { makeInstances, writeJsonLines } from './shared/instances.mjs';
import { lastAnswer, processorSecondsBetween, spanSeconds } from './shared/calls.mjs';
import { startModelServer } from './shared/model-server.mjs';
import { readOptions } from './shared/options.mjs';
import {
  describeMachine,
  evaluationOf,
  getCommand,
  makeFolder,
  runCommand,
  synthesisOf,
} from './shared/processes.mjs';
import { printProfile } from './shared/profile.mjs';
import { median, printTable } from './shared/table.mjs';

const options = readOptions({
  work: 'synth',
  latency: '20',
  personas: '12',
  concurrency: 64,
  telemetry: 'off',
  rounds: 1,
  beside: '',
  profile: false,
});
const METRICS = '127.0.0.1:19465';
const latencies = options.latency.split(',').map(Number);
const sizes = options.personas.split(',').map(Number);
const title = `Ceiling: ${options.concurrency} calls in flight. ${describeMachine()}`;

const collector = await startCollector();
const modelServer = await startModelServer({ latencyMs: 0 });
/** Files of instances, by size. */
const data = new Map();
// Unmeasured, so that the model server knows all answers afterwards.
for (const work of options.work.split(',')) await run({ work, personas: Math.max(...sizes) });

const builds = options.beside === '' ? ['.'] : ['.', options.beside];
const kinds = options.work
  .split(',')
  .flatMap((work) => sizes.map((personas) => ({ work, personas })))
  .flatMap((kind) => latencies.map((latency) => ({ ...kind, 'latency, ms': latency })))
  .flatMap((kind) => options.telemetry.split(',').map((telemetry) => ({ ...kind, telemetry })));
const planned = kinds.flatMap((kind) =>
  Array.from({ length: options.rounds }, (_, round) =>
    (round % 2 === 0 ? builds : builds.toReversed()).map((build) => ({ kind, build })),
  ).flat(),
);

const rows = [];
for (const { kind, build } of planned) {
  await modelServer.restart({ latencyMs: kind['latency, ms'] });
  const before = modelServer.processorSeconds();
  const command = await run({ ...kind, build });
  const calls = await modelServer.readCalls();
  const [{ receivedAt: from }] = calls;
  const to = lastAnswer(calls);
  const perCall = (seconds) => (seconds * 1000) / calls.length;
  const between = (whose) => perCall(processorSecondsBetween(command.samples, from, to, whose));
  rows.push({
    ...(builds.length > 1 ? { build } : {}),
    ...kind,
    calls: calls.length,
    'calls/s': calls.length / spanSeconds(calls),
    'ms a call': perCall(command.command.processorSeconds + command.server.processorSeconds),
    worker: perCall(command.command.processorSeconds),
    server: perCall(command.server.processorSeconds),
    between: between('command') + between('server'),
    'worker, between': between('command'),
    'server, between': between('server'),
    'start to first call, s': (from - command.startedAt) / 1000,
    'first call to last, s': spanSeconds(calls),
    'last call to end, s': (command.endedAt - to) / 1000,
    'whole command, s': (command.endedAt - command.startedAt) / 1000,
    'other programs, cores': coresOfOthers(command, calls, modelServer.processorSeconds() - before),
  });
}
printTable(title, rows);
if (builds.length > 1) {
  const summary = kinds.flatMap((kind) => builds.map((build) => summarize(kind, build)));
  printTable('Medians', summary);
}

if (options.profile) {
  await modelServer.restart({ latencyMs: latencies[0] });
  await printProfile((more) => run({ ...kinds[0], ...more }));
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
function summarize(kind, build) {
  const rowsOfKind = rows.filter(
    (row) => row.build === build && Object.entries(kind).every(([name, value]) => row[name] === value),
  );
  const columns = ['ms a call', 'between', 'last call to end, s', 'whole command, s'];
  return {
    build,
    ...kind,
    ...Object.fromEntries(columns.map((column) => [column, median(rowsOfKind.map((row) => row[column]))])),
    'lowest ms a call': Math.min(...rowsOfKind.map((row) => row['ms a call'])),
    'highest ms a call': Math.max(...rowsOfKind.map((row) => row['ms a call'])),
  };
}

async function run({
  work,
  personas,
  runFolder = join(makeFolder(), 'run'),
  nodeOptions,
  telemetry = 'off',
  build = '.',
} = {}) {
  const command = getCommand(build);
  const size = ['--concurrency', options.concurrency];
  const args =
    work === 'synth'
      ? synthesisOf(runFolder, modelServer.spec(), personas, ...size)
      : evaluationOf(runFolder, modelServer.spec(), await instancesOf(personas * 10), ...size);
  if (telemetry === 'off') return runCommand(args, { runFolder, nodeOptions, command });
  const scraping = setInterval(() => void fetch(`http://${METRICS}/metrics`).catch(() => undefined), 1_000);
  const environment = telemetry === 'traces' ? { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } : {};
  try {
    return await runCommand([...args, '--telemetry', METRICS], {
      runFolder,
      nodeOptions,
      environment,
      command,
    });
  } finally {
    clearInterval(scraping);
  }
}

async function instancesOf(count) {
  if (!data.has(count)) data.set(count, writeJsonLines(await makeInstances(count)));
  return data.get(count);
}

/** Starts a server that accepts and discards traces. */
async function startCollector() {
  const server = createServer((request, response) => request.resume().on('end', () => response.end()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
