import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EVALUATION_STEPS } from '../../schemas/run/step';
import { startStandIn } from '../stand-in/chat-server';
import { setUpCluster } from '../temporal-cluster';
import { watchArrivals } from './arrivals';
import { createTemporaryFolder } from '../temporary-folder';
import { countJournalEntries, untilJournalHas } from './journal';
import { endLeftovers, startCommand, interrupt } from './processes';
import { writeInstances } from './results';

// Side by side, since each mostly waits for a minute to pass; on a cluster, which they share.

const folder = createTemporaryFolder();
const cluster = setUpCluster(join(folder, 'cluster'));
afterAll(endLeftovers);

test.concurrent("two runs on a cluster share a model's limit evenly, and together never pass it", async () => {
  const standIn = await startStandIn({ latency: 100 });
  using arrivals = watchArrivals(standIn);
  const runs = ['one', 'other'].map((name) => {
    const run = join(folder, name);
    const options = ['--model', standIn.spec, '--n-personas', '20', '--rate', '300rpm'];
    return { run, running: onCluster(['synth', '--output-dir', run, ...options]) };
  });
  await Promise.all(runs.map(({ run, running }) => untilJournalHas(run, 5, running)));
  const shares = await sharesOver(
    75_000,
    runs.map(({ run }) => run),
  );
  for (const { running } of runs) running.child.kill('SIGINT');
  const ended = await Promise.all(runs.map(({ running }) => running.ended));
  await standIn.goDown();
  expect(ended.map(({ code }) => code)).toEqual([130, 130]);
  expect(arrivals.mostInAMinute()).toBeLessThanOrEqual(300);
  // It is a limit, not a standstill.
  expect(arrivals.mostInAMinute()).toBeGreaterThan(100);
  // Now and then a process is kept waiting, and the other run uses what this one does not.
  expect(Math.max(...shares)).toBeGreaterThan(0.7);
});

test.concurrent('evaluation goes before synthesis where both ask a model that is limited', async () => {
  const data = join(folder, 'data.parquet');
  await writeInstances(data, 4);
  const standIn = await startStandIn({ latency: 100 });
  const rate = ['--rate', '240rpm'];
  const options = ['--model', standIn.spec, '--n-personas', '20', ...rate];
  const synthesis = onCluster(['synth', '--output-dir', join(folder, 'synthesis'), ...options]);
  await untilJournalHas(join(folder, 'synthesis'), 30, synthesis);
  const evaluation = onCluster([
    'eval',
    `--results-dir=${join(folder, 'evaluation')}`,
    `--data=${data}`,
    '--task=both',
    `--model=${standIn.spec}`,
    `--evaluator=${standIn.spec}`,
    '--context',
    'full',
    'oracle',
    ...rate,
  ]);
  await expect(evaluation.ended).resolves.toMatchObject({ code: 0 });
  await interrupt(synthesis);
  await standIn.goDown();
  const places = standIn.received.flatMap(({ step = '' }, place) => (STEPS.has(step) ? [place] : []));
  // While it has work for all that it may send: neither its first calls nor its last ones.
  const meanwhile = places.slice(10, -20);
  expect(meanwhile.length).toBeGreaterThan(50);
  // Its share of what was sent while it sent ten: now and then its process may be kept waiting.
  const tens = meanwhile.filter((_, at) => at % 10 === 0);
  const shares = tens.slice(1).map((place, at) => 10 / (place - (tens[at] ?? 0)));
  expect(shares.toSorted((one, other) => one - other)[Math.floor(shares.length / 2)]).toBeGreaterThan(0.75);
  // The other one does not stand still.
  expect(Math.min(...shares)).toBeLessThan(1);
});

const STEPS = new Set<string>(EVALUATION_STEPS);

/** Returns, for each 25 seconds of this time, the number of answers of the slowest run divided by that of the fastest. */
async function sharesOver(milliseconds: number, runs: readonly string[]): Promise<number[]> {
  const sizes = () => Promise.all(runs.map(countJournalEntries));
  const shares: number[] = [];
  let before = await sizes();
  for (let passed = 0; passed < milliseconds; passed += 25_000) {
    await wait(25_000);
    const now = await sizes();
    const answered = now.map((size, at) => size - (before[at] ?? 0));
    shares.push(Math.min(...answered) / Math.max(1, ...answered));
    before = now;
  }
  return shares;
}

function onCluster(args: readonly string[]) {
  return startCommand(args, { TEMPORAL_ADDRESS: cluster.address });
}
