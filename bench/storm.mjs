/**
 * Checks that a long synthesis survives a bad day: SIGKILLs at random times, alternately of the command alone and with its server, rate limits,
 * server errors and malformed answers. Compares its data sets with those of an undisturbed run with the same answers. Ends with code 1 if a byte
 * differs, or an answer that was in the journal was asked for again.
 *
 *   npm run build && node bench/storm.mjs [--personas N] [--kills N] [--latency MS] [--concurrency N] [--seed N]
 *
 * --personas     of the run (default: 1000, which takes some half an hour on two cores)
 * --kills        at random times, 5 to 35 seconds after each start (default: 20)
 * --latency      of the model, in milliseconds (default: 20)
 * --concurrency  calls in flight (default: 64)
 * --seed         of the times of the kills (default: 1)
 *
 * Faults: 5 % of the requests get 429 without a time, 2 % get 500, and 5 % of the answers have a wrong form. "memory" is the maximum of command and server
 * together; "after a tenth" is the maximum until a tenth of the answers. An answer may be in transit when its process dies: "lost at kills" counts
 * those that had left the model and were not in the journal.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lastAnswer } from './shared/calls.mjs';
import { createDraw } from './shared/faults.mjs';
import { startModelServer } from './shared/model-server.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine, makeFolder, serverPid, startCommand, synthesisOf } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const FAULT = { rejected: 0.05, broken: 0.02 };
const MALFORMED = 0.05;
const FILES = ['CUPID-Unverified', 'CUPID-Raw'].map((name) => join(name, 'test.parquet'));

const options = readOptions({ personas: 1000, kills: 20, latency: 20, concurrency: 64, seed: 1 });
const title = `Storm: ${options.personas} personas, ${options.latency} ms, ${options.concurrency} in flight. ${describeMachine()}`;
const modelServer = await startModelServer({ latencyMs: options.latency, malformed: MALFORMED });

const undisturbed = await measure({ name: 'undisturbed', kills: 0, fault: {} });
const storm = await measure({ name: 'storm', kills: options.kills, fault: FAULT });
printTable(
  title,
  [undisturbed, storm].map(({ digest, ...row }) => ({
    ...row,
    'same bytes': digest === undisturbed.digest ? 'yes' : 'NO',
  })),
);
modelServer.stop();
process.exitCode =
  storm.digest !== undisturbed.digest || storm['sent again'] > storm['lost at kills'] ? 1 : 0;

async function measure({ name, kills, fault }) {
  await modelServer.restart({ fault });
  const draw = createDraw(options.seed);
  const runFolder = join(makeFolder(), 'run');
  const args = synthesisOf(
    runFolder,
    modelServer.spec(),
    options.personas,
    '--concurrency',
    options.concurrency,
  );
  const startedAt = Date.now();
  const samples = [];
  let killed = 0;
  let lost = 0;
  let endedAt = 0;
  for (;;) {
    const command = startCommand(args, { runFolder });
    const isEnded = killed < kills ? await isOver(command, 5_000 + draw() * 30_000) : await isOver(command);
    if (!isEnded) {
      const server = serverPid(runFolder);
      killed += 1;
      command.child.kill('SIGKILL');
      if (killed % 2 === 0 && server !== undefined) process.kill(server, 'SIGKILL');
    }
    const { code, signal } = await command.ended;
    samples.push(...command.samples);
    console.error(`${name}: ${killed} kills, ${Math.round((Date.now() - startedAt) / 1_000)} s`);
    if (!isEnded) {
      lost = countAnswers(await modelServer.readCalls()) - countJournalEntries(runFolder);
      continue;
    }
    endedAt = command.endedAt;
    if (code !== 0) throw new Error(`cupid ended with ${code ?? signal}:\n${command.output()}`);
    break;
  }
  const calls = await modelServer.readCalls();
  const answers = calls.map(({ answeredAt }) => answeredAt).filter((at) => at !== undefined);
  const tenthAt = answers.toSorted((a, b) => a - b)[Math.floor(answers.length / 10)];
  return {
    run: name,
    kills: killed,
    minutes: (Date.now() - startedAt) / 60_000,
    answers: answers.length,
    'last answer to end, s': (endedAt - lastAnswer(calls)) / 1_000,
    'memory, MB': mostMb(samples),
    'after a tenth, MB': mostMb(samples.filter(({ at }) => at <= tenthAt)),
    'lost at kills': lost,
    'sent again': countAnswers(calls) - new Set(calls.map(({ key }) => key)).size,
    digest: hash('sha256', FILES.map((file) => hash('sha256', readFileSync(join(runFolder, file)))).join()),
  };
}

/** Waits until a command has ended or a time is over; returns whether it has ended. */
async function isOver(command, ms) {
  if (ms === undefined) return command.ended.then(() => true);
  return Promise.race([command.ended.then(() => true), wait(ms).then(() => false)]);
}

/** Counts the answers in a run's journal. While a persona is being packed, its entries are there twice. */
function countJournalEntries(runFolder) {
  const list = (name) => {
    const folder = join(runFolder, '.cupid', name);
    return existsSync(folder)
      ? readdirSync(folder, { recursive: true }).map((path) => [path, join(folder, path)])
      : [];
  };
  const single = list('journal').flatMap(([path]) => {
    const { of, key } = /^.*?(?<of>[^/]+)\/(?<key>r\d+\..*)\.json$/.exec(path)?.groups ?? {};
    return key === undefined ? [] : [`${decodeURIComponent(of)}#${key}`];
  });
  const packed = list('packs').flatMap(([, file]) =>
    [...readFileSync(file, 'utf8').matchAll(/^\{"key":"([^"]*)"/gm)].map(([, key]) => key),
  );
  return new Set([...single, ...packed]).size;
}

function countAnswers(calls) {
  return calls.filter(({ answeredAt }) => answeredAt !== undefined).length;
}

function mostMb(samples) {
  return Math.round(samples.reduce((most, { memoryMb }) => Math.max(most, memoryMb), 0));
}
