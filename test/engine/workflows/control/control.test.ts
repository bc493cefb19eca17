import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError, WorkflowUpdateFailedError } from '@temporalio/client';
import type { PlannedCall } from '../../../../engine/limits/call-guard';
import { CallGate, CallRejected, GateStopped } from '../../../../activities/call-gate';
import { writeChangedSteering, settleWorkers } from '../../../../activities/control';
import { reviveModelControl, startControl } from '../../../../runs/control/control';
import { openLeases, type WorkerLeases } from '../../../../runs/leases/leases';
import { readLedger } from '../../../../runs/estimate/ledgers';
import { openJournal } from '../../../../data/run/journal';
import { buildModelTable } from '../../../../data/model-table';
import { readSteering } from '../../../../data/run/steering';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { buildControlWorkflowId, buildLimitsWorkflowId } from '../../../../engine/journal/key';
import { computeTotals } from '../../../../engine/costs/ledger';
import { sumTokens } from '../../../../engine/costs/prices';
import type { SteeringRequest } from '../../../../engine/limits/steering';
import { buildRunQueueName } from '../../../../engine/task-queues';
import { steeringSchema, type ModelLimits, type Steering } from '../../../../schemas/run/steering';
import { RunLedger } from '../../../../workers/run-ledger';
import type { control as controlWorkflow } from '../../../../workflows/control/control';
import {
  controlState,
  modelState,
  report,
  setLimits,
  steer,
  steerLater,
  type ControlState,
  type Directives,
} from '../../../../workflows/messages';
import { until } from '../../../end-to-end/processes';
import { buildJournalEntry, PARAMETERS } from '../../../journal-entry';
import { buildPriceTable } from '../../../price-table';
import { EMPTY_REPORT } from './empty-report';
import { RunEvents } from '../../../../activities/run-events';
import { createGate } from './guards';
import { startHost, type Host } from '../synthesis/in-process';

// Side by side, since most of each is waiting for the next report.

const MODEL = 'simulated:default';
const OTHER_MODEL = 'simulated:other';
const THIRD_MODEL = 'simulated:third';
/** What every call takes, and what it is expected to take. */
const TAKES = { input: 60, output: 40 };
const EXPECTED = { input: 60, output: 60 };
const PRICES = buildPriceTable({ [MODEL]: { input: 1, output: 1 } });

test.concurrent('a budget is used up by those that are left when a worker dies: its lease comes back, its lost calls are charged as expected', async () => {
  const cap = 60_000;
  await using stage = await startStage({ budget: { unit: 'tokens', cap } });
  const first = await stage.enter('first');
  const second = await stage.enter('second');
  first.work(4);
  second.work(4);
  while (second.answered < 30 || first.answered < 30) {
    const { spent } = await stage.state();
    expect(spent.tokens).toBeLessThanOrEqual(cap + 8 * 120);
    await wait(20);
  }
  await until(() => second.sent - second.answered > 1);
  const lost = await second.die();
  const state = await stage.untilUsedUp();
  expect(state.paused).toMatchObject({ by: 'budget', cap });
  const ledger = await readLedger(stage.store);
  expect(sumTokens(ledger)).toBeLessThanOrEqual(cap + 8 * 120);
  expect(sumTokens(ledger)).toBeGreaterThan(cap * 0.99 - 120);
  expect(computeTotals(ledger)).toMatchObject({
    calls: first.answered + second.answered,
    lost,
    assumed: { input: lost * EXPECTED.input, output: lost * EXPECTED.output },
  });
  // What the engine has is what the folder has.
  expect(state.spent.tokens).toBe(sumTokens(ledger));
});

test('a pause reaches many workers, more than a server keeps updates of one workflow for, and is kept; none of them is taken for gone, and a second pause is refused', async () => {
  await using stage = await startStage({});
  const workers = await Promise.all(Array.from({ length: 16 }, (_, index) => stage.enter(`worker-${index}`)));
  const sum = (of: 'sent' | 'answered') => workers.reduce((all, worker) => all + worker[of], 0);
  const gone = (paused: boolean) =>
    until(() => workers.every(({ directives }) => (directives?.paused !== undefined) === paused));
  for (const worker of workers) worker.work(1);
  await until(() => workers.every(({ answered }) => answered > 0));
  expect((await stage.steer({ paused: true })).paused).toEqual({ by: 'user' });
  expect((await readSteering(stage.store)).paused).toBe(true);
  await gone(true);
  await until(() => workers.every(({ gate }) => gate.inFlight === 0));
  const sent = sum('sent');
  await until(async () => {
    const { spent, workers: known } = await stage.state();
    return known.every(({ inFlight }) => inFlight === 0) && spent.tokens === sum('answered') * 100;
  });
  await expect(stage.steer({ paused: true })).rejects.toThrow(WorkflowUpdateFailedError);
  await wait(1_000);
  expect(sum('sent')).toBe(sent);
  expect((await stage.steer({ paused: false })).paused).toBeUndefined();
  await gone(false);
  await until(() => sum('sent') > sent + 20);
  expect((await readSteering(stage.store)).paused).toBe(false);
  expect((await stage.state()).workers).toHaveLength(workers.length);
  expect(computeTotals(await readLedger(stage.store, 'all')).lost).toBe(0);
});

test.concurrent('calls in flight that are set are divided among the workers, again when one comes or goes, and none is left without', async () => {
  await using stage = await startStage({});
  const first = await stage.enter('first');
  await until(() => first.concurrency === CONCURRENCY);
  await stage.steer({ concurrency: 5 });
  await until(() => first.concurrency === 5);
  const second = await stage.enter('second');
  await until(() => first.concurrency === 3 && second.concurrency === 2);
  const beyond: SteeredWorker[] = [];
  for (const worker of [first, second]) {
    worker.sending = () => worker.gate.inFlight > worker.concurrency && beyond.push(worker);
    worker.work(10);
  }
  await until(() => first.answered > 10 && second.answered > 10);
  await expect(stage.steer({ concurrency: 1 })).rejects.toThrow(WorkflowUpdateFailedError);
  await stage.steer({ concurrency: 2 });
  await until(() => first.concurrency === 1 && second.concurrency === 1);
  const third = await stage.enter('third');
  third.work(2);
  // Somebody else is to send what it took on.
  await until(() => third.concurrency === 0 && third.givenBack > 2);
  await third.leave();
  await stage.steer({ concurrency: 6 });
  await until(() => first.concurrency === 3 && second.concurrency === 3);
  await second.leave();
  await until(() => first.concurrency === 6);
  expect(beyond).toEqual([]);
});

test.concurrent('limits that are set reach the model, and what a worker may have in flight', async () => {
  await using stage = await startStage({});
  const first = await stage.enter('first');
  const second = await stage.enter('second');
  first.work(8);
  second.work(8);
  await until(() => first.answered > 10 && second.answered > 10);
  const limits = { inFlight: 4 };
  await stage.steer({ limits: { [MODEL]: limits } });
  expect((await readSteering(stage.store)).limits).toEqual({ [MODEL]: limits });
  await until(async () => (await stage.modelState()).limits.inFlight === 4);
  const inFlight = () => first.gate.inFlight + second.gate.inFlight;
  await until(() => inFlight() <= 4);
  // At any one moment: one's share may grow when the other's has shrunk.
  let most = 0;
  first.sending = second.sending = () => (most = Math.max(most, inFlight()));
  const [ofFirst, ofSecond] = [first.answered, second.answered];
  await until(() => first.answered > ofFirst + 10 && second.answered > ofSecond + 10);
  expect(most).toBeLessThanOrEqual(4);
  // A worker takes on no more than it can send soon: the rest is for those that have a share left.
  await stage.steer({ limits: { [MODEL]: { requestsPerMinute: 40 } } });
  await until(() => [first, second].every(({ capacity, gate }) => capacity <= gate.inFlight + 2));
});

test.concurrent('limits that were set while a run rested apply to a model that another run asks as well', async () => {
  await using stage = await startStage({});
  const limits = { [MODEL]: { requestsPerMinute: 60 } };
  await stage.continueOther({ limits });
  await until(async () => (await stage.modelState()).limits.requestsPerMinute === 60);
});

test.concurrent('limits that another run has set continue when workers of a new version replace the control of a model', async () => {
  await using stage = await startStage({});
  await stage.leaveControl(OTHER_MODEL, { requestsPerMinute: 600 });
  await stage.reviveControl(OTHER_MODEL);
  expect((await stage.modelState(OTHER_MODEL)).limits).toEqual({ requestsPerMinute: 600 });
  await stage.leaveControl(THIRD_MODEL, { requestsPerMinute: 600 }, { inFlight: 4 });
  await stage.reviveControl(THIRD_MODEL);
  expect((await stage.modelState(THIRD_MODEL)).limits).toEqual({ inFlight: 4 });
});

test.concurrent('what was changed while no process worked for a run applies when one does, also to its models', async () => {
  await using stage = await startStage({});
  const budget = { unit: 'tokens', cap: 5_000 } as const;
  await stage.steerLater({ budget, limits: { [MODEL]: { inFlight: 2 } } });
  await stage.steerLater({ paused: true });
  const first = await stage.enter('first');
  await until(() => first.directives?.paused !== undefined);
  first.work(2);
  expect(await stage.state()).toMatchObject({ paused: { by: 'user' }, steering: { budget } });
  expect((await stage.modelState()).limits).toEqual({ inFlight: 2 });
  await stage.steer({ paused: false });
  expect((await stage.untilUsedUp()).spent.tokens).toBeLessThanOrEqual(budget.cap + 2 * 120);
});

test.concurrent('a budget of another unit counts what was spent before it, and nobody spends what was leased in the old unit', async () => {
  await using stage = await startStage({ budget: { unit: 'tokens', cap: 1_000_000 } });
  const first = await stage.enter('first');
  first.work(4);
  await until(() => first.answered > 50);
  // So that it is known what is spent when the budget is set; of what was leased, most is not.
  await stage.steer({ paused: true });
  await until(() => first.directives?.paused !== undefined && first.atWork === 0);
  const all = first.answered + 100;
  const cap = (all * (TAKES.input + TAKES.output)) / 1e6;
  await stage.steer({ paused: false, budget: { unit: 'usd', cap }, modelTable: PRICES });
  await stage.untilUsedUp();
  await until(() => first.directives?.paused !== undefined);
  expect(first.directives?.paused).toMatchObject({ by: 'budget', cap });
  expect(first.answered).toBeGreaterThan(all * 0.99 - 1);
  expect(first.answered).toBeLessThanOrEqual(all + 4);
});

test.concurrent('a control workflow that continues as new again and again loses nothing: orders continue, and so do a pause and a budget', async () => {
  const cap = 12_000;
  await using stage = await startStage({ budget: { unit: 'tokens', cap } }, FORGETFUL);
  const first = await stage.enter('first');
  const second = await stage.enter('second');
  first.work(4);
  second.work(4);
  await until(() => first.answered + second.answered > 40);
  await stage.steer({ paused: true });
  await stage.untilNewRuns(2, ({ paused }) => expect(paused).toEqual({ by: 'user' }));
  await stage.steer({ paused: false, concurrency: 6 });
  const before = await stage.untilUsedUp();
  await stage.untilNewRuns(2, ({ paused, steering, spent }) => {
    expect(paused).toMatchObject({ by: 'budget', cap });
    expect(steering).toMatchObject({ concurrency: 6, budget: { cap } });
    expect(spent).toEqual(before.spent);
  });
  expect(before.spent.tokens).toBeLessThanOrEqual(cap + 8 * 120);
  expect(before.spent.tokens).toBeGreaterThan(cap * 0.98 - 120);

  await second.leave();
  await stage.steer({ budget: { unit: 'tokens', cap: cap * 2 } });
  const after = await stage.untilUsedUp();
  expect(after.spent.tokens).toBeLessThanOrEqual(cap * 2 + 4 * 120);
  expect(after.spent.tokens).toBeGreaterThan(cap * 2 * 0.98 - 120);
});

/** Most calls in flight of a worker, as its command says. */
const CONCURRENCY = 16;

const { run: RUN } = EMPTY_REPORT;

/** A history this short is left after a few reports. */
const FORGETFUL = { 'limit.historyCount.suggestContinueAsNew': '60' };

/** A run that is steered, and nothing else of it: a real server, the real workflows, and a store. */
async function startStage(steering: Partial<Steering>, dynamic: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'cupid-control-'));
  const store = createFolderStore(join(folder, 'store'));
  const world = { run: { store, journal: openJournal(store) } };
  const keeping = {
    keepSteering: (input: Parameters<typeof writeChangedSteering>[1]) => writeChangedSteering(world, input),
    settleWorkers: (input: Parameters<typeof settleWorkers>[1]) => settleWorkers(world, input),
  };
  // A worker is not started without activities; these are never asked of it.
  const activities = { asking: keeping, keeping };
  const host = await startHost({
    id: RUN,
    folder,
    gate: createGate(1).gate,
    concurrency: 1,
    activities,
    dynamic,
  });
  await startControl(host.engine, {
    run: RUN,
    models: [MODEL],
    store,
    queue: buildRunQueueName(RUN),
    limitsQueue: buildRunQueueName(RUN),
    steering: steeringSchema.parse(steering),
    wanted: {},
    settled: {},
  });
  const control = () => host.client.workflow.getHandle(buildControlWorkflowId(RUN));
  /** On a busy machine a server refuses queries while it tries a workflow's task again. */
  const state = async (): Promise<ControlState> => {
    for (;;) {
      try {
        return await control().query(controlState);
      } catch (error) {
        if (!(error instanceof ServiceError && String(error.cause).includes('FAILED_PRECONDITION')))
          throw error;
        await wait(100);
      }
    }
  };
  const workers: SteeredWorker[] = [];
  return {
    store,
    state,
    async enter(name: string) {
      const worker = await enter(host, store, name);
      workers.push(worker);
      return worker;
    },
    steer: (change: SteeringRequest) => control().executeUpdate(steer, { args: [change] }),
    steerLater: (change: SteeringRequest) => control().signal(steerLater, change),
    /** Starts the control of another run that was steered so while it rested. */
    continueOther: (other: Partial<Steering>) =>
      startControl(host.engine, {
        run: 'cupid-0000000b',
        models: [MODEL],
        store,
        queue: buildRunQueueName('cupid-0000000b'),
        limitsQueue: buildRunQueueName(RUN),
        steering: steeringSchema.parse(other),
        wanted: {},
        settled: {},
      }),
    modelState: (spec = MODEL) =>
      host.client.workflow.getHandle(buildLimitsWorkflowId(spec)).query(modelState),
    /** Starts the control of a model on the task queue of a version whose workers are gone. */
    async leaveControl(spec: string, limits: ModelLimits, ...setSince: ModelLimits[]) {
      const handle = await host.client.workflow.start<typeof controlWorkflow>('control', {
        workflowId: buildLimitsWorkflowId(spec),
        taskQueue: 'cupid-limits/before',
        args: [{ model: { spec, limits } }],
      });
      for (const one of setSince) await handle.signal(setLimits, one);
    },
    reviveControl: (spec: string) => reviveModelControl(host.client, store, spec, buildRunQueueName(RUN)),
    /**
     * Waits until the run is paused for good by its budget, and every call of all workers there were is reported: a pause is lifted again when
     * the calls that were in flight took less than was expected of them, or another worker gives back what it had leased.
     */
    async untilUsedUp(): Promise<ControlState> {
      for (;;) {
        const now = await state();
        const isUsedUp = now.paused?.by === 'budget' && now.paused.spent > now.paused.cap * 0.995;
        const isDrained = now.workers.every(({ inFlight }) => inFlight === 0);
        const isKnown = now.workers.length === workers.filter(({ isGone }) => !isGone).length;
        const spent = workers.reduce((sum, { answered, lost }) => sum + answered * 100 + lost * 120, 0);
        if (isUsedUp && isDrained && isKnown && now.spent.tokens === spent) return now;
        await wait(100);
      }
    },
    /** Has the workflow continue as new so many times, and looks at its state all the while. */
    async untilNewRuns(times: number, look: (state: ControlState) => void): Promise<void> {
      const runs = new Set<string>();
      while (runs.size <= times) {
        runs.add((await control().describe()).runId);
        look(await state());
        await control().executeUpdate(report, { args: [VISIT] });
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.leave()));
      await host[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The only report of a worker. */
const VISIT = { ...EMPTY_REPORT, worker: 'visitor', sequence: 1, leaving: true } as const;

/** A worker's process as the control workflow knows it: its ledger, gate and leases are real, and only its calls are made up. */
class SteeredWorker {
  leases: WorkerLeases | undefined;
  directives: Directives | undefined;
  /** Called when a call is sent. */
  sending: () => unknown = () => undefined;
  sent = 0;
  answered = 0;
  givenBack = 0;
  lost = 0;
  isDead = false;
  isGone = false;
  #calls = 0;
  readonly events = new RunEvents();
  readonly gate = new CallGate(this.events);
  readonly ledger: RunLedger;

  constructor(
    private readonly name: string,
    private readonly store: Store,
  ) {
    this.ledger = new RunLedger(store, name, this.events);
    this.events.subscribe((event) => this.isDead || this.leases?.follow(event));
  }

  /** Its most calls in flight, by its lease. */
  get concurrency(): number {
    return this.leases?.guardsOf({ spec: MODEL })[0].inFlight ?? 0;
  }

  /** The calls that it takes on at a time. */
  get capacity(): number {
    return this.leases?.capacity() ?? 0;
  }

  /** Calls of which something may still be reported. */
  get atWork(): number {
    return this.gate.inFlight - this.lost;
  }

  /** Makes this many calls at a time, one after the other. */
  work(atOnce: number): void {
    const one = async () => {
      for (;;) {
        try {
          await this.#call();
        } catch (error) {
          if (error instanceof GateStopped) return;
          if (!(error instanceof CallRejected)) throw error;
          this.givenBack += 1;
          await wait(100);
        }
      }
    };
    for (let count = 0; count < atOnce; count += 1) void one();
  }

  async #call(): Promise<void> {
    this.#calls += 1;
    const key = `${RUN}/${this.name}#g0.user.t${this.#calls}.a0`;
    const call: PlannedCall = { key, spec: MODEL, step: 'user', estimate: EXPECTED };
    await this.gate.pass(call, this.leases?.guardsOf(call) ?? [], async () => {
      this.sending();
      const sent = await this.ledger.sent({ ...call, tier: 'standard' }, PARAMETERS);
      this.sent += 1;
      await wait(20);
      if (this.isDead) {
        // Whoever is dead hears no answer.
        this.lost += 1;
        await new Promise<never>(() => undefined);
      }
      const entry = { ...buildJournalEntry(key, { usage: TAKES }), ledgerCall: sent.id };
      await openJournal(this.store).append(entry);
      this.answered += 1;
      await sent.answered(entry, 'good');
      return entry;
    });
  }

  /** Reports no more, from one moment to the next; returns how many calls it had in flight. */
  async die(): Promise<number> {
    this.isGone = this.isDead = true;
    this.gate.stop();
    // What had its answer is still written down: it might have died a moment later.
    await until(() => this.atWork === 0);
    await this.leases?.stop();
    return this.lost;
  }

  /** Ends its calls and leaves. */
  async leave(): Promise<void> {
    if (this.isGone) return;
    this.isGone = true;
    this.gate.stop();
    await this.gate.idle();
    await this.leases?.stop();
  }
}

async function enter({ engine }: Host, store: Store, name: string): Promise<SteeredWorker> {
  const worker = new SteeredWorker(name, store);
  let table = buildModelTable({});
  const { gate, ledger } = worker;
  worker.leases = await openLeases(engine, {
    leastQueryMs: 0,
    run: RUN,
    kind: 'synthesis',
    queue: buildRunQueueName(RUN),
    limitsQueue: buildRunQueueName(RUN),
    store,
    onUnresponsive: () => undefined,
    worker: name,
    codeVersion: 'test',
    models: [MODEL],
    concurrency: CONCURRENCY,
    activity: () => ({ spent: ledger.spent(table), perMinute: ledger.perMinute }),
    waiting(of) {
      // Asked for every report.
      if (worker.isDead) throw new Error('It is dead.');
      return gate.count(of);
    },
    onChange: () => gate.reconsider(),
    onDirectives(directives) {
      worker.directives = directives;
      if (directives.modelTable !== undefined) table = buildModelTable(directives);
    },
  });
  return worker;
}
