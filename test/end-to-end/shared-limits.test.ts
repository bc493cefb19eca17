import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EVALUATION_STEPS } from '../../schemas/step';
import { findTemporal } from '../../workers/temporal-binary';
import { startServer, type RunningServer } from '../../workers/temporal-server';
import { startStandIn } from '../stand-in/chat-server';
import { temporaryFolder } from './command';
import { endLeftovers, startCommand, untilSaid } from './processes';
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
  const runs = ['one', 'other'].map((name) => {
    const options = ['--model', standIn.spec, '--n-personas', '20', '--rate', '300rpm'];
    return onCluster(['synth', '--output-dir', join(folder, name), ...options]);
  });
  await Promise.all(runs.map((running) => untilSaid(running, 'Starting run')));
  await wait(66_000);
  for (const { child } of runs) child.kill('SIGINT');
  const ended = await Promise.all(runs.map((running) => running.ended));
  await standIn.goDown();
  const times = standIn.received.map(({ at }) => at);
  const most = Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length),
  );
  expect(most).toBeLessThanOrEqual(300);
  expect(most).toBeGreaterThan(200);
  const [few = 0, many = 0] = ended
    .map(({ stderr }) => Number(/(\d+) calls of this command/.exec(stderr)?.[1]))
    .toSorted((a, b) => a - b);
  expect(few).toBeGreaterThan(many * 0.7);
});

test.concurrent('evaluation goes before synthesis where both ask a model that is limited', async () => {
  const data = join(folder, 'data.parquet');
  await writeInstances(data, 4);
  const standIn = await startStandIn({ latency: 100 });
  const rate = ['--rate', '240rpm'];
  const options = ['--model', standIn.spec, '--n-personas', '20', ...rate];
  const synthesis = onCluster(['synth', '--output-dir', join(folder, 'synthesis'), ...options]);
  await untilSaid(synthesis, 'Starting run');
  await wait(15_000);
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
  const evaluating = standIn.received.filter(({ step = '' }) => STEPS.has(step));
  const [first, last] = [evaluating.at(10)?.at ?? 0, evaluating.at(-20)?.at ?? 0];
  const meanwhile = standIn.received.filter(({ at }) => at > first && at < last);
  const share = meanwhile.filter(({ step = '' }) => STEPS.has(step)).length / meanwhile.length;
  expect(meanwhile.length).toBeGreaterThan(50);
  expect(share).toBeGreaterThan(0.75);
  // The other one does not stand still.
  expect(share).toBeLessThan(1);
});

const STEPS = new Set<string>(EVALUATION_STEPS);

function onCluster(args: readonly string[]) {
  return startCommand(args, { TEMPORAL_ADDRESS: cluster.address });
}
