/**
 * Measures the costs of a persona on a cluster: actions of Temporal Cloud, events and bytes of histories and of the database, objects in storage,
 * processor time of every part. The run has simulated answers, and the cluster PostgreSQL, object storage and workers of a store. There is a row
 * for each tenth of the personas, because costs should not grow.
 *
 *   npm run build && node bench/cluster.mjs [--personas N] [--workers N] [--concurrency N] [--latency MS] [--minutes N]
 *
 * --personas     of the run (default: 300)
 * --workers      of the store, beside the command (default: 3)
 * --concurrency  calls in flight (default: 64)
 * --latency      of the model, in milliseconds (default: 0)
 * --minutes      after which the run is stopped, and what was done counts (default: until it ends)
 */
import { Client, Connection } from '@temporalio/client';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startCluster } from './shared/cluster.mjs';
import { readOptions } from './shared/options.mjs';
import {
  describeMachine,
  makeFolder,
  ROOT,
  runCommand,
  startCommand,
  synthesisOf,
} from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { personas, workers, concurrency, latency, minutes } = readOptions({
  personas: 300,
  workers: 3,
  concurrency: 64,
  latency: 0,
  minutes: Infinity,
});
const title = `Cluster: ${personas} personas, ${workers} workers, ${concurrency} calls in flight, ${latency} ms a call. ${describeMachine()}`;

const cluster = startCluster({ workers, options: ['--trust', '--concurrency', `${concurrency}`] });
const { environment, store } = cluster;
const parts = Array.from({ length: workers }, (_, index) => `worker-${index + 1}`);
const folder = join(makeFolder(), 'run');
// The built-in seed sentences suffice for 1,980 personas only.
const seeds = `${folder}.txt`;
const occupations = readFileSync(join(ROOT, 'data', 'seeds', 'occupations.txt'), 'utf8')
  .trim()
  .split('\n');
writeFileSync(
  seeds,
  Array.from(
    { length: 2 * personas },
    (_, index) => `The ${occupations[index % occupations.length]} who lives at number ${index}.\n`,
  ).join(''),
);
const more = ['--store', `${store}/one`, '--seeds', seeds, '--concurrency', concurrency];
const model = `simulated:default?latency=${latency}ms`;
const command = startCommand(synthesisOf(folder, model, personas, ...more), { environment });
const endAt = Date.now() + minutes * 60_000;

const rows = [];
let before = await measure();
for (let tenth = 1; tenth <= 10; tenth += 1) {
  const goal = (personas * tenth) / 10;
  while (keptPersonas() < goal && command.endedAt === undefined && Date.now() < endAt) await wait(1_000);
  const now = await measure();
  rows.push(describe(before, now));
  before = now;
  if (command.endedAt !== undefined || Date.now() >= endAt) break;
}
if (command.endedAt === undefined && Date.now() >= endAt) command.child.kill('SIGINT');
const { code } = await command.ended;
const status = JSON.parse((await runCommand(['status', folder, '--json'], { environment })).output());
const calls = status.ledger.reduce((sum, row) => sum + row.calls, 0);
printTable(title, rows);
const kept = keptPersonas();
const objects = countFiles('');
printTable('Whole run', [
  {
    'exit code': code,
    'kept personas': kept,
    calls,
    'objects a kept persona': objects / kept,
    'bytes of objects a kept persona': bytesOf(join(cluster.folder, 'storage', 'cupid')) / kept,
    ...Object.fromEntries(
      ['records', 'packs', 'journal', 'ledger'].map((name) => [name, countFiles(join('runs', 'one', name))]),
    ),
  },
]);
printTable('Histories of workflows that ended', await readHistories());
const mostFirst = [...before.actions].filter(([, count]) => count > 0).toSorted(([, a], [, b]) => b - a);
printTable(
  'Actions by type',
  mostFirst.map(([type, count]) => ({ type, all: count, 'a kept persona': count / before.kept })),
);

function describe(from, to) {
  const done = to.kept - from.kept;
  const seconds = (name) => (to.seconds[name] - from.seconds[name]) / done;
  return {
    personas: to.kept,
    'personas an hour': (done / (to.at - from.at)) * 3_600_000,
    'actions each': (countAll(to.actions) - countAll(from.actions)) / done,
    'database each, KB': (to.databaseBytes - from.databaseBytes) / 1000 / done,
    'processor time each, s': ['command', 'workers', 'temporal', 'postgres', 'storage'].reduce(
      (all, name) => all + seconds(name),
      0,
    ),
    command: seconds('command'),
    workers: seconds('workers'),
    Temporal: seconds('temporal'),
    PostgreSQL: seconds('postgres'),
    storage: seconds('storage'),
  };
}

function countAll(actions) {
  return [...actions.values()].reduce((all, count) => all + count, 0);
}

async function measure() {
  const processorSeconds = (names) => names.reduce((sum, name) => sum + cluster.processorSeconds(name), 0);
  return {
    at: Date.now(),
    kept: keptPersonas(),
    actions: await readActions(),
    databaseBytes: bytesOf(join(cluster.folder, 'postgres', 'base')),
    seconds: {
      command: command.command.processorSeconds,
      workers: processorSeconds(parts),
      ...Object.fromEntries(
        ['temporal', 'postgres', 'storage'].map((name) => [name, processorSeconds([name])]),
      ),
    },
  };
}

/** Reads the billable actions of Temporal Cloud, by type, as counted by the server. */
async function readActions() {
  const text = await (await fetch(`http://127.0.0.1:${cluster.port + 8}/metrics`)).text();
  const actions = new Map();
  for (const [, labels, count] of text.matchAll(/^action\{(.*)\} (\S+)$/gm)) {
    const [, type] = /action_type="([^"]*)"/.exec(labels) ?? [];
    const [, namespace] = /(?:^|,)namespace="([^"]*)"/.exec(labels) ?? [];
    if (namespace === 'default') actions.set(type, (actions.get(type) ?? 0) + Number(count));
  }
  return actions;
}

/** Reads the history sizes of ended workflows, by type. */
async function readHistories() {
  const connection = await Connection.connect({ address: environment.TEMPORAL_ADDRESS });
  const byType = new Map();
  for await (const { type, historyLength, historySize } of new Client({ connection }).workflow.list({
    query: "ExecutionStatus != 'Running'",
  })) {
    const row = byType.get(type) ?? { type, workflows: 0, events: 0, KB: 0 };
    row.workflows += 1;
    row.events += historyLength;
    row.KB += Number(historySize) / 1000;
    byType.set(type, row);
  }
  await connection.close();
  return [...byType.values()].map((row) => ({
    ...row,
    'events each': row.events / row.workflows,
    'KB each': row.KB / row.workflows,
  }));
}

function keptPersonas() {
  return countFiles(join('runs', 'one', 'records'));
}

function countFiles(name) {
  const path = join(cluster.folder, 'storage', 'cupid', name);
  return Number(
    execFileSync('sh', ['-c', 'find "$0" -type f 2>/dev/null | wc -l', path], { encoding: 'utf8' }),
  );
}

function bytesOf(path) {
  return Number(execFileSync('du', ['-sb', path], { encoding: 'utf8' }).split('\t')[0]);
}
