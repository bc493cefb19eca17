import { setTimeout as wait } from 'node:timers/promises';
import { EMBEDDED } from '../../schemas/run/run';
import { InputError } from '../../schemas/input-error';
import { checkModels } from '../../workers/models';
import type { Engine } from '../../workers/server/connection';
import { readWorkflowBundle } from '../../workers/workflow-bundle';
import { findRun, isAsFound, type Engines, type FoundRun } from '../folder/find-run';
import type { OpenRun } from '../folder/run-folder';
import { checkConsent } from '../plan/consent';
import type { Interruption } from './find-server';
import { joinOpenRun, type joinRun } from './run-part';

type PartOptions = Pick<Parameters<typeof joinRun>[0], 'concurrency' | 'observe' | 'telemetry' | 'onLogged'>;

/** A worker for one run, and its observers. */
interface RunWorker extends PartOptions, Interruption {
  readonly engines: Engines;
  readonly consent: { readonly trust: boolean; readonly trustCommand: string };
  /** Called each time that no command drives the run any more. */
  readonly onWaiting: (id: string, kind: OpenRun['kind']) => void;
}

/** An end of a worker for one run. */
type WorkerEnd =
  | { readonly how: 'finished'; readonly run: string }
  /** By Ctrl-C, during work, or while waiting for a command to drive the run. */
  | { readonly how: 'stopped' | 'left' };

/** Makes calls of a run that another command drives, until it is finished. @throws InputError if the run has no folder here */
export async function serveRun(name: string, worker: RunWorker): Promise<WorkerEnd> {
  const { engines, consent, report } = worker;
  const bundle = await readWorkflowBundle();
  let isWaiting = false;
  for (;;) {
    const found = await findRun(name, engines);
    const { id, held, service, models } = found;
    if (held === undefined) {
      throw new InputError(
        `A worker needs the run folder, and ${name} is the id of a run. Run: cupid worker RUN_FOLDER`,
      );
    }
    if (held.folder.run?.state === 'finished') return { how: 'finished', run: id };
    const request = { folder: held.folder.path, models, asked: models, named: [], ...consent };
    const mayAsk = await checkConsent(request, report);
    if (held.folder.run !== undefined && service !== undefined) {
      checkVersion(held, bundle);
      await checkModels(models, process.env);
      isWaiting = false;
      const ended = await workForRun(found, { held, service, mayAsk, bundle }, worker);
      if (ended === 'interrupted') return { how: 'stopped' };
    } else if (!isWaiting) {
      isWaiting = true;
      worker.onWaiting(id, held.kind);
    }
    const waited = await worker.untilInterrupted(wait(CHECK_INTERVAL_MS), () => undefined);
    if (waited === 'interrupted') return { how: 'left' };
  }
}

export const STOPPING = 'Stopping: waiting for the answers in flight.';

/** Milliseconds between two checks whether the run is still driven. */
const CHECK_INTERVAL_MS = 1_000;

/** Checks the version, because only the version of the code that started a workflow can continue it. */
function checkVersion({ folder }: OpenRun, { version }: { readonly version: string }): void {
  const { run, path } = folder;
  if (run === undefined || run.codeVersion === version) return;
  throw new Error(
    `The run in ${path} is driven by version ${run.codeVersion} of this program, and this worker is version ${version}. Start the worker from the same version.`,
  );
}

/** Works until the run is finished, no command drives it any more, or Ctrl-C. */
async function workForRun(
  found: FoundRun,
  {
    held,
    service,
    ...part
  }: Pick<Parameters<typeof joinRun>[0], 'mayAsk' | 'bundle'> & {
    readonly held: OpenRun;
    readonly service: NonNullable<FoundRun['service']>;
  },
  { engines, concurrency, observe, telemetry, onLogged, ...worker }: RunWorker,
): Promise<'interrupted' | void> {
  const engine: Engine = {
    id: held.folder.run?.engine ?? EMBEDDED,
    name: found.engine,
    ...service,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  worker.report(`Working on run ${found.id} on the ${found.engine} (process ${process.pid}).`);
  const shown = { concurrency, observe, telemetry, ...(onLogged && { onLogged }) };
  await using joined = await joinOpenRun(held, { engine, ...part, ...shown });
  const leaving = new AbortController();
  try {
    const changed = untilChanged(found, engines, leaving.signal);
    return await worker.untilInterrupted(Promise.race([changed, joined.workers.ended]), () => {
      worker.report(STOPPING);
      joined.gate.stop();
    });
  } finally {
    leaving.abort();
  }
}

/**
 * Resolves when the run has finished, grown, been retried, or moved to other code or another engine. The data of this process are outdated
 * then.
 */
async function untilChanged(found: FoundRun, engines: Engines, leaving: AbortSignal): Promise<void> {
  // A failed check is repeated.
  const isSame = () => isAsFound(found, engines).catch(() => true);
  do await wait(CHECK_INTERVAL_MS, undefined, { signal: leaving });
  while (await isSame());
}
