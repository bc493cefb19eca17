/**
 * Checks that a run on a cluster with PostgreSQL, object storage and three workers survives disturbances. Workers are killed and added, one in a
 * new version. The server and PostgreSQL restart, the storage is away for a minute, the command is killed. Compares the data sets with those of
 * the embedded engine, counts calls that were sent twice, and searches database and storage for answers of models. Ends with code 1 if a byte
 * differs, more calls were sent twice than were in flight, or the database contains a text.
 *
 *   npm run build && node bench/disturbances.mjs [--personas N] [--latency MS] [--away SECONDS]
 *
 * --personas  of the run (default: 40)
 * --latency   of the model, in milliseconds (default: 1500)
 * --away      how long the storage is away, in seconds (default: 60)
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startCluster } from './shared/cluster.mjs';
import { loadTypeScript } from './shared/load-typescript.mjs';
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

const { personas, latency, away } = readOptions({ personas: 40, latency: 1500, away: 60 });
const title = `Disturbances: ${personas} personas, ${latency} ms a call, three workers. ${describeMachine()}`;
const CONCURRENCY = 48;
const TEXTS = 200;
const { changeCode } = loadTypeScript(join('test', 'end-to-end', 'changed-code.ts'));

const modelServer = await startModelServer({ latencyMs: 0 });
const folder = makeFolder();
const synth = (name, ...more) =>
  synthesisOf(join(folder, name), modelServer.spec(), personas, '--concurrency', CONCURRENCY, ...more);
await runCommand(synth('embedded'), { runFolder: join(folder, 'embedded') });
const expected = hashDataSets('embedded');
const calls = (await modelServer.readCalls()).length;
await modelServer.restart({ latencyMs: latency });

const cluster = startCluster({ workers: 3, options: ['--trust', '--concurrency', '16'] });
const { environment, store } = cluster;
const args = synth('cluster', '--store', `${store}/disturbed`);
let command = startCommand(args, { environment });
const rows = [];
for (const [share, event, disturb] of [
  [0.1, 'worker 1 killed', () => cluster.do('kill', 'worker-1')],
  [0.2, 'worker 4 added', () => cluster.do('start', 'worker-4')],
  [0.3, 'Temporal server restarted', () => cluster.do('restart', 'temporal')],
  [0.4, 'Temporal server killed', restartKilled('temporal')],
  [0.5, 'worker of a new version joins', newVersionJoined],
  [0.6, 'PostgreSQL restarted', () => cluster.do('restart', 'postgres')],
  [0.65, 'PostgreSQL killed', restartKilled('postgres')],
  [0.7, `storage away for ${away} s`, storageAway],
  [0.8, 'command and worker 2 killed', commandKilled],
  [0.9, 'worker 3 stopped', () => cluster.do('stop', 'worker-3')],
]) {
  await until(async () => (await sent()).size >= calls * share || command.endedAt !== undefined, 250);
  if (command.endedAt !== undefined) break;
  const inFlight = (await modelServer.readCalls()).filter(
    ({ answeredAt }) => answeredAt === undefined,
  ).length;
  const at = Date.now();
  await disturb();
  const until_ = Date.now();
  await until(async () => (await modelServer.readCalls()).some(({ receivedAt }) => receivedAt > until_), 100);
  rows.push({
    'of all calls': `${Math.round(share * 100)} %`,
    event,
    'calls in flight': inFlight,
    'it took, s': (until_ - at) / 1000,
    'first call after it, s': (Date.now() - until_) / 1000,
  });
}
const { code } = await command.ended;
const all = await modelServer.readCalls();
modelServer.stop();
printTable(title, rows);
if (code !== 0) console.log(command.output());
const texts = pickTexts(readFiles(join(folder, 'embedded', '.cupid', 'packs')));
const found = {
  database: countFound(cluster.dumpDatabase()),
  storage: countFound(readFiles(join(cluster.folder, 'storage'))),
};
console.log(
  `Of ${texts.length} lines that models answered, ${found.database} are found in the database and ${found.storage} in the storage.`,
);
// Finding nothing in the database is only evidence if the same search finds something in the storage.
const isFoundInStorageOnly = found.database === 0 && found.storage > 0;
const same = code === 0 && JSON.stringify(hashDataSets('cluster')) === JSON.stringify(expected);
const twice = all.length - new Set(all.map(({ key }) => key)).size;
// Calls in flight at a kill may be sent again, as may those that timed out while nothing could be stored.
const inFlight = rows.reduce((sum, row) => sum + (/killed/.test(row.event) ? row['calls in flight'] : 0), 0);
console.log(
  `${all.length} calls for ${calls} requests; ${twice} sent twice, ${inFlight} were in flight at kills. The data sets ${same ? 'are the same bytes as' : 'DIFFER from'} those of the embedded engine.`,
);
process.exit(same && twice <= inFlight && isFoundInStorageOnly ? 0 : 1);

/** Returns the distinct requests that were sent. */
async function sent() {
  return new Set((await modelServer.readCalls()).map(({ key }) => key));
}

/** Restarts a part as a supervisor does: PostgreSQL refuses to start while processes of the killed one are still ending. */
function restartKilled(part) {
  return async () => {
    cluster.do('kill', part);
    await until(() => {
      try {
        cluster.do('start', part);
        return true;
      } catch {
        return false;
      }
    }, 500);
  };
}

async function storageAway() {
  cluster.do('kill', 'storage');
  await wait(away * 1000);
  cluster.do('start', 'storage');
}

async function commandKilled() {
  command.child.kill('SIGKILL');
  cluster.do('kill', 'worker-2');
  await command.ended;
  command = startCommand(args, { environment });
}

/** Starts a worker of a new version. The run moves to it; old workers finish their work in progress. */
async function newVersionJoined() {
  const newVersion = startCommand(['worker', '--store', store, '--trust', '--concurrency', '32'], {
    environment,
    command: changeCode(join(folder, 'new-version')),
  });
  await until(() => newVersion.output().includes('is now the current one'));
}

/** Reads the files below a folder. */
function* readFiles(path) {
  for (const name of readdirSync(path, { recursive: true })) {
    const file = join(path, name);
    if (statSync(file).isFile()) yield readFileSync(file);
  }
}

/** Picks lines of answers, from all of the run, that are too long to occur elsewhere by chance. */
function pickTexts(packs) {
  const lines = new Set();
  for (const pack of packs) {
    for (const [, text] of pack.toString().matchAll(/"text":("(?:[^"\\]|\\.)*")/g)) {
      for (const line of JSON.parse(text).split(/[\n"\\]+/)) if (line.length >= 40) lines.add(line);
    }
  }
  const every = Math.max(1, Math.floor(lines.size / TEXTS));
  return [...lines].filter((_, index) => index % every === 0).slice(0, TEXTS);
}

function countFound(contents) {
  const seen = new Set();
  for (const content of contents) {
    for (const text of texts) if (content.includes(text)) seen.add(text);
  }
  return seen.size;
}

function hashDataSets(name) {
  const files = ['CUPID-Unverified/test.parquet', 'CUPID-Unverified/test.arrow', 'CUPID-Raw/test.parquet'];
  return files.map((file) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name, file)))
      .digest('hex'),
  );
}
