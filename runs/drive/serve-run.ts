import { setTimeout as wait } from 'node:timers/promises';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { EMBEDDED } from '../../schemas/run/engine';
import { InputError } from '../../schemas/input-error';
import { checkModels } from '../../workers/models';
import type { Engine, Service } from '../../workers/server/connection';
import { readWorkflowBundle } from '../../workers/workflow-bundle';
import { findRun, isAsFound, type Engines, type FoundRun } from '../folder/find-run';
import type { OpenRun } from '../folder/run-folder';
import { checkConsent } from '../plan/consent';
import type { ControlState } from '../../workflows/messages';
import { openQuestions } from './engine-questions';
import type { Interruption } from './find-server';
import { joinOpenRun, type RunPartOptions } from './run-part';

type PartOptions = Pick<RunPartOptions, 'concurrency' | 'observe' | 'telemetry' | 'onLogged'>;

/** A worker for one run, and its observers. */
interface RunWorker extends PartOptions, Interruption {
  readonly engines: Engines;
  readonly consent: { readonly trust: boolean; readonly trustCommand: string };
  /** Called each time that no command drives the run anymore. */
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
  /** Reports once that no command drives the run. */
  const reportWaiting = ({ id, held, service }: FoundRun) => {
    const run = held?.folder.run;
    const isDriven = run !== undefined && service !== undefined;
    if (held === undefined || isDriven || isWaiting || run?.state === 'finished') return;
    isWaiting = true;
    worker.onWaiting(id, held.kind);
  };
  for (;;) {
    const foundRun = await findRun(name, engines);
    const { id, held, service, models } = foundRun;
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
      // Workers whose server is gone end only after some twenty seconds. The loop reports a folder that cannot be read.
      const onChanged = () => findRun(name, engines).then(reportWaiting, () => undefined);
      try {
        const outcome = await workForRun(foundRun, { held, service, mayAsk, bundle }, worker, onChanged);
        if (outcome === 'interrupted') return { how: 'stopped' };
      } catch (error) {
        // The command may have gone, and its server with it, while this worker joined.
        if (await isAsFound(foundRun, engines).catch(() => true)) throw error;
      }
    } else reportWaiting(foundRun);
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

/** Works until the run is finished, no command drives it anymore, or Ctrl-C. */
async function workForRun(
  foundRun: FoundRun,
  {
    held,
    service,
    ...part
  }: Pick<RunPartOptions, 'mayAsk' | 'bundle'> & {
    readonly held: OpenRun;
    readonly service: NonNullable<FoundRun['service']>;
  },
  { engines, concurrency, observe, telemetry, onLogged, ...worker }: RunWorker,
  onChanged: () => Promise<void>,
): Promise<'interrupted' | void> {
  const engine: Engine = {
    id: held.folder.run?.engine ?? EMBEDDED,
    name: foundRun.engine,
    ...service,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  worker.report(`Working on run ${foundRun.id} on the ${foundRun.engine} (process ${process.pid}).`);
  const settings = { concurrency, observe, telemetry, ...(onLogged && { onLogged }) };
  let isShareReported = false;
  const onDirectives = () => {
    if (!isShareReported) void reportShare(service, foundRun.id, concurrency, worker.report);
    isShareReported = true;
  };
  await using joined = await joinOpenRun(held, { engine, ...part, ...settings, onDirectives });
  const leaving = new AbortController();
  try {
    const changed = untilChanged(foundRun, engines, leaving.signal).then(() => {
      joined.gate.stop();
      return onChanged();
    });
    return await worker.untilInterrupted(Promise.race([changed, joined.workers.ended]), () => {
      worker.report(STOPPING);
      joined.gate.stop();
    });
  } finally {
    leaving.abort();
  }
}

/** Reports what limits the calls in flight here, once the run's control knows of this worker. */
async function reportShare(
  service: Service,
  run: string,
  concurrency: number,
  report: (line: string) => void,
): Promise<void> {
  await using engine = await openQuestions(service);
  const control = await engine?.controlOf(run).catch(() => undefined);
  const line = typeof control === 'object' ? describeConcurrency(concurrency, control) : undefined;
  if (line !== undefined) report(line);
}

/** Describes which concurrency holds for a worker beside others; undefined if it is its own. */
export function describeConcurrency(
  concurrency: number,
  { workers, steering }: Pick<ControlState, 'workers' | 'steering'>,
): string | undefined {
  const count = formatCount(workers.length, 'worker');
  if (steering.concurrency !== undefined)
    return `At most ${formatCount(steering.concurrency, 'call')} in flight over ${count}, as set with cupid set --concurrency.`;
  if (workers.length < 2) return undefined;
  const all = workers.reduce((sum, worker) => sum + worker.concurrency, 0);
  return `At most ${formatNumber(concurrency)} of ${formatCount(all, 'call')} in flight here: --concurrency applies to each of the ${count} separately.`;
}

/**
 * Resolves when the run has finished, grown, been retried, or moved to other code or another engine. The data of this process are outdated
 * then.
 */
async function untilChanged(foundRun: FoundRun, engines: Engines, leaving: AbortSignal): Promise<void> {
  // A failed check is repeated.
  const isSame = () => isAsFound(foundRun, engines).catch(() => true);
  do await wait(CHECK_INTERVAL_MS, undefined, { signal: leaving });
  while (await isSame());
}
