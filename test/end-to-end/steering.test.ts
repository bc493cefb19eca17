import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import * as z from 'zod';
import { setUpCluster, startCluster } from '../temporal-cluster';
import { hashDataSets, type Ended, type Running } from './command';
import { countJournalEntries, readJournalSnapshot, listRepeated, untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { readRunFile } from './outputs';
import { startCommand, until, untilSaid, untilServerOf, interrupt } from './processes';
import { expectRefusal } from './refusal';
import { setUpUndisturbedRun } from './undisturbed';

/** Milliseconds that an answer takes until a run is half done. */
const LATENCY = 300;
/** Milliseconds per answer from then on, so that the run does not end before the test has acted, even on a busy machine. */
const UNHURRIED = 2_000;

const beside = setUpUndisturbedRun(2, { latency: 100 });
const cluster = setUpCluster(join(beside.folder, 'cluster'));

describe('a run that is paused', () => {
  test('makes no call until it is resumed, and comes to the same end, every call made once', async () => {
    const { run, running, before } = await halfDone('paused');
    expect(await runLoaded(['pause', run])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Paused. Calls in flight are answered and kept'),
    });
    const asked = await askedWhileStandingStill();
    expect(await statusOf(run)).toMatchObject({ state: 'paused', pause: { by: 'user' } });
    expect(await runLoaded(['pause', run])).toMatchObject({
      code: 0,
      stdout: 'The run is already paused.\n',
    });
    expect(beside.standIn.received).toHaveLength(asked);
    expect(await runLoaded(['resume', run])).toMatchObject({ code: 0 });
    await expectSameEnd(run, () => running.ended);
    expect(beside.standIn.received.length - before).toBe(beside.calls);
  });

  test('stays so when it is stopped and continued, and can be resumed while it is stopped; it is watched from before its beginning to its end', async () => {
    const watching = startCommand(['status', join(beside.folder, 'stopped'), '--watch', '--json']);
    await untilSaid(watching, 'There is no run at');
    const { run, running } = await halfDone('stopped');
    await interrupt(running);
    const interrupted = startCommand(['status', run, '--watch']);
    await untilWritten(interrupted);
    await interrupt(interrupted);
    expect((await runLoaded(['pause', run])).stdout).toContain('The run is stopped. It will start paused.');
    expect(await statusOf(run)).toMatchObject({ state: 'stopped', pause: { by: 'user' } });
    const left = beside.calls - (await countJournalEntries(run));
    const { callsLeft } = (await statusOf(run)).projection ?? {};
    const { likely, low, high } = await estimatedCallsLeft('stopped');
    expect(callsLeft).toBe(Math.round(likely.calls));
    // The run ends like the undisturbed one, so this is what it has yet to ask. Of the few dialogues that are left, nobody
    // knows the lengths: where most have just begun, twice as many calls were seen to be expected.
    expect(likely.calls).toBeGreaterThan(left / 2);
    expect(likely.calls).toBeLessThan(left * 3);
    expect(low.calls).toBeLessThan(likely.calls);
    expect(high.calls).toBeGreaterThan(likely.calls);
    expect(high.calls).toBeLessThan(5 * left);

    const again = beside.start('stopped');
    await untilSaid(again, 'The run is paused');
    await askedWhileStandingStill();
    await interrupt(again);
    expect((await runLoaded(['resume', run])).stdout).toContain('no longer paused. The run is stopped.');
    await expectSameEnd(run, () => beside.finish('stopped'));
    expect(await statusOf(run)).toMatchObject({
      state: 'finished',
      work: { unit: 'personas', all: 2, finished: 2, failed: 0 },
    });
    const { code, stdout } = await watching.ended;
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('"state":"finished"');
  });
});

describe('a run that is cancelled', () => {
  test('ends, keeps all that was answered, and continues with the same command', async () => {
    const { run, running } = await halfDone('cancelled');
    const ended = await runLoaded(['cancel', run]);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Cancelled run cupid-') });
    expect(await running.ended).toMatchObject({ code: 1 });
    const kept = await readJournalSnapshot(run);
    expect(await statusOf(run)).toMatchObject({ state: 'stopped' });
    expect((await runLoaded(['cancel', run])).stdout).toContain('is not running');
    await expectSameEnd(run, () => beside.finish('cancelled'));
    expect(listRepeated(kept, await readJournalSnapshot(run))).toEqual([]);
  });
});

describe('cupid set', () => {
  test("changes a run under way: its status shows it, and what makes no sense is refused; status --watch outlives the engine's death, and ends by itself with the run", async () => {
    const { run, running } = await halfDone('set');
    const { spec } = beside.standIn;
    // So that it does not end meanwhile.
    expect(await runLoaded(['pause', run])).toMatchObject({ code: 0 });
    expect(
      await runLoaded(['set', run, '--concurrency', '5', '--budget', '90Mtok', '--rate', '6000rpm']),
    ).toMatchObject({ code: 0 });
    expect(await statusOf(run)).toMatchObject({
      concurrency: 5,
      budget: { unit: 'tokens', cap: 90_000_000 },
      models: [{ spec, limits: { requestsPerMinute: 6_000 } }],
    });
    expectRefusal(await runLoaded(['set', run, '--budget', '1tok']), 2, [
      'has already spent',
      'Set a higher budget',
    ]);
    expectRefusal(await runLoaded(['set', run, '--budget', '5usd']), 2, ['has none', '--models']);
    expectRefusal(await runLoaded(['set', run, '--rate', 'openai:gpt-4o 5rpm']), 2, [
      'The run does not use openai:gpt-4o',
      spec,
    ]);
    expectRefusal(await runLoaded(['set', run]), 2, ['Nothing to set']);
    expectRefusal(await runLoaded(['set', run, '--budget', 'plenty']), 2, ['"plenty" is not a budget']);
    // Nor may a second command drive it; cupid status is named to that one.
    expectRefusal(await beside.finish('set'), 1, [
      `in use by process ${running.pid}`,
      `cupid status ${run} --watch`,
    ]);
    const watching = startCommand(['status', run, '--watch', '--json']);
    await untilWritten(watching);
    expect(await runLoaded(['resume', run])).toMatchObject({ code: 0 });
    process.kill((await untilServerOf(run, running)).pid, 'SIGKILL');
    await expectSameEnd(run, () => running.ended);
    const { code, stdout } = await watching.ended;
    expect(code).toBe(0);
    const statuses = stdout
      .trim()
      .split('\n')
      .map((line) => statusSchema.parse(JSON.parse(line)));
    expect(statuses.length).toBeGreaterThan(1);
    expect(statuses.at(-1)).toMatchObject({ work: { finished: 2, failed: 0 } });
  });

  test('keeps a change for a run that no process works for; its calls in flight are up to the command that continues', async () => {
    const run = join(beside.folder, 'undisturbed');
    const { stdout } = await runLoaded(['set', run, '--rate', '7000rpm']);
    expect(stdout).toContain('at most 7,000 requests/min (was unlimited).');
    expect(stdout).toContain('The run is finished, so nothing changes now.');
    expect(await statusOf(run)).toMatchObject({ models: [{ limits: { requestsPerMinute: 7_000 } }] });
    expect((await runLoaded(['set', run, '--rate', 'unlimited'])).code).toBe(0);
    expect((await statusOf(run)).models).toMatchObject([{ limits: {} }]);
    expect((await runLoaded(['resume', run])).stdout).toBe('The run is not paused. The run is finished.\n');
    expectRefusal(await runLoaded(['set', run, '--concurrency', '5']), 1, [
      'Give --concurrency to the command that continues it',
    ]);
  });
});

describe('a run on a cluster', () => {
  test('is found and steered by its id from anywhere, and by its folder once its cluster is chosen', async () => {
    const there = { TEMPORAL_ADDRESS: cluster.address };
    const run = join(beside.folder, 'on-cluster');
    beside.standIn.latency = LATENCY;
    const running = startCommand(beside.commandOf('on-cluster'), there);
    await untilJournalHas(run, beside.calls / 3, running);
    beside.standIn.latency = UNHURRIED;
    const { id } = readRunFile(run);

    expect(await runLoaded(['pause', id], there)).toMatchObject({ code: 0 });
    await askedWhileStandingStill();
    expect(await statusOf(id, there)).toMatchObject({ run: id, state: 'paused', work: { all: 2 } });
    expect(await statusOf(run, there)).toMatchObject({ run: id, state: 'paused' });
    expect((await runLoaded(['status', run])).stdout).toContain(
      `It is on the Temporal cluster ${cluster.address}, namespace default; no cluster is chosen.`,
    );
    expectRefusal(await runLoaded(['resume', run]), 1, ['TEMPORAL_ADDRESS']);
    expect(await runLoaded(['set', id, '--rate', '6000rpm'], there)).toMatchObject({ code: 0 });
    expect(await runLoaded(['resume', id], there)).toMatchObject({ code: 0 });
    await expectSameEnd(run, () => running.ended);
    expect(await statusOf(id, there)).toMatchObject({ state: 'finished' });
    expectRefusal(await runLoaded(['status', 'cupid-12345678'], there), 2, ['has no run cupid-12345678']);
  });

  test('doctor finds a fit cluster fit, and recommends three days of retention', async () => {
    await retain(1);
    const ended = await runLoaded(['doctor'], { TEMPORAL_ADDRESS: cluster.address });
    expect(ended.code).toBe(0);
    for (const line of [
      `ok  Temporal: Temporal cluster ${cluster.address}, namespace default, server 1.`,
      '--  Retention: 1 day in namespace default',
      'temporal operator namespace update --retention 72h --namespace default',
      'ok  Workflow updates: allowed',
      'ok  Workflow lists: allowed',
    ]) {
      expect(ended.stdout).toContain(line);
    }
    await retain(3);
    const better = await runLoaded(['doctor'], { TEMPORAL_ADDRESS: cluster.address });
    expect(better.stdout).toContain('ok  Retention: 3 days in namespace default');
  });

  test('doctor names what an unfit one refuses, and what to do about it (exit 1)', async () => {
    const dynamic = { 'frontend.enableUpdateWorkflowExecution': 'false' };
    const unfit = await startCluster({ folder: join(beside.folder, 'unfit'), dynamic });
    try {
      const ended = await runLoaded(['doctor'], { TEMPORAL_ADDRESS: unfit.address });
      expect(ended.code).toBe(1);
      expect(ended.stdout).toContain('--  Workflow updates: rejected (');
      expect(ended.stdout).toContain('Set frontend.enableUpdateWorkflowExecution to true');
    } finally {
      await unfit.stop();
    }
  });
});

const statusSchema = z.looseObject({
  state: z.string(),
  work: z.looseObject({ finished: z.number().optional(), failed: z.number().optional() }),
  models: z.array(z.looseObject({})),
  projection: z.looseObject({ callsLeft: z.number() }).optional(),
});

const amountSchema = z.looseObject({ calls: z.number() });

const estimateSchema = z.object({
  progress: z.object({
    remaining: z.object({ low: amountSchema, likely: amountSchema, high: amountSchema }),
  }),
});

/** Starts a run and waits until half of its calls are answered. Also returns how many requests its model had got before. */
async function halfDone(name: string): Promise<{ run: string; running: Running; before: number }> {
  const run = join(beside.folder, name);
  const before = beside.standIn.received.length;
  beside.standIn.latency = LATENCY;
  const running = beside.start(name);
  await untilJournalHas(run, beside.calls / 2, running);
  beside.standIn.latency = UNHURRIED;
  return { run, running, before };
}

/** Returns the status of a run. Waits for its driver, which may be too busy to answer. */
async function statusOf(
  run: string,
  environment: Record<string, string> = {},
): Promise<z.infer<typeof statusSchema>> {
  for (;;) {
    const { code, stdout, stderr } = await runLoaded(['status', run, '--json'], environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const status = statusSchema.parse(JSON.parse(stdout));
    if (status.state !== 'starting' && status.state !== 'unattended') return status;
  }
}

/** Returns the remaining calls of a stopped run, as `cupid synth --estimate` expects them. */
async function estimatedCallsLeft(name: string) {
  const ended = await runLoaded([...beside.commandOf(name), '--estimate', '--json']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return estimateSchema.parse(JSON.parse(ended.stdout)).progress.remaining;
}

/**
 * Waits until the run stands still, and returns the number of requests so far. It stands still when no request is pending and none arrives
 * for two seconds.
 */
async function askedWhileStandingStill(): Promise<number> {
  for (;;) {
    await until(() => beside.standIn.count('pending') === 0);
    const asked = beside.standIn.received.length;
    await wait(2_000);
    if (beside.standIn.received.length === asked) return asked;
  }
}

/** Resolves when a command has written something to standard output. */
async function untilWritten({ child: { stdout } }: Running): Promise<void> {
  if (stdout === null) throw new Error('Its standard output is not read.');
  await once(stdout, 'data');
}

async function expectSameEnd(run: string, ended: () => Promise<Ended>): Promise<void> {
  beside.standIn.latency = 0;
  expect(await ended()).toMatchObject({ code: 0 });
  expect(await hashDataSets(run)).toEqual(beside.hashes);
}

async function retain(days: number): Promise<void> {
  const connection = await Connection.connect({ address: cluster.address });
  try {
    await connection.workflowService.updateNamespace({
      namespace: 'default',
      config: { workflowExecutionRetentionTtl: msToTs(days * 24 * 3600 * 1000) },
    });
  } finally {
    await connection.close();
  }
}
