import type { RunEvent } from '../../activities/run-events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Connection } from '@temporalio/client';
import { getReason } from '../../data/sets/error';
import { writeStoreLocation } from '../../data/store/open-store';
import { readQueueVersion } from '../../engine/task-queues';
import type { RunKind } from '../../schemas/run/run';
import { checkModels } from '../../workers/models';
import { registerVersion } from '../../workers/worker';
import { listModelsOfRun } from '../folder/find-run';
import { findOpenRun, readRunFile, type OpenRun } from '../folder/run-folder';
import { checkConsent } from '../plan/consent';
import { connectTo, createClient } from '../../workers/server/connection';
import { openDeployment, type Deployment } from './deployment';
import { listStoredRuns, type StoredRun } from './drive';
import { RunMover } from './move-run';
import { joinOpenRun, type joinRun } from './run-part';
import type { Guard } from '../../engine/limits/call-guard';

/** What a worker that belongs to no run works with. */
interface StoreWorker extends Pick<
  Parameters<typeof joinRun>[0],
  'engine' | 'observe' | 'telemetry' | 'onLogged'
> {
  /** The place on object storage at or below which its runs are, such as `s3://bucket/prefix`. */
  readonly root: string;
  readonly kinds: readonly RunKind[];
  /** Most calls in flight, over all runs. */
  readonly concurrency: number;
  /** The workflows' code, and its version. */
  readonly bundle: { readonly path: string; readonly version: string };
  readonly consent: { readonly trust: boolean; readonly trustCommand: string };
  readonly report: (line: string) => void;
  /** Logs why this worker does not work for a run. */
  readonly warn: (line: string) => void;
}

/** What a worker knows of the runs in progress, found out every few seconds. */
interface Outlook {
  /** The version that runs move to; undefined where the cluster has none. */
  current: string | undefined;
  /** By store. */
  runs: ReadonlyMap<string, StoredRun>;
}

/**
 * Works for every run in progress on a cluster whose store is below a place. When it is stopped, it waits for the calls in flight. Runs
 * share the concurrency of the process, and through their leases the limits of the models.
 */
export async function serveStore(worker: StoreWorker, stopping: AbortSignal): Promise<void> {
  const { engine, bundle, report } = worker;
  await using _registered = await registerVersion(worker);
  await using deployment = await openDeployment(engine, bundle.version, report);
  const connection = await connectTo({ ...engine.connection, interceptors: [] });
  try {
    await serveRuns(worker, deployment, connection, stopping);
  } finally {
    await connection.close();
  }
}

async function serveRuns(
  worker: StoreWorker,
  deployment: Deployment,
  connection: Connection,
  stopping: AbortSignal,
): Promise<void> {
  const slots = new SharedSlots(worker.concurrency);
  const outlook: Outlook = { current: undefined, runs: new Map() };
  const serving = new Map<string, Promise<void>>();
  /** Reported once, by store: why this worker does nothing for a run. */
  const refused = new Map<string, string>();
  let isReached = false;
  let isReported = false;
  const leave = worker.telemetry?.require(() =>
    isReached ? [] : [`the ${worker.engine.name} has not said which runs are in progress`],
  );
  while (!stopping.aborted) {
    try {
      const runs = await listStoredRuns(worker.engine, worker.root, worker.kinds);
      outlook.current = await deployment.updateCurrent();
      outlook.runs = new Map(runs.map((run) => [run.store, run]));
      for (const { store } of runs) {
        if (serving.has(store)) continue;
        const served = serveRun({ ...worker, connection, outlook }, store, slots, stopping)
          .catch((error: unknown) => {
            const reason = getReason(error);
            if (refused.get(store) !== reason) worker.warn(`Not working for the run at ${store}: ${reason}`);
            refused.set(store, reason);
          })
          .finally(() => serving.delete(store));
        serving.set(store, served);
      }
      isReached = true;
      isReported = false;
    } catch (error) {
      if (!isReported) worker.report(`Waiting for the ${worker.engine.name}: ${getReason(error)}`);
      isReached = false;
      isReported = true;
    }
    await wait(CHECK_MS, undefined, { signal: stopping }).catch(() => undefined);
  }
  leave?.();
  await Promise.all(serving.values());
}

interface ServingWorker extends StoreWorker {
  readonly connection: Connection;
  readonly outlook: Readonly<Outlook>;
}

/** Works for one run until it ends, changes, or this worker is stopped. */
async function serveRun(
  worker: ServingWorker,
  store: string,
  slots: SharedSlots,
  stopping: AbortSignal,
): Promise<void> {
  const { id } = worker.outlook.runs.get(store) ?? {};
  if (id === undefined) return;
  const { connection, engine, bundle } = worker;
  const outside = new RunMover(createClient(connection, engine), id, bundle.version);
  if (!(await isOwn(worker, store, outside))) return;
  const folder = await mkdtemp(join(tmpdir(), 'cupid-worker-'));
  try {
    await writeStoreLocation(folder, store);
    const run = await findOpenRun(folder);
    if (run?.folder.run === undefined || run.folder.run.state === 'finished') return;
    await joinAndWait(worker, store, run, slots, stopping);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function joinAndWait(
  worker: ServingWorker,
  store: string,
  run: OpenRun,
  slots: SharedSlots,
  stopping: AbortSignal,
): Promise<void> {
  const { engine, bundle, consent, report, concurrency, observe, telemetry, onLogged } = worker;
  const { id } = run.plan.inputs;
  const models = listModelsOfRun(run);
  const mayAsk = await checkConsent({ folder: store, models, asked: models, named: [], ...consent }, report);
  await checkModels(models, process.env);
  report(`Working on run ${id} (${store}).`);
  const mover = new RunMover(createClient(worker.connection, engine), id, bundle.version);
  await using part = await joinOpenRun(run, {
    engine,
    mayAsk,
    bundle,
    concurrency,
    guards: [slots],
    observe: (event) => {
      slots.follow(event);
      observe(event);
    },
    telemetry,
    ...(onLogged === undefined ? {} : { onLogged }),
  });
  const leave = slots.join(() => part.gate.reconsider());
  const left = new AbortController();
  try {
    const over = AbortSignal.any([stopping, left.signal]);
    await Promise.race([untilChanged(run, over), untilMoved(worker, store, mover, over), part.workers.ended]);
  } finally {
    left.abort();
    leave();
  }
  if (!stopping.aborted) report(`Run ${id} has ended or changed.`);
}

/** Returns whether a run is for this version: it carries the run out, or has begun what is not finished, or is the current one. */
async function isOwn({ bundle, outlook }: ServingWorker, store: string, mover: RunMover): Promise<boolean> {
  if (outlook.current === bundle.version) return true;
  const { workflows = [] } = outlook.runs.get(store) ?? {};
  if (workflows.some(({ queue }) => readQueueVersion(queue) === bundle.version)) return true;
  return mover.hasWork();
}

/** Moves a run to this version while that is the current one. Resolves when the run is on another, and nothing is left of it on this one. */
async function untilMoved(
  worker: ServingWorker,
  store: string,
  mover: RunMover,
  stopping: AbortSignal,
): Promise<void> {
  for (;;) {
    await wait(CHECK_MS, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    const { current, runs } = worker.outlook;
    const { workflows } = runs.get(store) ?? {};
    if (workflows === undefined) continue;
    try {
      if (current === worker.bundle.version) await mover.move(workflows);
      else if (!(await isOwn(worker, store, mover))) return;
    } catch {
      // What the cluster did not do now it does the next time.
    }
  }
}

/** Resolves when the run has finished or grown; or when this worker stops. */
async function untilChanged({ folder }: OpenRun, stopping: AbortSignal): Promise<void> {
  for (;;) {
    await wait(CHECK_MS, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    // A check that failed is repeated.
    const now = await readRunFile<unknown>(folder).catch(() => folder.run);
    if (!isDeepStrictEqual(now, folder.run)) return;
  }
}

/** Milliseconds between two looks at which runs there are. */
const CHECK_MS = 3_000;

/** Calls in flight of one process over all runs that it works for. */
class SharedSlots implements Guard {
  readonly #members: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  admits(): boolean {
    return this.#free > 0;
  }

  /** Follows the calls of each of the runs. */
  follow(event: RunEvent): void {
    if (event.type === 'admitted') this.#free -= 1;
    if (event.type !== 'released') return;
    this.#free += 1;
    // Not in the middle of a call's end: its own gate looks by itself. Another run's is first the next time.
    setImmediate(() => {
      const [first, ...others] = this.#members.splice(0);
      if (first !== undefined) this.#members.push(...others, first);
      for (const reconsider of this.#members) reconsider();
    });
  }

  /** Has a run's waiting calls looked at again when a slot is free, until the returned function is called. */
  join(reconsider: () => void): () => void {
    this.#members.push(reconsider);
    return () => void this.#members.splice(this.#members.indexOf(reconsider), 1);
  }
}
