/**
 * Measures the pace of runs whose provider fails in several ways, beside the shortest time possible and a plain client: one that makes the same
 * calls in the same order, each with a backoff of its own. Times are from the first answered call to the last. "tail" is the part of the time
 * that the last tenth of the answers takes.
 *
 *   npm run build && node bench/faults.mjs [--work synth,eval,memory] [--faults NAME,…] [--kills N] [--latency MS] [--size N]
 *
 * --work     synth: synthesis; eval: evaluation of both tasks; memory: one with a memory system that fails (default: all)
 * --faults   names of the first column (default: all)
 * --kills    SIGKILLs of the command in each run (default: 0)
 * --latency  of an answer in milliseconds (default: 500)
 * --size     instances of an evaluation; a synthesis has a twelfth as many personas (default: 120)
 */
import { readdirSync, readFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lastAnswer } from './shared/calls.mjs';
import { callPlan, criticalPath } from './shared/critical-path.mjs';
import { runPlainClient } from './shared/faults.mjs';
import { makeInstances, writeJsonLines } from './shared/instances.mjs';
import { startModelServer } from './shared/model-server.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine, evaluationOf, makeFolder, startCommand, synthesisOf } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const FAULTS = {
  none: {},
  '429 5%': { rejected: 0.05 },
  '429 20%': { rejected: 0.2 },
  '429 50%': { rejected: 0.5 },
  '429 above 4 in flight': { most: 4 },
  '503 above 4 in flight': { full: 4 },
  '429 with a time 5%': { above: 0.05 },
  '429 with a time 20%': { above: 0.2 },
  '429 with a time 50%': { above: 0.5 },
  'dropped 10%': { dropped: 0.1 },
  'dropped 33%': { dropped: 1 / 3 },
  '500 5%': { broken: 0.05 },
  '500 30%': { broken: 0.3 },
  '2% take 60 s': { slow: 0.02, slowMs: 60_000 },
  'away 3 minutes': { awayMs: 180_000, afterMs: 5_000 },
  'pages for 10 s': { pagesMs: 10_000, afterMs: 5_000 },
};
const CONCURRENCY = 8;

const options = readOptions({
  work: 'synth,eval,memory',
  faults: Object.keys(FAULTS).join(','),
  kills: 0,
  latency: 500,
  size: 120,
});
const title = `Faults: ${CONCURRENCY} in flight, ${options.latency} ms. ${describeMachine()}`;
const modelServer = await startModelServer({ latencyMs: 0 });
const data = writeJsonLines(await makeInstances(options.size));
const rows = [];
for (const work of options.work.split(',')) {
  await modelServer.restart({ latencyMs: options.latency });
  const undisturbed = await measure(work, {});
  for (const name of options.faults.split(',')) {
    const fault = FAULTS[name];
    if (fault === undefined)
      throw new Error(`There is no fault "${name}": ${Object.keys(FAULTS).join(', ')}`);
    const { calls, path, plan, failing } = undisturbed;
    const latency = options.latency / 1_000;
    const pace = Math.max(path * latency, (calls * latency) / CONCURRENCY);
    const perSecond =
      fault.above === undefined ? undefined : Math.max(1, Math.round((failing / pace) * (1 - fault.above)));
    const sent = {
      ...fault,
      of: work === 'memory' ? 'memory' : 'model',
      ...(perSecond === undefined ? {} : { perSecond }),
    };
    await modelServer.restart({ fault: sent });
    const run = name === 'none' ? undisturbed : await measure(work, { kills: options.kills });
    await modelServer.restart({ fault: sent });
    const addresses = { model: modelServer.plain, memory: modelServer.memory };
    await runPlainClient(plan, { ...addresses, concurrency: CONCURRENCY });
    const plain = spanOf(await modelServer.readCalls());
    const most = Math.min(CONCURRENCY, fault.most ?? fault.full ?? CONCURRENCY);
    const ideal =
      Math.max(
        path * latency,
        (calls * latency) / CONCURRENCY,
        (failing * latency) / most,
        perSecond === undefined ? 0 : failing / perSecond,
        fault.slow === undefined
          ? 0
          : Math.max(
              60,
              ((calls - failing * fault.slow) * latency + failing * fault.slow * 60) / CONCURRENCY,
            ),
      ) +
      ((fault.awayMs ?? 0) + (fault.pagesMs ?? 0)) / 1_000;
    rows.push({
      work,
      fault: name,
      'ideal, s': ideal,
      'plain client, s': plain.seconds,
      'cupid, s': run.seconds,
      'ideal / cupid': ideal / run.seconds,
      'plain / cupid': plain.seconds / run.seconds,
      'tail, %': run.tail * 100,
      'tail of plain, %': plain.tail * 100,
      'answered twice': run.repeated,
      'same bytes': run.bytes === undisturbed.bytes ? 'yes' : 'NO',
    });
    console.error(JSON.stringify(rows.at(-1)));
  }
}
printTable(title, rows);
modelServer.stop();

/** Makes a run, killed as often as asked, and describes its calls and its data. */
async function measure(work, { kills = 0 }) {
  const runFolder = join(makeFolder(), 'run');
  const spec = modelServer.spec();
  const args =
    work === 'synth'
      ? synthesisOf(runFolder, spec, Math.max(1, Math.round(options.size / 12)))
      : evaluationOf(runFolder, spec, data);
  if (work === 'memory')
    args.push('--task', 'inference', '--memory', modelServer.memory, '--context', 'memory');
  args.push('--concurrency', CONCURRENCY);
  for (let killed = 0; ; killed += 1) {
    const command = startCommand(args, { runFolder });
    if (killed < kills) {
      await wait(8_000 + killed * 1_000);
      command.child.kill('SIGKILL');
    }
    const { code, signal } = await command.ended;
    if (code === 0) break;
    if (killed >= kills) throw new Error(`cupid ended with ${code ?? signal}:\n${command.output()}`);
  }
  const calls = (await modelServer.readCalls()).filter(({ answeredAt }) => answeredAt !== undefined);
  // The table of an evaluation has the times that the memory system took, which differ.
  const written = join(runFolder, work === 'synth' ? 'CUPID-Unverified' : 'instances');
  // A message that is sent again is no call that is paid for again.
  const paid = calls.filter(({ isMessage }) => !isMessage);
  const keys = new Set(paid.map(({ key }) => key));
  const messages = (calls.length - paid.length) / options.size;
  const plan = callPlan(runFolder);
  return {
    ...spanOf(calls),
    calls: calls.length,
    /** Calls that a fault may meet. */
    failing: messages === 0 ? calls.length : calls.length - paid.length,
    repeated: paid.length - keys.size,
    path: criticalPath(runFolder) + messages,
    plan: messages === 0 ? plan : { all: plan.all.map((trial) => [{ messages }, trial]) },
    bytes: hashFiles(written),
  };
}

function hashFiles(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  return hash('sha256', files.map((file) => hash('sha256', readFileSync(file))).join());
}

function spanOf(calls) {
  const answered = calls.filter(({ answeredAt }) => answeredAt !== undefined);
  const ends = answered.map(({ answeredAt }) => answeredAt).toSorted((one, other) => one - other);
  const [from, to] = [calls[0].receivedAt, lastAnswer(answered)];
  const tenth = ends[Math.floor(ends.length * 0.9)];
  return { seconds: (to - from) / 1_000, tail: (to - tenth) / (to - from) };
}
