import {
  NativeConnection,
  Worker,
  type WorkerOptions,
  type ActivitySlotInfo,
  type CustomSlotSupplier,
  type SlotPermit,
} from '@temporalio/worker';
import type { RunActivities } from '../activities';
import type { World } from '../activities/world';
import { getHeartbeats } from '../engine/heartbeats';
import { buildCallsQueueName, DEPLOYMENT } from '../engine/task-queues';
import { createSigningCodec, removeForeign } from './signed-payloads';
import { createActivityGuard } from './stamps';
import { installRuntime } from './sdk-runtime';
import { parseClusterAddress } from './server/cluster-address';
import type { Engine } from './server/connection';
import { chooseWorkerProxy } from './server/proxy';
import type { Log } from './telemetry/log';
import type { Telemetry } from './telemetry/telemetry';

export interface RunningWorkers extends AsyncDisposable {
  /** Never resolves; rejects when a worker ends unexpectedly. */
  readonly ended: Promise<never>;
  /** Returns whether all workers poll the engine. */
  arePolling(): boolean;
  /** Starts no new model call, waits until those in flight are stored, then stops. */
  stop(): Promise<void>;
}

/**
 * Starts the workers of this process: one for workflows and for storing their results, and one for model calls, which all pass the same
 * gate.
 * @param log receives the SDK's warnings
 */
export async function startWorkers(options: {
  readonly engine: Engine;
  readonly bundle: string;
  /** Current maximum of calls in flight. */
  readonly concurrency: number;
  /** Path of the model calls. */
  readonly calls: {
    readonly gate: World['gate'];
    /** Returns the current number of calls that may be taken on at once. */
    readonly capacity: () => number;
    /** Called once no call is in flight, while everything still runs. */
    readonly onDrained: () => Promise<void>;
  };
  readonly activities: RunActivities;
  /** Task queue of the run's workflows. */
  readonly queue: string;
  /** Task queue of the workflows that control models: the run's own, or shared with other runs. */
  readonly limitsQueue: string;
  readonly log: Log;
  readonly telemetry?: Telemetry | undefined;
}): Promise<RunningWorkers> {
  const { engine, calls, activities } = options;
  await installRuntime(options.log, options.telemetry);
  const connection = await connectWorkers(engine);
  const common = {
    connection,
    namespace: engine.namespace,
    ...(engine.key === undefined
      ? {}
      : {
          dataConverter: { payloadCodecs: [createSigningCodec(engine.key, removeForeign)] },
          interceptors: { activity: [createActivityGuard(options.log)] },
        }),
    shutdownGraceTime: '10 seconds',
    // By default the SDK sends a heartbeat only after four fifths of its timeout, which leaves a busy machine a second.
    maxHeartbeatThrottleInterval: getHeartbeats(engine.id).intervalMs,
    ...NO_EXECUTION_LIMIT,
  };
  const workers: Worker[] = [];
  const create = async (ownOptions: Omit<WorkerOptions, keyof typeof common>) => {
    workers.push(await Worker.create({ ...common, ...ownOptions }));
  };
  try {
    await create({
      taskQueue: options.queue,
      workflowBundle: { codePath: options.bundle },
      activities: activities.keeping,
      maxConcurrentActivityTaskExecutions: 8,
      // A run has one open persona for every two calls in flight.
      maxCachedWorkflows: Math.max(500, options.concurrency),
    });
    await create({
      taskQueue: buildCallsQueueName(options.queue),
      activities: activities.asking,
      tuner: { ...NO_SLOTS, activityTaskSlotSupplier: createSlotSupplier(calls.capacity) },
    });
    if (options.limitsQueue !== options.queue) {
      await create({
        taskQueue: options.limitsQueue,
        workflowBundle: { codePath: options.bundle },
      });
    }
  } catch (error) {
    calls.gate.stop();
    await Promise.allSettled(workers.map(endUnused));
    await connection.close();
    throw error;
  }
  let stopping = false;
  const runs = workers.map((worker) => worker.run());
  const failure = new Promise<never>((_, reject) => {
    Promise.all(runs).then(
      () =>
        stopping ||
        reject(
          new Error(
            'The worker stopped unexpectedly. See .cupid/worker.log in the run folder, and run the same command again.',
          ),
        ),
      reject,
    );
  });
  failure.catch(() => undefined);
  const stop = async () => {
    stopping = true;
    calls.gate.stop();
    await calls.gate.idle();
    await calls.onDrained();
    // A worker that ended unexpectedly reports the error through `ended`.
    if (await shutDown(workers, runs)) await connection.close();
    else options.log({ level: 'WARN', message: UNFINISHED_SHUTDOWN });
  };
  let stopped: Promise<void> | undefined;
  return {
    ended: failure,
    arePolling: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  };
}

/**
 * Shuts workers down. Returns false if they do not end within a minute: after a workflow task that the SDK's core could not replay, it may
 * keep the workflow and wait forever. No call is in flight, so nothing is lost.
 */
export async function shutDown(
  workers: readonly Pick<Worker, 'getState' | 'shutdown'>[],
  runs: readonly Promise<void>[],
): Promise<boolean> {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  const completion = Promise.allSettled(runs).then(() => true);
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, SHUTDOWN_MS, false);
  });
  return Promise.race([completion, deadline]).finally(() => clearTimeout(timer));
}

/** Six times the grace of activities. */
const SHUTDOWN_MS = 60_000;
const UNFINISHED_SHUTDOWN =
  'The Temporal SDK did not shut its workers down within a minute, so they were left. All answers are in the journal.';

/**
 * Registers this process's version in the cluster's deployment `cupid` while it lives: by a worker on a task queue without workflows. Runs
 * have task queues of their own, and a deployment has a hundred at most.
 */
export async function registerVersion(options: {
  readonly engine: Engine;
  readonly bundle: { readonly path: string; readonly version: string };
  readonly telemetry?: Telemetry | undefined;
}): Promise<AsyncDisposable> {
  const { engine, bundle, telemetry } = options;
  await installRuntime(noop, telemetry);
  const connection = await connectWorkers(engine);
  try {
    const worker = await Worker.create({
      connection,
      namespace: engine.namespace,
      taskQueue: DEPLOYMENT,
      workflowBundle: { codePath: bundle.path },
      workerDeploymentOptions: {
        useWorkerVersioning: true,
        version: { deploymentName: DEPLOYMENT, buildId: bundle.version },
        defaultVersioningBehavior: 'PINNED',
      },
      maxConcurrentWorkflowTaskExecutions: 2,
      maxCachedWorkflows: 0,
      ...NO_EXECUTION_LIMIT,
    });
    // A cluster that rejects it has no current version, so workers serve only the runs of their own version.
    const run = worker.run().catch(() => undefined);
    return {
      async [Symbol.asyncDispose]() {
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await run;
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function connectWorkers({ connection }: Engine): Promise<NativeConnection> {
  const { address } = connection;
  const proxy =
    address === undefined ? {} : chooseWorkerProxy(parseClusterAddress(address).host, process.env);
  return NativeConnection.connect({ ...connection, ...proxy });
}

/** Ends a worker that never ran, by a short run: only its end closes the connection. */
async function endUnused(worker: Worker): Promise<void> {
  const run = worker.run();
  worker.shutdown();
  await run;
}

/**
 * Turns off the SDK's limit of five seconds of computing for a workflow, because sleeping or overloaded machines reach it. Node's async
 * hooks do not survive the termination ("async hook stack has become corrupted"), and the whole process dies. Our workflows compute for
 * milliseconds.
 */
const NO_EXECUTION_LIMIT = { isolateExecutionTimeout: '1 hour' };

/** Ignores reports of workflows, which are for replays and traces. Without this, each would be logged. */
function noop(): void {}

/** Slots of kinds of tasks that a worker of activities only does not run. */
const NO_SLOTS = {
  workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
  localActivityTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
  nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
} as const;

/** Creates a supplier of activity slots up to the capacity, which may change while the worker runs. */
export function createSlotSupplier(capacity: () => number): CustomSlotSupplier<ActivitySlotInfo> {
  let usedSlots = 0;
  const waiters = new Set<() => void>();
  const take = (): SlotPermit | null => {
    if (usedSlots >= capacity()) return null;
    usedSlots += 1;
    return {};
  };
  return {
    type: 'custom',
    async reserveSlot(_context, abortSignal) {
      for (;;) {
        if (abortSignal.aborted) throw abortSignal.reason;
        const permit = take();
        if (permit !== null) return permit;
        await new Promise<void>((resolve) => {
          const wake = () => {
            clearTimeout(timer);
            waiters.delete(wake);
            abortSignal.removeEventListener('abort', wake);
            resolve();
          };
          // Capacity may have grown without a released slot.
          const timer = setTimeout(wake, 500);
          waiters.add(wake);
          abortSignal.addEventListener('abort', wake, { once: true });
        });
      }
    },
    tryReserveSlot: take,
    markSlotUsed: () => undefined,
    releaseSlot() {
      usedSlots -= 1;
      const [next] = waiters;
      next?.();
    },
  };
}
