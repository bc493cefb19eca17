/**
 * Measures how two runs and an evaluation share one limited model, on a cluster with PostgreSQL, object storage and three workers. Ends with code
 * 1 if the limit is exceeded in any minute.
 *
 *   npm run build && node bench/sharing.mjs [--rpm N] [--minutes N]
 *
 * --rpm      requests per minute of the model, over all (default: 600)
 * --minutes  that the two runs are alone, and again that an evaluation is beside them (default: 2)
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startCluster } from './shared/cluster.mjs';
import { makeInstances, writeJsonLines } from './shared/instances.mjs';
import { startModelServer } from './shared/model-server.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine, makeFolder, startCommand, synthesisOf, until } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { rpm, minutes } = readOptions({ rpm: 600, minutes: 2 });
const measureMs = minutes * 60_000;
const title = `Sharing: ${rpm} requests a minute over two runs and an evaluation. ${describeMachine()}`;

// Each instance takes six calls, for inference and generation. There are a third more than can be sent, so that the evaluation does not end too
// early.
const instances = Math.ceil((rpm * minutes * 1.4) / 6);
const data = writeJsonLines(await makeInstances(instances));
const modelServer = await startModelServer({ latencyMs: 1000 });
const folder = makeFolder();
const cluster = startCluster({ workers: 3, options: ['--trust', '--concurrency', '64'] });
const { store, environment } = cluster;
const rate = ['--rate', `${rpm}rpm`, '--concurrency', '64'];

const runs = ['one', 'other'].map((name) => {
  const more = ['--store', `${store}/${name}`, ...rate];
  return startCommand(synthesisOf(join(folder, name), modelServer.spec(), 1000, ...more), { environment });
});
await until(async () => (await modelServer.readCalls()).length > 100, 500);
// Wait until every worker has joined and has its share.
await wait(60_000);
const alone = await watch();
const places = ['--results-dir', join(folder, 'results'), '--store', `${store}/results`];
const subject = ['--data', data, '--task', 'both', '--model', modelServer.spec()];
const evaluation = startCommand(
  ['eval', ...places, ...subject, '--evaluator', modelServer.spec(), ...rate, '--no-check'],
  { environment },
);
await until(() => readSent('results').length > 0, 500);
await wait(30_000);
const beside = await watch();

const commands = [evaluation, ...runs];
for (const { child } of commands) child.kill('SIGINT');
await Promise.all(commands.map(({ ended }) => ended));
const arrived = (await modelServer.readCalls()).map(({ receivedAt }) => receivedAt);
modelServer.stop();

printTable(title, [
  { time: 'two runs', ...describe(alone) },
  { time: 'and an evaluation', ...describe(beside) },
]);
const most = mostInAMinute(arrived);
console.log(`Most calls that arrived within any 60 seconds: ${most} of ${rpm}.`);
process.exit(most > rpm ? 1 : 0);

/** Waits for the measured minutes. Returns their start and end. */
async function watch() {
  const from = Date.now();
  await wait(measureMs);
  return { from, to: Date.now() };
}

/** Returns the rate of each run in that time, from its ledgers. */
function describe({ from, to }) {
  const perMinute = (times) => times.filter((at) => at >= from && at < to).length / ((to - from) / 60_000);
  const [one, other, evaluated] = ['one', 'other', 'results'].map((name) => perMinute(readSent(name)));
  return {
    'run one, calls/min': one,
    'run two, calls/min': other,
    'the lesser by the greater': Math.min(one, other) / Math.max(one, other),
    'evaluation, calls/min': evaluated,
    'arrived, calls/min': perMinute(arrived),
  };
}

/** Returns the times when the calls of a run were sent. */
function readSent(name) {
  const ledgers = join(cluster.folder, 'storage', 'cupid', 'runs', name, 'ledger');
  const files = existsSync(ledgers) ? readdirSync(ledgers) : [];
  return files.flatMap((file) =>
    [...readFileSync(join(ledgers, file), 'utf8').matchAll(/"event":"sent".*?"sentAtMs":(\d+)/g)].map(
      ([, at]) => Number(at),
    ),
  );
}

/** Returns the maximum number of these times within any 60 seconds. */
function mostInAMinute(times) {
  let [first, largest] = [0, 0];
  for (const [last, at] of times.entries()) {
    while (at - times[first] >= 60_000) first += 1;
    largest = Math.max(largest, last - first + 1);
  }
  return largest;
}
