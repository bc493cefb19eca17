import { buildModelTable } from '../../data/model-table';
import { computeTotals, type SentLine } from '../../engine/costs/ledger';
import {
  computeCost,
  findOldestPriceDate,
  computeSavings,
  computeSpent,
  type Cost,
  type Savings,
} from '../../engine/costs/prices';
import { computeProjection, projectTrials, type Projection } from '../../engine/costs/projection';
import type { RunAnswers } from '../../engine/costs/run-answers';
import type { Batch } from '../../schemas/run/batch';
import type { Ledger } from '../../schemas/run/ledger';
import type { Budget, SpentAmounts, Steering } from '../../schemas/run/steering';
import type { ModelState, Pause, WorkerState } from '../../workflows/messages';
import { projectPlan } from '../estimate/estimate';
import type { FoundRun } from '../folder/find-run';
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
export interface WorkCounts {
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

export function getPlace(
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

export function computeSpentStatus(
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

export function buildBudgetState(
  budget: Budget,
  spent: number,
  reserved: number,
): NonNullable<RunStatus['budget']> {
  return { ...budget, spent, reserved, left: Math.max(0, budget.cap - spent - reserved) };
}

/** What a synthesis run was answered so far, by its folder. */
export async function readAnswers(held: OpenRun | undefined): Promise<RunAnswers | undefined> {
  if (held?.kind !== 'synthesis') return undefined;
  return new AnswersReader(held.plan.inputs, held.folder.store).read();
}

/** Returns a synthesis run is projected from its folder, call by call; trials are all alike. */
export function projectStatus(
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
