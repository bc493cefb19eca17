import type { RunEvent } from '../../activities/run-events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { getReason } from '../../data/store/data-error';
import { writeStoreLocation } from '../../data/store/open-store';
import { readQueueVersion } from '../../engine/task-queues';
import type { RunKind } from '../../schemas/run/run';
import { checkModels } from '../../workers/models';
import { registerVersion } from '../../workers/worker';
import { listModelsOfRun } from '../folder/find-run';
import { findOpenRun, readRunFile, type OpenRun } from '../folder/run-folder';
import { checkConsent } from '../plan/consent';
import { connectWithoutRetries } from '../../workers/server/connection';
import { openDeployment, type Deployment } from './deployment';
import { listStoredRuns, type StoredRun } from './drive';
import type { Interruption } from './find-server';
import { RunMover } from './move-run';
import { joinOpenRun, type RunPartOptions } from './run-part';
import { STOPPING } from './serve-run';
import type { Guard } from '../../engine/limits/call-guard';

/** Settings of a worker that serves all runs of a store. */
interface StoreWorker
  extends Pick<RunPartOptions, 'engine' | 'bundle' | 'observe' | 'telemetry' | 'onLogged'>, Interruption {
  /** Location on object storage at or below which its runs are, such as `s3://bucket/prefix`. */
  readonly root: string;
  readonly kinds: readonly RunKind[];
  /** Maximum calls in flight, over all runs. */
  readonly concurrency: number;
  readonly consent: { readonly trust: boolean; readonly trustCommand: string };
  /** Logs why this worker does not work for a run. */
  readonly warn: (line: string) => void;
}

/** Runs in progress as known to a worker, updated every few seconds. */
interface Outlook {
  /** Version that runs move to; undefined if the cluster has none. */
  current: string | undefined;
  /** By store. */
  runs: ReadonlyMap<string, StoredRun>;
}

/**
 * Works for every run in progress on a cluster whose store is below a place. When it is stopped, it waits for the calls in flight. Runs
 * share the concurrency of the process, and through their leases the limits of the models.
 */
export async function serveStore(worker: StoreWorker): Promise<void> {
  const { engine, root, report, untilInterrupted } = worker;
  report(`Working for the runs at ${root} on the ${engine.name} (process ${process.pid}).`);
  const stopping = new AbortController();
  const serving = connectAndServe(worker, stopping.signal);
  await untilInterrupted(serving, () => {
    report(STOPPING);
    stopping.abort();
  });
  await serving;
}

async function connectAndServe(worker: StoreWorker, stopping: AbortSignal): Promise<void> {
  const { engine, bundle, report } = worker;
  await using _registered = await registerVersion(worker);
  await using deployment = await openDeployment(engine, bundle.version, report);
  const client = await connectWithoutRetries(engine);
  try {
    await serveRuns(worker, deployment, client, stopping);
  } finally {
    await client.connection.close();
  }
}

async function serveRuns(
  worker: StoreWorker,
  deployment: Deployment,
  client: Client,
  stopping: AbortSignal,
): Promise<void> {
  const slots = new SharedSlots(worker.concurrency);
  const outlook: Outlook = { current: undefined, runs: new Map() };
  const serving = new Map<string, Promise<void>>();
  /** Reasons why this worker does nothing for a run, by store; each is reported once. */
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
        const runWork = serveRun({ ...worker, client, outlook }, store, slots, stopping)
          .catch((error: unknown) => {
            const reason = getReason(error);
            if (refused.get(store) !== reason) worker.warn(`Not working for the run at ${store}: ${reason}`);
            refused.set(store, reason);
          })
          .finally(() => serving.delete(store));
        serving.set(store, runWork);
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
  readonly client: Client;
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
  const { client, bundle } = worker;
  const outside = new RunMover(client, id, bundle.version);
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
  const mover = new RunMover(worker.client, id, bundle.version);
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

/** Returns whether a run belongs to this version: it does the run's work, still has workflows of it, or is the current version. */
async function isOwn({ bundle, outlook }: ServingWorker, store: string, mover: RunMover): Promise<boolean> {
  if (outlook.current === bundle.version) return true;
  const { workflows = [] } = outlook.runs.get(store) ?? {};
  if (workflows.some(({ queue }) => readQueueVersion(queue) === bundle.version)) return true;
  return mover.hasWork();
}

/**
 * Moves a run to this version while that is the current one. Resolves when the run is on another version, and nothing of it is left on this
 * one.
 */
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
      // A failed request to the cluster is repeated in the next round.
    }
  }
}

/** Resolves when the run has finished or grown, or when this worker stops. */
async function untilChanged({ folder }: OpenRun, stopping: AbortSignal): Promise<void> {
  for (;;) {
    await wait(CHECK_MS, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    // A failed check is repeated.
    const now = await readRunFile<unknown>(folder).catch(() => folder.run);
    if (!isDeepStrictEqual(now, folder.run)) return;
  }
}

/** Milliseconds between two checks for runs. */
const CHECK_MS = 3_000;

/** Limits the calls in flight of one process over all its runs. */
class SharedSlots implements Guard {
  readonly #members: (() => void)[] = [];
  #free: number;

  constructor(slots: number) {
    this.#free = slots;
  }

  admits(): boolean {
    return this.#free > 0;
  }

  /** Counts the calls in flight. */
  follow(event: RunEvent): void {
    if (event.type === 'admitted') this.#free -= 1;
    if (event.type !== 'released') return;
    this.#free += 1;
    // Later, because the gate of the ended call checks by itself. Another run has priority next time.
    setImmediate(() => {
      const [first, ...laterMembers] = this.#members.splice(0);
      if (first !== undefined) this.#members.push(...laterMembers, first);
      for (const reconsider of this.#members) reconsider();
    });
  }

  /** Registers a callback that checks a run's waiting calls when a slot becomes free. Returns a function that removes it. */
  join(reconsider: () => void): () => void {
    this.#members.push(reconsider);
    return () => void this.#members.splice(this.#members.indexOf(reconsider), 1);
  }
}
