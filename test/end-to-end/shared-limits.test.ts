import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EVALUATION_STEPS } from '../../schemas/step';
import { findTemporal } from '../../workers/temporal-binary';
import { startServer, type RunningServer } from '../../workers/temporal-server';
import { startStandIn } from '../stand-in/chat-server';
import { watchArrivals } from './arrivals';
import { temporaryFolder } from '../temporary-folder';
import { journalSize, untilJournalHas } from './journal';
import { endLeftovers, startCommand, until } from './processes';
import { writeInstances } from './results';

jest.setTimeout(300_000);

// Side by side, since each mostly waits for a minute to pass; on a cluster, which they share.

const folder = temporaryFolder();
let cluster: RunningServer;

beforeAll(async () => {
  const { path } = await findTemporal(() => undefined);
  cluster = await startServer({ binary: path, folder: join(folder, 'cluster') });
});
afterAll(() => cluster.stop());
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
  await Promise.all([
    wait(66_000),
    // What one does not use, while its process is kept waiting, the other may.
    untilEven(runs.map(({ run }) => run)),
    // It is a limit, not a standstill.
    until(() => arrivals.mostInAMinute() > 200),
  ]);
  for (const { running } of runs) running.child.kill('SIGINT');
  const ended = await Promise.all(runs.map(({ running }) => running.ended));
  await standIn.goDown();
  expect(ended.map(({ code }) => code)).toEqual([130, 130]);
  expect(arrivals.mostInAMinute()).toBeLessThanOrEqual(300);
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
  synthesis.child.kill('SIGINT');
  await synthesis.ended;
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

/** Resolves when all of these runs were answered about as often in half a minute. */
async function untilEven(runs: readonly string[]): Promise<void> {
  const sizes = () => Promise.all(runs.map(journalSize));
  for (;;) {
    const before = await sizes();
    await wait(30_000);
    const answered = (await sizes()).map((size, at) => size - (before[at] ?? 0));
    if (Math.min(...answered) > Math.max(...answered) * 0.7) return;
  }
}

function onCluster(args: readonly string[]) {
  return startCommand(args, { TEMPORAL_ADDRESS: cluster.address });
}
