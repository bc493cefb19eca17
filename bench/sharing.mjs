/**
 * How two runs and an evaluation share one model that is limited, on a cluster with PostgreSQL, object storage and three workers. Ends with
 * code 1 where the limit is exceeded in any minute.
 *
 *   npm run build && node bench/sharing.mjs [--rpm N] [--minutes N]
 *
 * --rpm      requests per minute of the model, over all (default: 600)
 * --minutes  that the two runs are alone, and again that an evaluation is beside them (default: 2)
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startCluster } from './shared/cluster.mjs';
import { makeInstances, writeJsonLines } from './shared/instances.mjs';
import { startModelServer } from './shared/model-server.mjs';
import { describeMachine, makeFolder, runCommand, startCommand, until } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { values } = parseArgs({
  options: { rpm: { type: 'string', default: '600' }, minutes: { type: 'string', default: '2' } },
});
const measureMs = Number(values.minutes) * 60_000;
const title = `Sharing: ${values.rpm} requests a minute over two runs and an evaluation. ${describeMachine()}`;

// Each instance is judged and inferred: six calls. A third more than can be sent, so that the evaluation does not end too early.
const instances = Math.ceil((Number(values.rpm) * Number(values.minutes) * 1.4) / 6);
const data = writeJsonLines(await makeInstances(instances));
const modelServer = await startModelServer({ latencyMs: 1000 });
const folder = makeFolder();
const { store, environment } = startCluster({ workers: 3, options: ['--trust', '--concurrency', '64'] });
const rate = ['--rate', `${values.rpm}rpm`, '--concurrency', '64', '--no-check'];
const start = (...args) => startCommand(args, { environment });

const runs = ['one', 'other'].map((name) => {
  const size = ['--n-personas', '1000'];
  const command = start(
    'synth',
    '--output-dir',
    join(folder, name),
    '--store',
    `${store}/${name}`,
    '--model',
    modelServer.spec(),
    ...size,
    ...rate,
  );
  return { name, command };
});
await until(async () => (await countCalls()).length > 100, 500);
// Until every worker has joined and has its share.
await wait(60_000);
const alone = await measure();

const evaluation = start(
  'eval',
  '--results-dir',
  join(folder, 'results'),
  '--store',
  `${store}/results`,
  '--data',
  data,
  '--task',
  'both',
  '--model',
  modelServer.spec(),
  '--evaluator',
  modelServer.spec(),
  ...rate,
);
const evaluated = { name: 'results', command: evaluation };
await until(async () => (await countOf(evaluated)) > 0, 500);
await wait(30_000);
const beside = await measure(evaluated);

const commands = [evaluation, ...runs.map(({ command }) => command)];
for (const { child } of commands) child.kill('SIGINT');
await Promise.all(commands.map(({ ended }) => ended));
const most = mostInAMinute(await countCalls());
modelServer.stop();

printTable(title, [
  { time: 'two runs', ...alone },
  { time: 'and an evaluation', ...beside },
]);
console.log(`Most calls that arrived within any 60 seconds: ${most} of ${values.rpm}.`);
process.exit(most > Number(values.rpm) ? 1 : 0);

/** What was answered of each while some minutes passed. */
async function measure(third) {
  const all = [...runs, ...(third === undefined ? [] : [third])];
  const before = await Promise.all(all.map(countOf));
  const from = Date.now();
  await wait(measureMs);
  const after = await Promise.all(all.map(countOf));
  const minutes = (Date.now() - from) / 60_000;
  const [one, other, ofEvaluation] = after.map((count, at) => (count - before[at]) / minutes);
  return {
    'run one, calls/min': one,
    'run two, calls/min': other,
    'the lesser by the greater': Math.min(one, other) / Math.max(one, other),
    'evaluation, calls/min': ofEvaluation ?? 0,
    'arrived, calls/min':
      (await countCalls()).filter(({ receivedAt }) => receivedAt >= from).length / minutes,
  };
}

async function countCalls() {
  return modelServer.readCalls();
}

/** The answered calls of a run, by its ledgers. */
async function countOf({ name }) {
  const status = await runCommand(['status', join(folder, name), '--json'], { environment }).catch(
    () => undefined,
  );
  if (status === undefined) return 0;
  const { ledger } = JSON.parse(status.output());
  return ledger.reduce((sum, { calls }) => sum + calls, 0);
}

/** The most calls that arrived within 60 seconds, whichever. */
function mostInAMinute(calls) {
  let [first, largest] = [0, 0];
  for (const [last, { receivedAt }] of calls.entries()) {
    while (receivedAt - calls[first].receivedAt >= 60_000) first += 1;
    largest = Math.max(largest, last - first + 1);
  }
  return largest;
}
