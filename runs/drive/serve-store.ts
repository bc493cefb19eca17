import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isEncrypted } from '../../data/encryption/encrypted-store';
import { getReason } from '../../data/sets/error';
import { writeStoreLocation } from '../../data/store/open-store';
import type { RunKind } from '../../schemas/run/run';
import { checkModels } from '../../workers/models';
import { buildLimitsQueueName } from '../control/control';
import { listModelsOfRun } from '../folder/find-run';
import { findOpenRun, readRunFile, type OpenRun } from '../folder/run-folder';
import { checkConsent } from '../plan/consent';
import { listStoresInProgress } from './drive';
import { joinOpenRun, type joinRun } from './run-part';
import { SharedSlots } from './shared-slots';

/** What a worker that belongs to no run works with. */
export interface StoreWorker extends Pick<
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
  /** Prints a line. */
  readonly report: (line: string) => void;
}

/** Works for every run in progress on a cluster whose store is below a place, until it is stopped; then waits for the calls in flight. */
export async function serveStore(worker: StoreWorker, stopping: AbortSignal): Promise<void> {
  const slots = new SharedSlots(worker.concurrency);
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
      for (const store of await listStoresInProgress(worker.engine, worker.root, worker.kinds)) {
        if (serving.has(store)) continue;
        const served = serveRun(worker, store, slots, stopping)
          .catch((error: unknown) => {
            const reason = getReason(error);
            if (refused.get(store) !== reason)
              worker.report(`Not working for the run at ${store}: ${reason}`);
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

/** Works for one run until it ends, changes, or this worker is stopped. */
async function serveRun(
  worker: StoreWorker,
  store: string,
  slots: SharedSlots,
  stopping: AbortSignal,
): Promise<void> {
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
  { engine, bundle, consent, report, concurrency, observe, telemetry, onLogged }: StoreWorker,
  store: string,
  run: OpenRun,
  slots: SharedSlots,
  stopping: AbortSignal,
): Promise<void> {
  const { id } = run.plan.inputs;
  const version = run.folder.run?.codeVersion;
  if (version !== bundle.version) {
    throw new Error(
      `version ${version} of cupid drives it, and this worker is version ${bundle.version}. Start a worker of that version.`,
    );
  }
  const models = listModelsOfRun(run);
  const mayAsk = await checkConsent({ folder: store, models, asked: models, named: [], ...consent }, report);
  await checkModels(models, process.env);
  report(`Working on run ${id} (${store}).`);
  await using part = await joinOpenRun(run, {
    engine: { ...engine, isEncrypted: await isEncrypted(run.folder.store) },
    run: id,
    models,
    mayAsk,
    bundle: bundle.path,
    limitsQueue: buildLimitsQueueName(id, { engine: engine.id, codeVersion: bundle.version }),
    concurrency,
    guards: [slots.guard],
    observe,
    telemetry,
    ...(onLogged === undefined ? {} : { onLogged }),
    onDirectives: () => undefined,
  });
  const leave = slots.join(() => part.gate.reconsider());
  const left = new AbortController();
  try {
    await Promise.race([untilChanged(run, AbortSignal.any([stopping, left.signal])), part.workers.ended]);
  } finally {
    left.abort();
    leave();
  }
  if (!stopping.aborted) report(`Run ${id} has ended or changed.`);
}

/** Resolves when the run has finished, grown, or is driven by other code; or when this worker stops. */
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
