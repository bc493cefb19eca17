import { buildModelTable } from '../../data/model-table';
import { computeTotals } from '../../engine/costs/ledger';
import {
  computeCost,
  findOldestPriceDate,
  computeSavings,
  computeSpent,
  type Cost,
  type Savings,
} from '../../engine/costs/prices';
import {
  computeProjection,
  computeTrialUsage,
  projectCalls,
  projectTrials,
  type Projection,
} from '../../engine/costs/projection';
import { hasDialogues, type RunAnswers } from '../../engine/costs/run-answers';
import type { SlowCalls } from '../../engine/costs/answer-times';
import { computeCallsPerTrial } from '../../rules/method/trial';
import type { Batch } from '../../schemas/run/batch';
import type { Ledger, SentLine } from '../../schemas/run/ledger';
import type { Budget, SpentAmounts, Steering } from '../../schemas/run/steering';
import type { ModelState, Pause, WorkerState } from '../../workflows/messages';
import type { LockHolder } from '../../data/store/lock';
import { projectPlan } from '../synthesize/estimate';
import type { FoundRun } from '../folder/find-run';
import { AnswersReader } from '../synthesize/read-answers';
import type { OpenRun } from '../folder/run-folder';
import { omitUndefined } from '../../schemas/omit-undefined';

export interface RunStatus {
  readonly run: string;
  readonly kind: FoundRun['kind'];
  readonly folder?: string;
  readonly engine: string;
  /**
   * `starting`: a command works in the folder, but its engine does not answer (yet). `stopped`: no process works for
   * it. `unattended`: on a cluster, where no process has answered for it in time. `ended`: without a result, on a
   * cluster.
   */
  readonly state: 'starting' | 'running' | 'paused' | 'stopped' | 'finished' | 'unattended' | 'ended';
  /** Process that uses its folder, if known. */
  readonly driver?: Omit<LockHolder, 'since'>;
  /** Why its engine cannot be reached, and the remedy. */
  readonly engineProblem?: string;
  readonly pause?: Pause;
  /** Why nothing further is started: the configuration is invalid. */
  readonly misconfiguration?: string;
  readonly work: WorkCounts;
  /** Absent while no process works for it. */
  readonly inFlight?: {
    /** Number of calls. */
    readonly total: number;
    /** Calls by step; empty for a run without its folder. */
    readonly calls: Readonly<Record<string, number>>;
    readonly dialogues?: number;
  };
  /** Calls that have waited much longer than all others of their step; absent while unknown. */
  readonly slowCalls?: readonly SlowCalls[];
  /** Calls answered per minute, over the last minute without pauses; absent while no call is sent, or that is not known yet. */
  readonly perMinute?: number;
  /** Absent while unknown. */
  readonly ledger?: Ledger;
  /** Cost, with the day of the oldest price. */
  readonly cost?: Cost & { readonly pricesCheckedOn?: string; readonly savings: Savings };
  /** `spent` is the cost of answers; `reserved`, the expected cost of calls in flight. */
  readonly budget?: Budget & {
    readonly spent: number;
    readonly reserved: number;
    readonly remaining: number;
  };
  readonly concurrency?: number;
  /** Open batches, which wait to be sent or answered. */
  readonly batches: readonly Batch[];
  /** State by model. Models without a report of the engine have only limits. */
  readonly models: readonly (Pick<ModelState, 'spec' | 'limits'> & Partial<ModelState>)[];
  readonly workers: readonly WorkerState[];
  /** Remaining work, and the expected totals. */
  readonly projection?: Projection;
}

/** Work items: personas, trials, or studies; unknown numbers are absent. */
export interface WorkCounts {
  readonly unit: 'personas' | 'trials' | 'studies';
  readonly all?: number;
  /** Includes those that earlier commands of an evaluation finished. */
  readonly finished?: number;
  /** Personas that failed; calls of trials and studies without a usable answer. */
  readonly failed?: number;
  readonly open?: number;
  /** Open instances of an evaluation in cells that its last command did not name, a text for each cell. */
  readonly unnamed?: readonly string[];
  /** Calls that the open trials need; absent while the engine counts these. */
  readonly callsLeft?: number;
  /** True while the data sets are being written. */
  readonly building?: true;
}

export function getRunPlace(
  run: FoundRun,
): Pick<RunStatus, 'run' | 'kind' | 'folder' | 'engine' | 'driver' | 'engineProblem'> {
  const { id, kind, held, engine, outOfReach } = run;
  const holder = held?.holder;
  return omitUndefined({
    run: id,
    kind,
    folder: held?.folder.path,
    engine,
    driver: holder && omitUndefined({ pid: holder.pid, host: holder.host, command: holder.command }),
    engineProblem: outOfReach,
  });
}

export function computeSpentStatus(
  ledger: Ledger,
  steering: Steering,
  inFlight: readonly SentLine[],
): Pick<RunStatus, 'ledger' | 'cost' | 'budget' | 'concurrency'> {
  const { budget, concurrency } = steering;
  const table = buildModelTable(steering);
  const specs = ledger.map(({ spec }) => spec);
  const inUnit = (amounts: SpentAmounts) => (budget === undefined ? 0 : amounts[budget.unit]);
  const spentAmount = inUnit(computeSpent(ledger, table));
  const reserved = inUnit(computeSpent([], table, inFlight));
  return omitUndefined({
    ledger,
    cost: omitUndefined({
      ...computeCost(ledger, table),
      pricesCheckedOn: findOldestPriceDate(specs, table),
      savings: computeSavings(ledger, table),
    }),
    budget: budget && buildBudgetState(budget, spentAmount, reserved),
    concurrency,
  });
}

export function buildBudgetState(
  budget: Budget,
  spentAmount: number,
  reserved: number,
): NonNullable<RunStatus['budget']> {
  return {
    ...budget,
    spent: spentAmount,
    reserved,
    remaining: Math.max(0, budget.cap - spentAmount - reserved),
  };
}

/** Reads the answers of a synthesis run so far from its folder. */
export async function readAnswers(openRun: OpenRun | undefined): Promise<RunAnswers | undefined> {
  if (openRun?.kind !== 'synthesis') return undefined;
  return new AnswersReader(openRun.plan.inputs, openRun.folder.store).read();
}

/** Projects the status to the end: a synthesis run from its folder, call by call; an evaluation by its trials. */
export function projectStatus(
  openRun: OpenRun | undefined,
  { unit, all, finished = 0, open = 0, callsLeft }: WorkCounts,
  answers: RunAnswers | undefined,
  {
    ledger,
    steering,
    perMinute,
  }: { readonly ledger: Ledger; readonly steering: Steering; readonly perMinute?: number | undefined },
): { projection?: Projection } {
  const table = buildModelTable(steering);
  const usage = { calls: computeTotals(ledger).calls, usd: computeCost(ledger, table).usd, perMinute };
  if (openRun?.kind === 'synthesis' && answers !== undefined) {
    const left = projectPlan(openRun.plan, answers, ledger, steering).remaining.likely;
    if (left.calls === 0) return {};
    // The pace of planning says nothing about that of the dialogues, of which more are made at once.
    const pace = hasDialogues(answers) ? perMinute : undefined;
    return { projection: computeProjection({ ...usage, perMinute: pace }, left) };
  }
  // The time of trials says nothing about that of the following studies.
  if (openRun?.kind !== 'evaluation' || all === undefined || unit !== 'trials' || finished >= all) return {};
  const trialUsage = { ...computeTrialUsage(ledger, table), perMinute };
  const { inputs } = openRun.plan;
  // The engine counts the trials of the last command.
  const { cells = inputs.cells } = openRun.folder.run?.todo ?? {};
  const projection =
    callsLeft === undefined
      ? projectTrials(
          { all, done: finished, open, callsEach: computeCallsPerTrial({ ...inputs, cells }) },
          trialUsage,
        )
      : projectCalls(callsLeft, trialUsage);
  return projection === undefined ? {} : { projection };
}
