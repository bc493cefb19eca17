import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { classifyGrpcError, ignoreUnavailable } from '../../engine/grpc';
import { findPauseAtRest, applySteeringAtRest } from '../control/at-rest';
import { buildModelTable } from '../../data/model-table';
import { writeSteering, readSteering } from '../../data/run/steering';
import { buildBatchesWorkflowId, buildControlWorkflowId } from '../../engine/journal/key';
import { mergeWorkerLedgers } from '../../engine/costs/ledger';
import { computeSpent } from '../../engine/costs/prices';
import {
  findPriceRefusal,
  findSpentRefusal,
  applySteering,
  type SteeringRequest,
} from '../../engine/limits/steering';
import type { Ledger } from '../../schemas/run/ledger';
import type { SpentAmounts, Steering } from '../../schemas/run/steering';
import { setWindow, steer, steerLater, type ControlState, type Pause } from '../../workflows/messages';
import { buildStudiesWorkflowId, computeTrialWindow as windowOfTrials } from '../evaluate/drive';
import { computePersonaWindow as windowOfPersonas } from '../synthesize/drive';
import { endWorkflows } from '../drive/drive';
import { openQuestions, type EngineQuestions } from '../drive/engine-questions';
import type { FoundRun } from '../folder/find-run';
import { ignoreNotFound } from '../../workers/server/connection';
import { readLedger, readLedgers } from '../estimate/ledgers';
import { readCopyMark } from '../folder/copy-mark';
import { findOpenRun, isOpenOnCluster, type OpenRun } from '../folder/run-folder';
import { describeServer, lockRunFolder } from '../folder/run-lock';
import { InputError } from '../../schemas/input-error';
import { quotePath } from '../../schemas/text/shell-text';

/** Steering of a run, with its effects. */
export interface AppliedSteering {
  readonly steering: Steering;
  /** Reason why it is paused, or will be when it continues. */
  readonly paused?: Pause;
  /** Calls in flight over all workers; absent while no process works for it. */
  readonly concurrency?: number;
  /** Amount spent, in the unit of the budget. */
  readonly spent?: number;
}

export interface SteeringChange {
  readonly run: FoundRun;
  /** `applied`: the run applied it. `kept`: no process works for the run, so it applies when the run continues. */
  readonly how: 'applied' | 'kept';
  readonly wanted: SteeringRequest;
  readonly before: AppliedSteering;
  /** Absent if the run already was paused, or running, as requested. */
  readonly now?: AppliedSteering;
}

/**
 * Changes the steering of a run: sends the change to the run or, if no process works for it, stores it for its continuation.
 * @param find looks for the run, again while it is just starting
 * @throws InputError if the change is impossible, Error if the run does not respond
 */
export async function steerRun(
  find: () => Promise<FoundRun>,
  wantedOf: (run: FoundRun) => Promise<SteeringRequest>,
  report: MessageReporter,
): Promise<SteeringChange> {
  return untilAnswered(find, report, async (run) => {
    const request = await wantedOf(run);
    const applied = await applyLive(run, request);
    if (applied !== undefined) return { run, how: 'applied', wanted: request, ...applied };
    const { held } = run;
    if (held === undefined) throw createUnresponsiveError(run);
    if (held.holder !== undefined) return undefined;
    return { run, how: 'kept', wanted: request, ...(await keepChange(run, held, request)) };
  });
}

/**
 * Tries until a process answers for the run, because its engine may be starting, or a server be away for a moment.
 * @throws Error after a long time without an answer
 */
async function untilAnswered<T>(
  find: () => Promise<FoundRun>,
  report: MessageReporter,
  ask: (run: FoundRun) => Promise<T | undefined>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const run = await find();
    await requireOriginal(run);
    const answer = await ask(run).catch(ignoreUnavailable);
    if (answer !== undefined) return answer;
    const isServer = run.held?.holder?.command === 'server';
    if (isServer || run.outOfReach !== undefined || tries === TRIES) throw createUnresponsiveError(run);
    if (tries === 1) report('The run has not responded yet. Trying again.');
    await wait(2_000);
  }
}

const TRIES = 5;

/** @throws InputError for a copy of a run in progress, which nothing continues */
async function requireOriginal({ id, name, held }: FoundRun): Promise<void> {
  const original = held && (await readCopyMark(held.folder.path));
  if (original === undefined) return;
  throw new InputError(
    `${name} is a copy of the run at ${original}, made while it was in progress. Name the run's own folder, or its id on its cluster: ${id}.`,
  );
}

/** Function that shows the user a message while waiting for the run. */
type MessageReporter = (message: string) => void;

type BeforeAndNow = Pick<SteeringChange, 'before' | 'now'>;

/** Returns undefined if no process works for the run, or the last one has just stopped. */
async function applyLive(run: FoundRun, request: SteeringRequest): Promise<BeforeAndNow | undefined> {
  await using engine = await openQuestions(run.service);
  const state = await engine?.controlOf(run.id);
  if (engine === undefined || typeof state !== 'object') return undefined;
  const next = applySteering(state.steering, request);
  const spentAmounts = await computeSpentNow(run, state, next);
  const before = buildLiveSteering({ ...state, spent: spentAmounts });
  if (isPauseUnchanged(before, request)) return { before };
  const refusal =
    findPriceRefusal(next, run.models, buildModelTable(next)) ?? findSpentRefusal(request, spentAmounts);
  if (refusal !== undefined) throw new InputError(refusal);
  try {
    const handle = engine.client.workflow.getHandle(buildControlWorkflowId(run.id));
    const updateId = randomUUID();
    const answered = await engine.within(UPDATE_PATIENCE, () =>
      untilTaken(() => handle.executeUpdate(steer, { args: [request], updateId })),
    );
    if (request.concurrency !== undefined) await widen(engine, run, request.concurrency);
    return { before, now: buildLiveSteering({ ...answered, spent: spentAmounts }) };
  } catch (error) {
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
      throw new Error(
        `The change was sent to the run, which has not confirmed it. Check with cupid status ${quotePath(run.name)} whether it applies.`,
        { cause: error },
      );
    }
    // The run has just ended.
    if (error instanceof WorkflowNotFoundError) return undefined;
    if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
      if (error.cause.type === 'AcceptedUpdateCompletedWorkflow') return undefined;
      throw new InputError(error.cause.message, { cause: error });
    }
    throw error;
  }
}

/** Computes the spending until now: workers report it only every few seconds, but the ledger in the folder is up to date. */
async function computeSpentNow(
  { held }: FoundRun,
  { spent, workers }: ControlState,
  steering: Steering,
): Promise<SpentAmounts> {
  if (held === undefined) return spent;
  const living = workers.map(({ worker }) => worker);
  const ledgers = await readLedgers(held.folder.store, living);
  const ledger = mergeWorkerLedgers(ledgers);
  return computeSpent(
    ledger,
    buildModelTable(steering),
    ledgers.flatMap(({ inFlight }) => inFlight),
  );
}

function buildLiveSteering({ steering, workers, pause, spent }: ControlState): AppliedSteering {
  const { budget } = steering;
  const total = workers.reduce((all, { concurrency }) => all + concurrency, 0);
  return {
    steering,
    ...(pause === undefined ? {} : { paused: pause }),
    ...(workers.length === 0 ? {} : { concurrency: steering.concurrency ?? total }),
    ...(budget === undefined ? {} : { spent: spent[budget.unit] }),
  };
}

/** Returns true if the request is only to pause or to resume, and the run already is paused or running. */
function isPauseUnchanged(
  { paused: pause }: AppliedSteering,
  { paused, ...otherChanges }: SteeringRequest,
): boolean {
  if (paused === undefined || Object.keys(otherChanges).length > 0) return false;
  return paused ? pause?.by === 'user' : pause === undefined;
}

/** Milliseconds. The control answers once the change is stored. */
const UPDATE_PATIENCE = 30_000;

/** Repeats the update if the workflow had too many at that moment, or the server was unavailable. */
async function untilTaken<T>(say: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await say();
    } catch (error) {
      if (
        error instanceof WorkflowUpdateRPCTimeoutOrCancelledError ||
        classifyGrpcError(error) !== 'unavailable'
      )
        throw error;
      await wait(500);
    }
  }
}

/** Opens as many work items as this many calls in flight need. */
async function widen(engine: EngineQuestions, run: FoundRun, concurrency: number): Promise<void> {
  const window = run.kind === 'synthesis' ? windowOfPersonas(concurrency) : windowOfTrials(concurrency);
  for (const id of listWorkflows(run)) {
    await engine.client.workflow.getHandle(id).signal(setWindow, window).catch(ignoreNotFound);
  }
}

/** Lists the workflows that do the run's work: an evaluation's studies come after its trials. */
function listWorkflows({ id, kind }: FoundRun): string[] {
  return [buildBatchesWorkflowId(id), ...(kind === 'synthesis' ? [id] : [id, buildStudiesWorkflowId(id)])];
}

/** Stores a change for the run's continuation. */
async function keepChange(
  run: FoundRun,
  { folder }: OpenRun,
  request: SteeringRequest,
): Promise<BeforeAndNow> {
  if (request.concurrency !== undefined) {
    throw new Error(
      'No command is running the run, so its concurrency could not be changed. Give --concurrency to the command that continues it.',
    );
  }
  await using _lock = await lockRunFolder(folder);
  const steering = await readSteering(folder.store);
  const ledger = await readLedger(folder.store);
  const before = buildRestingSteering(steering, ledger);
  if (isPauseUnchanged(before, request)) return { before };
  const now = applySteeringAtRest(steering, request, { models: run.models, ledger });
  await signalControl(run, request);
  await writeSteering(folder.store, now);
  return { before, now: buildRestingSteering(now, ledger) };
}

/**
 * Signals the change to the run's control workflow, because a worker that continues the run takes its steering from there and not from the
 * store.
 */
async function signalControl(run: FoundRun, request: SteeringRequest): Promise<void> {
  await using engine = await openEngine(run);
  if (engine === undefined) return;
  const control = engine.client.workflow.getHandle(buildControlWorkflowId(run.id));
  await engine.within(SIGNAL_PATIENCE, () => control.signal(steerLater, request)).catch(ignoreNotFound);
}

/**
 * Asks the engine of a run; undefined where it is stopped.
 * @throws Error when the engine does not answer, but may continue the run without a command
 */
async function openEngine(foundRun: FoundRun): Promise<EngineQuestions | undefined> {
  const engine = await openQuestions(foundRun.service);
  const { run, location } = foundRun.held?.folder ?? {};
  if (engine === undefined && location !== undefined && isOpenOnCluster(run))
    throw createUnresponsiveError(foundRun);
  return engine;
}

/** Milliseconds. */
const SIGNAL_PATIENCE = 10_000;

function buildRestingSteering(steering: Steering, ledger: Ledger): AppliedSteering {
  const { budget } = steering;
  const spentField =
    budget === undefined ? {} : { spent: computeSpent(ledger, buildModelTable(steering))[budget.unit] };
  return { steering, ...findPauseAtRest(steering, ledger), ...spentField };
}

function createUnresponsiveError({ name, held, engine, outOfReach }: FoundRun): Error {
  if (held === undefined) {
    return new Error(
      `No worker is running ${name} on the ${engine}, so the change could not be applied. Name its folder, on the machine that has it.`,
    );
  }
  if (held.holder === undefined) {
    return new Error(
      `Workers may be running ${name}, but none responds. ${outOfReach ?? 'Run this command again in a moment.'}`,
    );
  }
  const { pid, host, command } = held.holder;
  if (command === 'server')
    return new Error(`Process ${pid} on ${host} is using ${name}. ${describeServer(held.holder)}`);
  return new Error(
    `Process ${pid} on ${host} is using ${name}, but the run does not respond. ${outOfReach ?? 'Run this command again once the run has started.'}`,
  );
}

/**
 * Cancels a run and waits until it has ended; all answers are kept. `idle`: it was not running.
 * @param find looks for the run, again while it is just starting
 * @throws Error when it may be running, but does not answer
 */
export async function cancelRun(
  find: () => Promise<FoundRun>,
  report: MessageReporter,
): Promise<{ readonly run: FoundRun; readonly how: 'cancelled' | 'idle' }> {
  return untilAnswered(find, report, async (run) => {
    const how = await cancel(run);
    return how && { run, how };
  });
}

/** Returns undefined if it may be running, but no process answers for it. */
async function cancel(run: FoundRun): Promise<'cancelled' | 'idle' | undefined> {
  await using engine = await openEngine(run);
  const control = await engine?.controlOf(run.id);
  const hasWorkers = typeof control === 'object';
  if (!hasWorkers && run.held?.holder !== undefined) return undefined;
  if (engine === undefined || run.service === undefined) return 'idle';
  const running: string[] = [];
  for (const id of listWorkflows(run)) if ((await engine.statusOf(id)) === 'RUNNING') running.push(id);
  if (running.length === 0) return 'idle';
  if (!hasWorkers) {
    // A request to cancel would stay, and end the run as soon as it continues.
    await endWorkflows(run.service, run.id);
    return 'cancelled';
  }
  for (const id of running) await engine.client.workflow.getHandle(id).cancel();
  for (const id of running) await untilEnded(engine, run, id);
  return 'cancelled';
}

async function untilEnded(engine: EngineQuestions, run: FoundRun, id: string): Promise<void> {
  for (;;) {
    try {
      if ((await engine.statusOf(id)) !== 'RUNNING') return;
    } catch (error) {
      // An embedded engine ends with its run.
      if (run.held === undefined) throw error;
      if ((await findOpenRun(run.name))?.holder === undefined) return;
    }
    await wait(500);
  }
}
