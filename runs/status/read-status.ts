import { ignoreUnavailable } from '../../engine/grpc';
import { readOpenBatches } from '../../data/run/batches';
import { listClosedPersonas } from '../../data/run/artifacts';
import { openEvaluation } from '../../data/run/evaluation-plan';
import { buildModelTable } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import { buildBatchesWorkflowId, buildLimitsWorkflowId } from '../../engine/journal/key';
import { mergeLedgers, computeTotals, type SentLine } from '../../engine/costs/ledger';
import {
  computeCost,
  findOldestPriceDate,
  computeSavings,
  computeSpent,
  type Cost,
  type Savings,
} from '../../engine/costs/prices';
import { computeProjection, projectTrials, type Projection } from '../../engine/costs/projection';
import { countOpenDialogues, type RunAnswers } from '../../engine/costs/run-answers';
import { listTrials } from '../../rules/trials/trials';
import type { Batch } from '../../schemas/run/batch';
import type { Ledger } from '../../schemas/run/ledger';
import { EMBEDDED } from '../../schemas/run/run';
import type { Budget, SpentAmounts, Steering } from '../../schemas/run/steering';
import {
  evaluationProgress,
  modelState,
  progress,
  type EvaluationProgress,
  type ModelState,
  type Pause,
  type RunProgress,
  type WorkerState,
} from '../../workflows/messages';
import { buildStudiesWorkflowId } from '../evaluate/drive';
import { openQuestions, type EngineQuestions } from '../drive/engine-questions';
import { projectPlan } from '../estimate/estimate';
import { readStoredEvaluation, readTrialRows } from '../evaluate/outcomes';
import { countVerification } from '../evaluate/verification';
import type { FoundRun } from '../folder/find-run';
import { readLedgers } from '../estimate/ledgers';
import { AnswersReader } from '../estimate/read-answers';
import type { OpenRun } from '../folder/run-folder';
import { omitUndefined } from '../../schemas/omit-undefined';

export interface RunStatus {
  readonly run: string;
  readonly kind: FoundRun['kind'];
  readonly folder?: string;
  readonly engine: string;
  /**
   * `starting`: a command works in the folder, but its engine does not answer (yet). `stopped`: no process works for it.
   * `unattended`: on a cluster, where no process has answered for it in time. `ended`: without a result, on a cluster.
   */
  readonly state: 'starting' | 'running' | 'paused' | 'stopped' | 'finished' | 'unattended' | 'ended';
  /** The process that drives it, if it is known. */
  readonly driver?: { readonly pid: number; readonly host: string };
  /** Why its engine cannot be asked, and what would help. */
  readonly outOfReach?: string;
  readonly paused?: Pause;
  /** Why nothing further is started: the configuration is invalid. */
  readonly misconfigured?: string;
  readonly work: WorkCounts;
  /** Absent while no process works for it. */
  readonly inFlight?: {
    /** Calls. */
    readonly total: number;
    /** By step; none for a run without its folder. */
    readonly calls: Readonly<Record<string, number>>;
    readonly dialogues?: number;
  };
  /** Calls answered in the last minute. */
  readonly perMinute?: number;
  /** Absent while unknown. */
  readonly ledger?: Ledger;
  /** With the day of the oldest price. */
  readonly cost?: Cost & { readonly pricesCheckedOn?: string; readonly savings: Savings };
  /** `spent` is what was answered; `reserved`, what the calls in flight are expected to take. */
  readonly budget?: Budget & { readonly spent: number; readonly reserved: number; readonly left: number };
  readonly concurrency?: number;
  /** Those that are open: to be sent, or to be waited for. */
  readonly batches: readonly Batch[];
  /** By model; those that the server limits, and those that the engine reports nothing about by their limits only. */
  readonly models: readonly (Pick<ModelState, 'spec' | 'limits'> & Partial<ModelState>)[];
  readonly workers: readonly WorkerState[];
  /** What is left, and the expected totals. */
  readonly projection?: Projection;
}

/** Pieces of work: personas, trials, or studies; what is not known is absent. */
interface WorkCounts {
  readonly of: 'personas' | 'trials' | 'studies';
  readonly all?: number;
  /** Of an evaluation, those that were done by earlier commands too. */
  readonly finished?: number;
  /** Personas that failed; calls of trials and studies that gave nothing usable. */
  readonly failed?: number;
  readonly open?: number;
  /** The data sets are being written. */
  readonly building?: true;
}

/** Finds out the status of a run: asks its engine, and where that is stopped, reads what the folder has. */
export async function readStatus(found: FoundRun): Promise<RunStatus> {
  const live = await askEngine(found).catch((error: unknown) => {
    // It may go away while it is asked.
    ignoreUnavailable(error);
    return 'slow' as const;
  });
  if (typeof live === 'object') return live;
  const { held } = found;
  if (held === undefined) return readUnansweredStatus(found);
  const status = await readStatusFromDisk(found, held);
  const { run, location } = held.folder;
  // Its command has gone, but workers elsewhere may go on, or will once they start: they serve every run of their storage.
  const mayGoOn = live === 'slow' || (live === 'unattended' && location !== undefined);
  const isUnattended = mayGoOn && status.state === 'stopped' && run?.engine !== EMBEDDED;
  return isUnattended ? { ...status, state: 'unattended' } : status;
}

async function askEngine(found: FoundRun): Promise<RunStatus | 'unattended' | undefined> {
  const { id, held, models } = found;
  await using engine = await openQuestions(found.service);
  if (engine === undefined) return undefined;
  const control = await engine.controlOf(id);
  if (typeof control !== 'object') return control;
  const [reported, answers, states, ended] = await Promise.all([
    readWorkFromEngine(engine, found),
    readAnswers(held),
    Promise.all(models.map((spec) => engine.query(buildLimitsWorkflowId(spec), modelState))),
    endOf(engine, found),
  ]);
  const { steering, workers, paused, spent } = control;
  // Without the folder, only sums are known.
  const live =
    held === undefined
      ? undefined
      : await readLedgers(
          held.folder.store,
          workers.map(({ worker }) => worker),
        );
  const ledger = live && mergeLedgers(live.map(({ rows }) => rows));
  const open = live?.flatMap((one) => one.inFlight) ?? [];
  const inFlight = open.filter(({ tier }) => tier !== 'batch');
  const perMinute = workers.reduce((sum, worker) => sum + worker.perMinute, 0);
  const work = reported?.work ?? { of: found.kind === 'synthesis' ? 'personas' : 'trials' };
  const state = describeEnd(ended, held) ?? (paused === undefined ? 'running' : 'paused');
  return {
    ...getPlace(found),
    // What has ended, but is still being driven, is having its results written.
    state: ended !== undefined && held?.holder !== undefined ? 'running' : state,
    ...omitUndefined({ paused, misconfigured: reported?.misconfigured }),
    work,
    inFlight: {
      total: live === undefined ? sumInFlight(workers) : inFlight.length,
      calls: countCallsByStep(inFlight),
      ...(held?.kind === 'synthesis' && answers !== undefined
        ? { dialogues: countOpenDialogues(answers, held.plan.inputs.settings.nSessions) }
        : {}),
    },
    perMinute,
    ...(ledger === undefined
      ? omitUndefined({
          budget: steering.budget && buildBudgetState(steering.budget, spent[steering.budget.unit], 0),
          concurrency: steering.concurrency,
        })
      : computeSpentStatus(ledger, steering, open)),
    batches: await readBatchesOf(held),
    models: models.map((spec, at) => states[at] ?? { spec, limits: steering.limits[spec] ?? {} }),
    workers: workers.map((worker) => ({
      ...worker,
      inFlight: live?.find((one) => one.worker === worker.worker)?.inFlight.length ?? worker.inFlight,
    })),
    ...(ledger === undefined ? {} : projectStatus(held, work, answers, { ledger, steering, perMinute })),
  };
}

async function readBatchesOf(held: OpenRun | undefined): Promise<Batch[]> {
  return held === undefined ? [] : readOpenBatches(held.folder.store);
}

async function readWorkFromEngine(
  engine: EngineQuestions,
  { id, kind }: FoundRun,
): Promise<{ work: WorkCounts; misconfigured?: string } | undefined> {
  if (kind === 'synthesis') {
    const reported = await engine.query(id, progress);
    return (
      reported && omitUndefined({ work: countPersonas(reported), misconfigured: reported.misconfigured })
    );
  }
  // The studies come after the trials, in a workflow of their own.
  const studies =
    (await engine.statusOf(buildStudiesWorkflowId(id))) === 'RUNNING'
      ? await engine.query(buildStudiesWorkflowId(id), evaluationProgress)
      : undefined;
  const reported = studies ?? (await engine.query(id, evaluationProgress));
  return reported && omitUndefined({ work: countTrials(reported), misconfigured: reported.misconfigured });
}

function countPersonas({ personas: all, finished, failed, open, building }: RunProgress): WorkCounts {
  return { of: 'personas', all, finished, failed, open: open.length, ...(building ? { building } : {}) };
}

function countTrials({ phase, total, done, passed, missing, open }: EvaluationProgress): WorkCounts {
  return omitUndefined({ of: phase, all: total, finished: done + passed, failed: missing, open });
}

/** Of a run whose command has gone, workers do what its workflows ask; the data sets and results are the command's to place. */
function describeEnd(
  ended: Awaited<ReturnType<typeof endOf>>,
  held: OpenRun | undefined,
): RunStatus['state'] | undefined {
  const isLeft = ended === 'finished' && held !== undefined && held.folder.run?.state !== 'finished';
  return isLeft ? 'stopped' : ended;
}

/** How the run's workflows have ended; undefined while one is running. */
async function endOf(
  engine: EngineQuestions,
  { id, kind }: FoundRun,
): Promise<'finished' | 'ended' | undefined> {
  // Where its batches failed, it may have been done without them since.
  if ((await engine.statusOf(buildBatchesWorkflowId(id))) === 'RUNNING') return undefined;
  const ids = kind === 'synthesis' ? [id] : [id, buildStudiesWorkflowId(id)];
  const ends = await Promise.all(ids.map((one) => engine.statusOf(one)));
  if (ends.includes('RUNNING')) return undefined;
  // Where only its batches were done, nothing continues it.
  const isDone = ends.includes('COMPLETED') && ends.every((end) => end === 'COMPLETED' || end === undefined);
  return isDone ? 'finished' : 'ended';
}

function countCallsByStep(inFlight: readonly SentLine[]): Record<string, number> {
  const calls: Record<string, number> = {};
  for (const { step } of inFlight) calls[step] = (calls[step] ?? 0) + 1;
  return calls;
}

function sumInFlight(workers: readonly WorkerState[]): number {
  return workers.reduce((sum, { inFlight }) => sum + inFlight, 0);
}

/** On a cluster, without a folder, and no process answers for it: it may have ended. */
async function readUnansweredStatus(found: FoundRun): Promise<RunStatus> {
  return {
    ...getPlace(found),
    state: (await findKnownEnd(found)) ?? 'unattended',
    work: { of: found.kind === 'synthesis' ? 'personas' : 'trials' },
    batches: [],
    models: [],
    workers: [],
  };
}

async function findKnownEnd(found: FoundRun): Promise<'finished' | 'ended' | undefined> {
  await using engine = await openQuestions(found.service);
  try {
    return engine && (await endOf(engine, found));
  } catch {
    return undefined;
  }
}

async function readStatusFromDisk(found: FoundRun, held: OpenRun): Promise<RunStatus> {
  const { store } = held.folder;
  // The calls in flight are up to the command that continues with it.
  const { concurrency: _, ...steering } = await readSteering(store);
  const ledgers = await readLedgers(store, held.holder === undefined ? [] : 'all');
  const ledger = mergeLedgers(ledgers.map(({ rows }) => rows));
  const batched = ledgers.flatMap((one) => one.inFlight).filter(({ tier }) => tier === 'batch');
  const work = await readWork(held);
  const state = stateOf(held, work);
  return {
    ...getPlace(found),
    state,
    ...(steering.paused ? { paused: { by: 'user' } } : {}),
    work,
    ...computeSpentStatus(ledger, steering, batched),
    batches: await readOpenBatches(store),
    models: found.models.map((spec) => ({ spec, limits: steering.limits[spec] ?? {} })),
    workers: [],
    ...(state === 'finished'
      ? {}
      : projectStatus(held, work, await readAnswers(held), { ledger, steering, perMinute: 0 })),
  };
}

async function readWork(held: OpenRun): Promise<WorkCounts> {
  const { store } = held.folder;
  if (held.kind === 'synthesis') {
    const { finished, failed } = await listClosedPersonas(store);
    const { nPersonas } = held.plan.inputs.settings;
    return { of: 'personas', all: nPersonas, finished: finished.length, failed: failed.length };
  }
  const { inputs, index } = await openEvaluation(store);
  if (inputs.verifier !== undefined) {
    return { of: 'studies', ...(await countVerification(await readStoredEvaluation(store))) };
  }
  const all = [...listTrials(inputs, index)].length;
  // Counting them means reading all of them: not while the engine is about to report it.
  if (held.holder !== undefined) return { of: 'trials', all };
  let finished = 0;
  for await (const { results } of readTrialRows(await readStoredEvaluation(store))) {
    if (results.every(({ row }) => row.state !== 'open')) finished += 1;
  }
  return { of: 'trials', all, finished };
}

function stateOf(
  { kind, folder, holder }: OpenRun,
  { all, finished, failed }: WorkCounts,
): RunStatus['state'] {
  if (holder !== undefined) return 'starting';
  if (folder.run?.state !== 'finished') return 'stopped';
  // One that has grown since is not finished any more.
  const closed = (finished ?? 0) + (kind === 'synthesis' ? (failed ?? 0) : 0);
  return closed === all ? 'finished' : 'stopped';
}

function getPlace(
  found: FoundRun,
): Pick<RunStatus, 'run' | 'kind' | 'folder' | 'engine' | 'driver' | 'outOfReach'> {
  const { id, kind, held, engine, outOfReach } = found;
  const holder = held?.holder;
  return omitUndefined({
    run: id,
    kind,
    folder: held?.folder.path,
    engine,
    driver: holder && { pid: holder.pid, host: holder.host },
    outOfReach,
  });
}

function computeSpentStatus(
  ledger: Ledger,
  steering: Steering,
  inFlight: readonly SentLine[] = [],
): Pick<RunStatus, 'ledger' | 'cost' | 'budget' | 'concurrency'> {
  const { budget, concurrency } = steering;
  const table = buildModelTable(steering);
  const specs = ledger.map(({ spec }) => spec);
  const inUnit = (amounts: SpentAmounts) => (budget === undefined ? 0 : amounts[budget.unit]);
  const spent = inUnit(computeSpent(ledger, table));
  const reserved = inUnit(computeSpent([], table, inFlight));
  return omitUndefined({
    ledger,
    cost: omitUndefined({
      ...computeCost(ledger, table),
      pricesCheckedOn: findOldestPriceDate(specs, table),
      savings: computeSavings(ledger, table),
    }),
    budget: budget && buildBudgetState(budget, spent, reserved),
    concurrency,
  });
}

function buildBudgetState(budget: Budget, spent: number, reserved: number): NonNullable<RunStatus['budget']> {
  return { ...budget, spent, reserved, left: Math.max(0, budget.cap - spent - reserved) };
}

/** What a synthesis run was answered so far, by its folder. */
async function readAnswers(held: OpenRun | undefined): Promise<RunAnswers | undefined> {
  if (held?.kind !== 'synthesis') return undefined;
  return new AnswersReader(held.plan.inputs, held.folder.store).read();
}

/** A synthesis run is projected from its folder, call by call; trials are all alike. */
function projectStatus(
  held: OpenRun | undefined,
  { of, all, finished = 0, open = 0 }: WorkCounts,
  answers: RunAnswers | undefined,
  {
    ledger,
    steering,
    perMinute,
  }: { readonly ledger: Ledger; readonly steering: Steering; readonly perMinute: number },
): { projection?: Projection } {
  const table = buildModelTable(steering);
  const taken = { calls: computeTotals(ledger).calls, usd: computeCost(ledger, table).usd, perMinute };
  if (held?.kind === 'synthesis' && answers !== undefined) {
    const left = projectPlan(held.plan, answers, ledger, steering).left.likely;
    return left.calls === 0 ? {} : { projection: computeProjection(taken, left) };
  }
  // What studies take is nothing like what the trials before them took.
  if (all === undefined || of !== 'trials' || finished >= all) return {};
  // A check is made once, however many trials there are.
  const trials = ledger.filter(({ step }) => step !== 'check');
  const projection = projectTrials(
    { all, done: finished, open },
    { calls: computeTotals(trials).calls, usd: computeCost(trials, table).usd, perMinute },
  );
  return projection === undefined ? {} : { projection };
}
