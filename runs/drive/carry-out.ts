import { buildModelTable } from '../../data/model-table';
import { writeSteering } from '../../data/run/steering';
import { formatCount, pluralize } from '../../schemas/text/count-text';
import type { SteeringRequest } from '../../engine/limits/steering';
import type { ModelUse } from '../../engine/model-facts/uses';
import { EMBEDDED, isCluster } from '../../schemas/run/engine';
import { writeModelCheck } from '../../workers/model-check';
import type { Telemetry } from '../../workers/telemetry/telemetry';
import type { Engine } from '../../workers/server/connection';
import { EngineDamaged } from '../../workers/server/engine-damaged';
import { connectChosenCluster, isClusterChosen, startEmbedded } from '../../workers/server/engine';
import { readWorkflowBundle } from '../../workers/workflow-bundle';
import type { OpenWork } from '../../workers/world';
import type { BatchedWork } from '../../workflows/batch/batches';
import type { Directives } from '../../workflows/messages';
import {
  buildControlStart,
  endControl,
  buildTaskQueues,
  getQueueVersion,
  startControl,
} from '../control/control';
import { readPauseAtRest } from '../control/at-rest';
import { readSteeringRequest, type SteeringOptions } from '../control/request';
import { rebuildLedger } from '../estimate/rebuild-ledger';
import { findFailureCause } from '../folder/failed-call';
import { assertUnchanged, writeRunFile, type RunFolder } from '../folder/run-folder';
import { lockRunFolder } from '../folder/run-lock';
import { checkConsent } from '../plan/consent';
import { checkModelsOnce, type CheckObserver } from './check-models';
import { carryOutBatches, refuseOpenBatches, type BatchObserver } from './drive-batches';
import { findServer } from './find-server';
import {
  endWorkflows,
  isServedByAnother,
  RunCancelled,
  type DrivenWorkflow,
  RunFailed,
  type RunInProgress,
} from './drive';

/** A run to start or continue in this process. */
interface RunRequest<Run extends Host, Plan> {
  readonly folder: RunFolder<Run, Plan>;
  /** Plan in the folder when it was read; undefined if nothing was started there. */
  readonly before: Plan | undefined;
  readonly id: string;
  /** SPECs of the run's models. */
  readonly models: readonly string[];
  /** Uses of the models that this command is about to call; none when they are not to be checked. */
  readonly uses: readonly ModelUse[];
  /** SPECs that this command calls, and those that its command line names. */
  readonly asked: readonly string[];
  readonly named: readonly string[];
  readonly options: CommandOptions;
  /** Stores the plan, and returns whether workflows left on a cluster know all that is to be done. */
  readonly keep: () => Promise<{ readonly isKnown: boolean }>;
  /** Reports what is to be done, once the plan is stored and before the run starts. */
  readonly announce?: () => Promise<void>;
  /** Builds the content of `run.json`, once the plan is stored. */
  readonly describe: (host: Host) => Run;
  readonly work: OpenWork;
  /** Lists the work whose calls go into batches, once the plan is stored; undefined if there is none. */
  readonly batched: () => BatchedWork | undefined | Promise<BatchedWork | undefined>;
}

/** Options that affect how a run is carried out, but not its data. */
export interface CommandOptions extends SteeringOptions {
  readonly concurrency: number;
  /** Milliseconds to wait for a batch; absent when calls are sent one by one. */
  readonly batch?: number;
  readonly profile?: string;
  /** Whether each model is called once before the run starts. */
  readonly check: boolean;
  /** The user consents to all models that the run folder names. */
  readonly trust?: true;
  /** Command with `--trust` for the user to repeat. */
  readonly trustCommand: string;
  /** Telemetry of the process; undefined when it is not configured. */
  readonly telemetry: Telemetry | undefined;
}

/** Shows the user the progress of the run, and passes on interruptions. */
export interface RunObserver extends BatchObserver, CheckObserver {
  readonly onDirectives: (directives: Directives) => void;
  /** @param run whether it is on a cluster, where other workers may continue it */
  readonly onStopped: (run: { readonly isOnCluster: boolean }) => void;
}

/** The engine that runs the workflows, and their version. */
interface Host {
  readonly engine: string;
  readonly codeVersion: string;
}

/**
 * Locks the run's folder, starts the engine and the workers, and runs the work, first what goes into batches. Releases everything
 * afterwards.
 * @returns the result of the work, or `interrupted`
 */
export async function carryOut<Run extends Host, Plan, Result>(
  request: RunRequest<Run, Plan>,
  observer: RunObserver,
  work: (run: RunInProgress<Run>) => Promise<Result>,
): Promise<Result | 'interrupted'> {
  const { folder, before, id, models, asked, named, options } = request;
  const { batch, profile, telemetry, trustCommand } = options;
  // Missing requirements are reported before the folder is touched.
  const steering = await readSteeringRequest(options, models);
  if (batch === undefined) await refuseOpenBatches(folder);
  const mayAsk = await checkConsent(
    { folder: folder.path, models, asked, named, trust: options.trust === true, trustCommand },
    observer.report,
  );
  const bundle = await readWorkflowBundle();
  const binary = isClusterChosen(profile) ? undefined : await findServer(observer);
  if (binary === 'interrupted') return binary;
  const host = binary === undefined ? { cluster: await connectChosenCluster(profile) } : { binary };
  // Impossible steering is reported before anything is touched; it is read again under the lock.
  const controlStart = await buildControlStart(folder.store, models, steering);
  const by: Host = {
    engine: 'cluster' in host ? host.cluster.id : EMBEDDED,
    codeVersion: bundle.version,
  };

  await using lock = await lockRunFolder(folder, observer.report);
  await assertUnchanged(folder, before);
  if (before !== undefined && Object.keys(controlStart.settled).length === 0) {
    const rebuilt = await rebuildLedger(folder.store);
    if (rebuilt > 0) {
      observer.report(
        `The ledger of this run (.cupid/ledger) is missing or damaged. It was rebuilt from the journal: ${formatCount(rebuilt, 'answer')}, without failed calls.`,
      );
    }
  }
  // The plan is stored only after the models answered; the spending of the check is recorded once there is a run.
  const uses = controlStart.paused === undefined ? request.uses.filter(({ spec }) => mayAsk.has(spec)) : [];
  const check = await checkModelsOnce(folder.store, controlStart.steering, uses, observer);
  if (check === 'interrupted') return check;
  const { isKnown } = await request.keep();
  const file = request.describe(by);
  if (before === undefined) await writeRunFile(folder, file);
  // Workers of a store may have the run on another version, and continue it.
  const isServed =
    'cluster' in host && folder.location !== undefined
      ? await isServedByAnother(host.cluster, id, by.codeVersion)
      : undefined;
  // The workflows of a cluster start again from the journal if code, work or engine differ from those of the last command.
  const isCurrent =
    isKnown && folder.run?.engine === by.engine && (isServed ?? folder.run.codeVersion === by.codeVersion);
  const checked = await writeModelCheck(folder.store, check);
  const { steering: inForce } = await buildControlStart(folder.store, models, steering);
  telemetry?.count(checked, buildModelTable(inForce));
  await writeSteering(folder.store, inForce);
  const useEngine = async (engine: Engine, changes: SteeringRequest): Promise<Result | 'interrupted'> => {
    await using _engine = engine;
    if ('cluster' in host && before !== undefined && !isCurrent) await endWorkflows(engine, id);
    try {
      return await workOn({ request, observer, work, engine, by, changes, mayAsk, bundle, file, lock });
    } catch (error) {
      // The damage of the database may be why the work failed.
      await engine.database?.check();
      throw error;
    }
  };
  const startEngine = async () =>
    'cluster' in host
      ? host.cluster
      : startEmbedded(folder.engine, host.binary, {
          // Loading the modules of a worker takes half as long as starting the server.
          whileStarting: () => import('./run-part.js'),
          report: observer.report,
        });
  try {
    return await useEngine(await startEngine(), steering);
  } catch (error) {
    if (!(error instanceof EngineDamaged)) throw error;
    observer.report(
      'The database of the embedded Temporal server was damaged. Continuing from the journal with a new one.',
    );
    // The changes of this command are in the store, perhaps with later ones.
    return await useEngine(await startEngine(), {});
  }
}

/** Starts the control and the workers of a run on an engine, and does the work. */
async function workOn<Run extends Host, Plan, Result>({
  request,
  observer,
  work,
  engine,
  by,
  changes,
  mayAsk,
  bundle,
  file,
  lock,
}: {
  readonly request: RunRequest<Run, Plan>;
  readonly observer: RunObserver;
  readonly work: (run: RunInProgress<Run>) => Promise<Result>;
  readonly engine: Engine;
  readonly by: Host;
  /** Changes to the steering in the store. */
  readonly changes: SteeringRequest;
  readonly mayAsk: ReadonlySet<string>;
  readonly bundle: Awaited<ReturnType<typeof readWorkflowBundle>>;
  /** Content of `run.json`. */
  readonly file: Run;
  readonly lock: { readonly lost: Promise<never> };
}): Promise<Result | 'interrupted'> {
  const { folder, before, id, models, options } = request;
  const { batch, concurrency, telemetry } = options;
  const control = await buildControlStart(folder.store, models, changes);
  const { joinRun } = await import('./run-part.js');
  await request.announce?.();
  observer.report(`${before === undefined ? 'Starting' : 'Continuing'} run ${id} on the ${engine.name}.`);
  const queues = buildTaskQueues(id, by);
  await startControl(engine, { run: id, store: folder.store, models, ...queues, ...control });
  const { workers, gate, ...part } = await joinRun({
    engine,
    folder,
    run: id,
    models,
    mayAsk,
    bundle,
    queues,
    concurrency,
    observe: observer.observe,
    telemetry,
    onDirectives: observer.onDirectives,
    work: request.work,
  });
  await using _part = part;
  let isStarted = false;
  const interruption = new AbortController();
  const run: RunInProgress<Run> = {
    engine: {
      ...engine,
      ...(folder.location === undefined ? {} : { store: folder.location }),
      version: getQueueVersion(by),
    },
    file,
    async follow(driven, show) {
      interruption.signal.throwIfAborted();
      // As late as this: after a crash before it, the next command starts the workflows.
      if (!isStarted) await writeRunFile(folder, file);
      isStarted = true;
      return showWhileRunning(driven, show, () =>
        Promise.race([
          readResult(driven, folder.store),
          workers.ended,
          lock.lost,
          ...(engine.database === undefined ? [] : [engine.database.damaged]),
          rejectOnAbort(interruption.signal),
        ]),
      );
    },
  };
  const carryOutAll = async (): Promise<Result> => {
    const batched = batch === undefined ? undefined : await request.batched();
    if (batch !== undefined && batched !== undefined)
      await carryOutBatches(run, id, batched, batch, observer);
    return work(run);
  };
  const completion = carryOutAll();
  try {
    // From here on, because workers of a continued run have calls in flight before its progress is followed.
    const result = await observer.untilInterrupted(completion, () => {
      observer.report(formatStopping(gate.inFlight));
      gate.stop();
      interruption.abort();
    });
    if (result !== 'interrupted') await endControl(engine, id);
    await workers.stop();
    if (result !== 'interrupted') return result;
  } catch (error) {
    // On a cluster, personas that are still being cancelled would block the next command.
    if (error instanceof RunCancelled && isCluster(engine.id)) {
      await workers.stop();
      await endWorkflows(engine, id);
    }
    const isBudgetSpent =
      error instanceof RunCancelled && (await readPauseAtRest(folder.store)).paused?.by === 'budget';
    throw isBudgetSpent
      ? new RunCancelled('Its budget is spent: repeat the same command with a higher --budget to continue.')
      : error;
  }
  // The work may have been past following the progress.
  await completion.catch(() => undefined);
  observer.onStopped({ isOnCluster: isCluster(engine.id) });
  return 'interrupted';
}

/** @param inFlight calls whose answers are awaited */
function formatStopping(inFlight: number): string {
  if (inFlight === 0) return 'Stopping. No call is in flight.';
  return `Stopping. Waiting for ${formatCount(inFlight, 'call')} in flight, since ${pluralize(inFlight, 'it is', 'they are')} paid for. Press Ctrl-C again to stop at once.`;
}

/** @throws RunFailed with the cause from the run's store */
async function readResult<Result>(
  driven: DrivenWorkflow<unknown, Result>,
  store: RunFolder['store'],
): Promise<Result> {
  try {
    return await driven.result();
  } catch (error) {
    if (!(error instanceof RunFailed) || error.call === undefined) throw error;
    const cause = (await findFailureCause(store, error.call)) ?? error.message;
    throw new RunFailed(cause, error.call, { cause: error });
  }
}

async function rejectOnAbort(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** Shows a workflow's progress every second, or as often as it may be asked, until the work ends. */
async function showWhileRunning<Progress, Result>(
  driven: DrivenWorkflow<Progress, unknown>,
  show: (progress: Progress) => void | Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  let nextAt = 0;
  let isOver = false;
  const showNow = async () => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + driven.leastQueryMs;
    const progress = await driven.progress();
    if (progress !== undefined && !isOver) await show(progress);
  };
  // Progress that cannot be read now, for example because the store is away, is shown the next time.
  const timer = setInterval(() => void showNow().catch(() => undefined), 1_000);
  try {
    return await work();
  } finally {
    isOver = true;
    clearInterval(timer);
  }
}
