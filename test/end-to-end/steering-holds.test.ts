import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { buildControlWorkflowId } from '../../engine/journal/key';
import { findRunningServer } from '../../workers/server/temporal-server';
import { startStandIn } from '../stand-in/chat-server';
import { watchArrivals } from './arrivals';
import { setUpCluster } from '../temporal-cluster';
import { createTemporaryFolder } from '../temporary-folder';
import { untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { readRunFile } from './outputs';
import { endLeftovers, startCommand, startSynth, untilSaid, untilServerOf, interrupt } from './processes';

const folder = createTemporaryFolder();
const cluster = setUpCluster(join(folder, 'cluster'));
afterAll(endLeftovers);

// Side by side, each with a model of its own.

test.concurrent('a control workflow that somebody ended is started again, with the budget and what was spent of it', async () => {
  const standIn = await startStandIn({ latency: 200 });
  const run = join(folder, 'ended');
  const options = [`--model=${standIn.spec}`, '--n-sessions=9', '--budget=150ktok', '--concurrency=16'];
  const running = startSynth(run, ...options);
  await untilJournalHas(run, 30, running);
  await untilServerOf(run, running);
  const connection = await Connection.connect({ address: await addressOf(run) });
  const { id } = readRunFile(run);
  await new Client({ connection }).workflow.getHandle(buildControlWorkflowId(id)).terminate('by hand');
  await connection.close();
  await untilSaid(running, 'The budget of 150ktok is used up');
  const lower = await runLoaded(['set', run, '--budget', '5ktok']);
  expect(lower).toMatchObject({ code: 2 });
  expect(lower.stderr).toContain('has already spent');
  standIn.latency = 0;
  const raised = await runLoaded(['set', run, '--budget', '40Mtok']);
  expect(raised).toMatchObject({ code: 0 });
  await expect(running.ended).resolves.toMatchObject({ code: 0 });
  await standIn.goDown();
});

test.concurrent('a run that is continued with a rate keeps it from the first second on', async () => {
  const standIn = await startStandIn({ latency: 200 });
  const run = join(folder, 'continued');
  const options = ['--model', standIn.spec, '--n-personas', '8', '--n-sessions', '9', '--concurrency', '64'];
  const first = startSynth(run, ...options);
  await untilJournalHas(run, 150, first);
  await interrupt(first);
  const before = standIn.received.length;
  using arrivals = watchArrivals(standIn);
  const second = startSynth(run, ...options, '--rate', '60rpm');
  const calls = 20;
  while (arrivals.seen.length < before + calls) await wait(50);
  await interrupt(second);
  await standIn.goDown();
  const seen = arrivals.seen.slice(before, before + calls);
  const took = (seen.at(-1)?.by ?? 0) - (seen.at(0)?.after ?? 0);
  // One call a second, but for a burst of a second, and those that were kept waiting, for no more than two.
  expect(took).toBeGreaterThan((calls - 1 - 1 - 2) * 1_000);
  // It is a limit, not a standstill.
  const gaps = seen.slice(1).map(({ by }, index) => by - (seen[index]?.by ?? 0));
  expect(gaps.toSorted((one, other) => one - other)[calls / 2]).toBeLessThan(2_000);
});

test.concurrent('a worker that outlives the command it worked with works with the next one, which wants more personas', async () => {
  const standIn = await startStandIn({ latency: 200 });
  const run = join(folder, 'outlived');
  const on = { TEMPORAL_ADDRESS: cluster.address };
  const options = ['synth', '--output-dir', run, '--model', standIn.spec, '--n-sessions', '9'];
  const first = startCommand([...options, '--n-personas', '2'], on);
  await untilSaid(first, 'Starting run');
  const worker = startCommand(['worker', run], on);
  await untilSaid(worker, 'Working on run');
  await untilJournalHas(run, 30, first);
  await interrupt(first);
  standIn.latency = 50;
  const grown = startCommand([...options, '--n-personas', '4'], on);
  const ended = await grown.ended;
  expect(ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('4 personas, 12 instances, no failures.'),
  });
  await expect(worker.ended).resolves.toMatchObject({ code: 0 });
  await standIn.goDown();
  expect(standIn.misunderstood).toEqual([]);
});

async function addressOf(run: string): Promise<string> {
  for (;;) {
    const address = await findRunningServer(join(run, '.cupid', 'engine'));
    if (address !== undefined) return address;
    await wait(50);
  }
}
