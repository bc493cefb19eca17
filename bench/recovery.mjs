/**
 * Measures how soon a killed run continues, and which calls it repeats. A run is killed with SIGKILL, and the same command is started at once. The
 * table has the time from the kill to the first new call at the model server.
 *
 *   npm run build && node bench/recovery.mjs [--kills N] [--latency MS] [--personas N] [--concurrency N]
 *
 * --kills        kills of the command alone, and as many of the command and its server (default: 3)
 * --latency      of the model, in milliseconds (default: 200)
 *
 * An answer may be in transit when its process dies. "sent again" counts the first process's calls that the second one repeats. "of these
 * answered" counts those whose answer left the model server more than 100 ms before the kill.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startModelServer } from './shared/model-server.mjs';
import { readOptions } from './shared/options.mjs';
import {
  describeMachine,
  makeFolder,
  serverPid,
  startCommand,
  synthesisOf,
  until,
} from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { kills, latency, personas, concurrency } = readOptions({
  kills: 3,
  latency: 200,
  personas: 12,
  concurrency: 64,
});
const title = `Recovery: ${personas} personas, ${latency} ms, ${concurrency} calls in flight. ${describeMachine()}`;
const ON_ITS_WAY_MS = 100;

const modelServer = await startModelServer({ latencyMs: 0 });
const rows = [];
for (const killed of ['command', 'command and server']) {
  for (let kill = 0; kill < kills; kill += 1) rows.push(await measure(killed, kill));
}
printTable(title, rows);
modelServer.stop();

async function measure(killed, kill) {
  await modelServer.restart({ latencyMs: latency });
  const runFolder = join(makeFolder(), 'run');
  const args = synthesisOf(runFolder, modelServer.spec(), personas, '--concurrency', concurrency);
  const first = startCommand(args, { runFolder });
  const wanted = 150 * (kill + 1);
  await until(async () => (await modelServer.readCalls()).length > wanted, 100);
  const server = serverPid(runFolder);
  const killedAt = Date.now();
  first.child.kill('SIGKILL');
  if (killed === 'command and server') process.kill(server, 'SIGKILL');
  await first.ended;
  const before = await modelServer.readCalls();
  const second = startCommand(args, { runFolder });
  await until(async () => (await modelServer.readCalls()).length > before.length, 50);
  // Repeated calls are sent early, at the point where the run was interrupted.
  await wait(15_000);
  const calls = await modelServer.readCalls();
  second.child.kill('SIGKILL');
  await second.ended;
  const earlier = new Map(calls.slice(0, before.length).map((call) => [call.key, call]));
  const again = calls.slice(before.length).filter(({ key }) => earlier.has(key));
  const answered = again.filter(({ key }) => earlier.get(key).answeredAt < killedAt - ON_ITS_WAY_MS);
  return {
    killed,
    'calls before': before.length,
    'in flight at the kill': before.filter(({ answeredAt = Infinity }) => answeredAt > killedAt).length,
    'to the first new call, s': (calls[before.length].receivedAt - killedAt) / 1000,
    'sent again': again.length,
    'of these answered': answered.length,
  };
}
