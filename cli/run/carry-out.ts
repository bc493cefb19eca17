import { controlStart, endControl, limitsQueueFor, startControl } from '../../runs/control/control';
import type { Directives } from '../../workflows/messages';
import { endWorkflows, RunCancelled, type Driven } from '../../runs/drive/drive';
import type { WantedSteering } from '../../limits/steering';
import { budgetText } from '../../limits/budget';
import { assertUnchanged, lockRunFolder, type RunFolder } from '../../runs/folder/run-folder';
import { keepSteering } from '../../data/run/steering';
import { counted, pluralize } from '../../schemas/count-text';
import { EMBEDDED } from '../../schemas/run';
import { clusterChosen, startEmbedded, type Engine } from '../../workers/server/engine';
import type { ModelUse } from '../../model-facts/uses';
import { keepModelCheck } from '../../workers/model-check';
import type { RunActivities } from '../../activities';
import { workflowBundle } from '../../workers/workflow-bundle';
import type { RunFiles, World, WorldEvent } from '../../activities/world';
import { temporalProgram } from './temporal-program';
import { quoteArgument, thisCommand } from '../command-line';
import { checkConsent, type ConsentRequest } from './consent';
import { COMMAND } from '../exit';
import { untilInterrupted } from '../interrupt';
import { checkBeforeSpending } from './model-check';
import type { ProgressView, Status } from './progress';

/** A run about to be started, or continued, by this process. */
export interface Undertaking<Files extends RunFiles, Run, Plan> {
  readonly folder: RunFolder<Run, Plan>;
  /** The plan in the folder when it was read; undefined while nothing was started there. */
  readonly before: Plan | undefined;
  readonly id: string;
  /** The SPECs of the run's models. */
  readonly models: readonly string[];
  /** How the models are called that this command is about to call; none when they are not to be checked. */
  readonly uses: readonly ModelUse[];
  readonly consent: Pick<ConsentRequest, 'asked' | 'named' | 'trust'>;
  readonly concurrency: number;
  /** How the command wants the run to be steered. */
  readonly steering: WantedSteering;
  readonly profile: string | undefined;
  readonly view: ProgressView;
  readonly observe: (event: WorldEvent) => void;
  /** Keeps the plan, and returns whether the engine must drop its workflows of the run and start them anew. */
  readonly keep: (host: Host) => Promise<{ readonly afresh: boolean }>;
  /** Called once the engine has started the run. */
  readonly told: (host: Host) => Promise<void>;
  readonly read: (host: Host) => Promise<Files>;
  readonly activities: (world: World<Files>) => RunActivities;
}

/** The engine that runs the workflows, and their version. */
export interface Host {
  readonly engine: string;
  readonly codeVersion: string;
}

/** A run in progress. */
export interface UnderWay {
  readonly engine: Engine;
  /** Shows a workflow's progress until it ends. @throws on Ctrl-C */
  readonly follow: <Progress, Result>(
    driven: Driven<Progress, Result>,
    statusOf: (progress: Progress) => Status | Promise<Status>,
  ) => Promise<Result>;
}

/**
 * Locks the run's folder, starts the engine and the workers, and has the work done; releases everything afterwards.
 * @returns what the work returns, or `interrupted` after Ctrl-C, when the command to continue was printed
 */
export async function carryOut<Files extends RunFiles, Run, Plan, Result>(
  undertaking: Undertaking<Files, Run, Plan>,
  work: (underWay: UnderWay) => Promise<Result>,
): Promise<Result | 'interrupted'> {
  const { folder, before, id, models, profile, view } = undertaking;
  // Whatever is missing is reported before the folder is touched.
  const mayAsk = await checkConsent({ folder: folder.path, models, ...undertaking.consent }, view.say);
  const bundle = await workflowBundle();
  const binary = clusterChosen(profile) ? undefined : await temporalProgram(view.say);
  if (binary === 'interrupted') return binary;
  const host = binary === undefined ? { cluster: await chosenCluster(profile) } : { binary };
  // What is impossible is reported before anything is touched; under the lock it is read again.
  const wanted = await controlStart(undertaking.folder.store, undertaking.models, undertaking.steering);
  const by: Host = {
    engine: 'cluster' in host ? host.cluster.id : EMBEDDED,
    codeVersion: bundle.version,
  };

  await using _lock = await lockRunFolder(folder);
  await assertUnchanged(folder, before);
  // Nothing is kept before the models are known to answer; and what the check took is kept once there is a run.
  const uses = wanted.paused === undefined ? undertaking.uses.filter(({ spec }) => mayAsk.has(spec)) : [];
  const check = await checkBeforeSpending(folder.store, wanted, uses, view);
  if (check === 'interrupted') return check;
  const { afresh } = await undertaking.keep(by);
  await keepModelCheck(folder.store, check);
  const control = await controlStart(undertaking.folder.store, undertaking.models, undertaking.steering);
  await keepSteering(folder.store, control.steering);
  await using engine =
    'cluster' in host
      ? host.cluster
      : await startEmbedded(folder.engine, host.binary, {
          afresh,
          // The modules of a worker take half as long to load as the server to start.
          whileStarting: () => import('../../runs/drive/part.js'),
          report: view.say,
        });
  const { takePart } = await import('../../runs/drive/part.js');
  view.say(
    `${before === undefined ? 'Starting' : 'Continuing'} run ${id} on the ${engine.name}. This is process ${process.pid}.`,
  );
  if (afresh) await endWorkflows(engine, id);
  const limitsQueue = limitsQueueFor(id, by);
  await startControl(engine, { run: id, store: folder.store, models, limitsQueue, ...control });
  const { workers, gate, ...part } = await takePart({
    engine,
    folder,
    run: id,
    models,
    mayAsk,
    bundle: bundle.path,
    limitsQueue,
    concurrency: undertaking.concurrency,
    observe: undertaking.observe,
    onDirectives: pauseReporter(folder, view),
    read: () => undertaking.read(by),
    activities: undertaking.activities,
  });
  await using _part = part;
  let told = false;
  const interruption = new AbortController();
  const done = work({
    engine,
    async follow(driven, statusOf) {
      interruption.signal.throwIfAborted();
      // Only now: after a crash before this, the next command starts the workflows.
      if (!told) await undertaking.told(by);
      told = true;
      return watched(driven, statusOf, view, () =>
        Promise.race([driven.result(), workers.ended, abortOf(interruption.signal)]),
      );
    },
  });
  try {
    // From here on: workers of a continued run have calls in flight before its progress is followed.
    const result = await untilInterrupted(done, () => {
      view.say(waitingFor(gate.inFlight));
      gate.stop();
      interruption.abort();
    });
    if (result !== 'interrupted') await endControl(engine, id);
    await workers.stop();
    if (result !== 'interrupted') return result;
  } catch (error) {
    if (error instanceof RunCancelled) {
      // Its personas are still being cancelled, and would block the next command.
      await workers.stop();
      await endWorkflows(engine, id);
    }
    throw error;
  }
  // It may have been doing something else than following the progress.
  await done.catch(() => undefined);
  view.hide();
  view.say(
    `Stopped. ${counted(view.totals().calls, 'call')} of this command ${pluralize(view.totals().calls, 'is', 'are')} in the journal and will not be repeated.\n` +
      `Continue with the same command: ${thisCommand()}`,
  );
  return 'interrupted';
}

async function chosenCluster(profile: string | undefined): Promise<Engine> {
  const { connectCluster } = await import('../../workers/server/cluster.js');
  return connectCluster(profile);
}

async function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/**
 * Prints once why the run is paused, and how to resume it: also where no progress is shown, since it would wait for
 * ever.
 */
function pauseReporter(
  { path }: Pick<RunFolder, 'path'>,
  view: ProgressView,
): (directives: Directives) => void {
  let told: NonNullable<Directives['paused']>['by'] | undefined;
  return ({ paused, budget }) => {
    if (paused?.by === told) return;
    told = paused?.by;
    view.stands(told === undefined ? undefined : STANDS[told]);
    if (paused === undefined) {
      view.warn('The run was resumed.');
    } else if (paused.by === 'user') {
      view.warn(`The run is paused. Resume it: ${COMMAND} resume ${quoteArgument(path)}`);
    } else {
      const spent = budget === undefined ? '' : ` of ${budgetText(budget)}`;
      view.warn(
        `The budget${spent} is used up, so the run is paused. Everything is kept. Raise the budget to resume it: ${COMMAND} set ${quoteArgument(path)} --budget AMOUNT`,
      );
    }
  };
}

const STANDS = { user: 'paused', budget: 'budget used up' } as const;

/** Shows a workflow's progress every second until the work ends. */
async function watched<Progress, Result>(
  driven: Driven<Progress, unknown>,
  statusOf: (progress: Progress) => Status | Promise<Status>,
  view: ProgressView,
  work: () => Promise<Result>,
): Promise<Result> {
  const show = async () => {
    const progress = await driven.progress();
    if (progress !== undefined) view.update(await statusOf(progress));
  };
  const timer = setInterval(() => void show(), 1_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

function waitingFor(inFlight: number): string {
  if (inFlight === 0) return 'Stopping. No call is in flight.';
  return `Stopping. Waiting for ${counted(inFlight, 'call')} in flight, since ${pluralize(inFlight, 'it is', 'they are')} paid for. Press Ctrl-C again to stop at once.`;
}
