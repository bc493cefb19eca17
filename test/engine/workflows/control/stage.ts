import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError } from '@temporalio/client';
import type { PlannedCall } from '../../../../engine/limits/call-guard';
import { CallGate, CallRejected, GateStopped } from '../../../../activities/call-gate';
import { writeChangedSteering, settleWorkers } from '../../../../activities/control';
import { reviveModelControl, startControl } from '../../../../runs/control/control';
import { openLeases, type WorkerLeases } from '../../../../runs/leases/leases';
import { openJournal } from '../../../../data/run/journal';
import { buildModelTable } from '../../../../data/model-table';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { buildControlWorkflowId, buildLimitsWorkflowId } from '../../../../engine/journal/key';
import type { SteeringRequest } from '../../../../engine/limits/steering';
import { buildRunQueueName } from '../../../../engine/task-queues';
import { steeringSchema, type ModelLimits, type Steering } from '../../../../schemas/run/steering';
import { RunLedger } from '../../../../activities/run-ledger';
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

export const MODEL = 'simulated:default';
export const OTHER_MODEL = 'simulated:other';
export const THIRD_MODEL = 'simulated:third';
/** Tokens of every call, both expected and actual. */
export const TAKES = { input: 60, output: 40 };
export const EXPECTED = { input: 60, output: 60 };
export const PRICES = buildPriceTable({ [MODEL]: { input: 1, output: 1 } });

/** Maximum calls in flight of a worker, as set by its command. */
export const CONCURRENCY = 16;

export const { run: RUN } = EMPTY_REPORT;

/** Length of a history after which a workflow continues as new: a few reports. */
export const FORGETFUL = { 'limit.historyCount.suggestContinueAsNew': '60' };

/** Starts the steering of a run without the rest of it: a real server, the real workflows, and a store. */
export async function startStage(
  steering: Partial<Steering>,
  dynamic: Readonly<Record<string, string>> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'cupid-control-'));
  const store = createFolderStore(join(folder, 'store'));
  const world = { run: { store, journal: openJournal(store) } };
  const keeping = {
    keepSteering: (input: Parameters<typeof writeChangedSteering>[1]) => writeChangedSteering(world, input),
    settleWorkers: (input: Parameters<typeof settleWorkers>[1]) => settleWorkers(world, input),
  };
  // A worker does not start without activities; these are never called.
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
  /** Reads the state, and repeats the query if a busy server rejects it while it retries a workflow's task. */
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
    /** Starts the control of another run whose stored steering was changed in this way. */
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
     * Waits until the budget has paused the run for good, and every call of all workers is reported. A pause is lifted again if the calls
     * in flight needed less than expected, or another worker returns a part of its lease.
     */
    async untilUsedUp(): Promise<ControlState> {
      for (;;) {
        const now = await state();
        const isUsedUp = now.pause?.by === 'budget' && now.pause.spent > now.pause.cap * 0.995;
        const isDrained = now.workers.every(({ inFlight }) => inFlight === 0);
        const isKnown = now.workers.length === workers.filter(({ isGone }) => !isGone).length;
        const spent = workers.reduce((sum, { answered, lost }) => sum + answered * 100 + lost * 120, 0);
        if (isUsedUp && isDrained && isKnown && now.spent.tokens === spent) return now;
        await wait(100);
      }
    },
    /** Makes the workflow continue as new this many times, and checks its state meanwhile. */
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
export const VISIT = { ...EMPTY_REPORT, worker: 'visitor', sequence: 1, leaving: true } as const;

/** A worker's process as the control workflow knows it. Ledger, gate and leases are real, only its calls are simulated. */
export class SteeredWorker {
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

  /** Returns its maximum calls in flight, by its lease. */
  get concurrency(): number {
    return this.leases?.guardsOf({ spec: MODEL })[0].inFlight ?? 0;
  }

  /** Returns the number of calls that it takes on at a time. */
  get capacity(): number {
    return this.leases?.capacity() ?? 0;
  }

  /** Returns the number of calls whose reports may still follow. */
  get atWork(): number {
    return this.gate.inFlight - this.lost;
  }

  /** Makes calls one after the other, this many at a time. */
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
    const key = `${RUN}/${this.name}#r0.user.t${this.#calls}.a0`;
    const call: PlannedCall = { key, spec: MODEL, step: 'user', estimate: EXPECTED };
    await this.gate.pass(call, this.leases?.guardsOf(call) ?? [], async () => {
      this.sending();
      const sent = await this.ledger.sent({ ...call, tier: 'standard' }, PARAMETERS);
      this.sent += 1;
      await wait(20);
      if (this.isDead) {
        // A dead worker receives no answer.
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

  /** Stops all reports at once, and returns its number of calls in flight. */
  async die(): Promise<number> {
    this.isGone = this.isDead = true;
    this.gate.stop();
    // Answered calls are still recorded, as if it died a moment later.
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

export async function enter({ engine }: Host, store: Store, name: string): Promise<SteeredWorker> {
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
      // Called for every report.
      if (worker.isDead) throw new Error('It is dead.');
      return gate.count(of);
    },
    backingOff: () => gate.backingOff,
    onChange: () => gate.reconsider(),
    onDirectives(directives) {
      worker.directives = directives;
      if (directives.modelTable !== undefined) table = buildModelTable(directives);
    },
  });
  return worker;
}
