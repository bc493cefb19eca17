import {
  allHandlersFinished,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { comesAgainIn, waitsForNews } from '../rules/attendance';
import { limitsWorkflowId } from '../rules/journal-key';
import { enlarged, evenly, returned, unleased, type Lease } from '../rules/leases';
import { mergeLedgers } from '../rules/ledger';
import { spentOf } from '../rules/prices';
import { refusal, steered } from '../rules/steering';
import type { Ledger } from '../schemas/ledger';
import type { ModelTable } from '../schemas/model-table';
import type { Budget, Steering } from '../schemas/steering';
import {
  attend,
  controlState,
  endControl,
  setLimits,
  steer,
  type Attendance,
  type ControlState,
  type Orders,
  type Pause,
} from './messages';
import { controlling } from './options';

export interface ControlInput {
  readonly run: string;
  /** The SPECs of the models that the run asks. */
  readonly models: readonly string[];
  readonly steering: Steering;
  /** Gone by where the user gave no table. */
  /** The built-in entries of the model table for the run's models. */
  readonly builtInTable: ModelTable;
  /** By worker: what went through those that worked for the run before. */
  readonly ledgers: Readonly<Record<string, Ledger>>;
  readonly soFar?: SoFar;
}

interface SoFar {
  readonly version: number;
  readonly used: boolean;
  readonly workers: readonly Member[];
}

/** What a worker told last, with the ledger that it told last. */
type Told = Attendance & { readonly ledger: Ledger };

/** A worker at work. */
interface Member extends Lease {
  readonly told: Told;
  /** Its last report that came with a ledger: what is shown of it is of one moment. */
  readonly complete: Told;
  readonly seen: number;
}

function latestReport({ told }: Member): Told {
  return told;
}

/** What is shown together must be of one moment. */
function completeReport({ complete }: Member): Told {
  return complete;
}

/**
 * Steers a run: keeps its pauses, its budget and its concurrency, and tells them to the workers, which tell it what they have
 * spent. It holds nothing that cannot be read again: how the run is steered is kept in the store, what it spent in the ledger.
 * Ends when it is told that the run has ended.
 */
export async function control(input: ControlInput): Promise<void> {
  const { run, models, builtInTable } = input;
  let { steering } = input;
  let version = input.soFar?.version ?? 1;
  const workers = new Map((input.soFar?.workers ?? []).map((member) => [member.told.worker, member]));
  const gone = new Map(Object.entries(input.ledgers));
  /** True once somebody wanted more than the budget has left. */
  let used = input.soFar?.used ?? false;
  let leaving = false;
  let over = false;
  let kept: Promise<void> = Promise.resolve();

  // Workers that come and go without a call are not carried along for days.
  const settle = (worker: string, rows: Ledger) => {
    if (rows.length > 0) gone.set(worker, rows);
  };
  const table = ({ modelTable = [] }: Pick<Steering, 'modelTable'> = steering): ModelTable => [
    ...builtInTable,
    ...modelTable,
  ];
  const settled = (budget: Budget) =>
    [...gone.values()].reduce((sum, rows) => sum + spentOf(rows, budget.unit, table()), 0);
  // What a worker tells is in the unit that it was told last, and does not know of a budget that was just set.
  const spentBy = ({ unit, spent, ledger }: Told, budget: Budget) => {
    const answered = spentOf(ledger, budget.unit, table());
    return unit === budget.unit ? Math.max(spent, answered) : answered;
  };
  const spent = (budget: Budget, report = latestReport) =>
    [...workers.values()].reduce((sum, member) => sum + spentBy(report(member), budget), settled(budget));
  const pause = (report = latestReport): Pause | undefined => {
    if (steering.paused) return { by: 'user' };
    const { budget } = steering;
    return budget !== undefined && used
      ? { by: 'budget', spent: spent(budget, report), cap: budget.cap }
      : undefined;
  };
  const state = (): ControlState => {
    const { budget } = steering;
    const paused = pause(completeReport);
    return {
      ...(paused === undefined ? {} : { paused }),
      steering,
      ...(budget === undefined ? {} : { spent: spent(budget, completeReport) }),
      ledger: mergeLedgers([
        ...gone.values(),
        ...[...workers.values()].map(({ complete }) => complete.ledger),
      ]),
      workers: [...workers.values()].map(({ complete: { worker, inFlight, perMinute, concurrency } }) => ({
        worker,
        inFlight,
        perMinute,
        concurrency,
      })),
    };
  };
  const ordersFor = ({ worker, known, informed, concurrency: own }: Attendance): Orders => {
    const paused = pause();
    const shared =
      steering.concurrency === undefined ? undefined : evenly(steering.concurrency, [...workers.keys()]);
    const granted = workers.get(worker)?.granted ?? 0;
    return {
      instance: workflowInfo().firstExecutionRunId,
      version,
      ...(paused === undefined ? {} : { paused }),
      concurrency: shared?.get(worker) ?? own,
      ...(steering.budget === undefined ? {} : { budget: steering.budget, granted }),
      ...(steering.tiers === undefined ? {} : { tiers: steering.tiers }),
      ...(steering.tierFallbackMs === undefined ? {} : { tierFallbackMs: steering.tierFallbackMs }),
      every: comesAgainIn(workers.size),
      ...(known === version || (known === 0 && informed === true) ? {} : { modelTable: table() }),
    };
  };
  const lease = (member: Member): Member => {
    const { budget } = steering;
    const { wants } = member.told;
    if (budget === undefined) return member;
    // What a worker that stands still has left is anybody's.
    if (pause() !== undefined) return { ...member, ...returned(member) };
    if (wants <= 0) return member;
    const left = unleased(budget.cap, settled(budget), workers.values());
    if (left <= budget.cap * DUST) {
      used = true;
      version += 1;
      return member;
    }
    return { ...member, ...enlarged(member, budget.cap, left) };
  };

  // Calls in flight are counted at what they are expected to take: once they are answered, there may be something left.
  const goOnIfLeft = () => {
    const { budget } = steering;
    if (!used || budget === undefined) return;
    const inFlight = [...workers.values()].some(({ told }) => Object.keys(told.inFlight).length > 0);
    if (inFlight || unleased(budget.cap, settled(budget), workers.values()) < leastWorthGoingOn(budget))
      return;
    used = false;
    version += 1;
  };

  setHandler(controlState, state);
  setHandler(endControl, () => void (over = true));
  setHandler(attend, async (telling) => {
    const { worker } = telling;
    const isNew = !workers.has(worker);
    const before = workers.get(worker);
    const ledger = telling.ledger ?? before?.told.ledger ?? gone.get(worker) ?? [];
    const told: Told = { ...telling, ledger };
    gone.delete(worker);
    const member: Member = {
      granted: before?.granted ?? 0,
      spent: steering.budget === undefined ? 0 : spentBy(told, steering.budget),
      told,
      complete: telling.ledger === undefined ? (before?.complete ?? told) : told,
      seen: Date.now(),
    };
    workers.set(worker, member);
    if (isNew && steering.concurrency !== undefined) version += 1;
    if (told.leaving === true) {
      workers.delete(worker);
      settle(worker, told.ledger);
      version += 1;
      return ordersFor(told);
    }
    workers.set(worker, lease(member));
    goOnIfLeft();
    if (waitsForNews(workers.size)) {
      await condition(() => version !== told.known || told.wants > 0 || leaving, ATTENDANCE);
    }
    return ordersFor(told);
  });
  setHandler(
    steer,
    async (change) => {
      const { unit } = steering.budget ?? {};
      steering = steered(steering, change);
      const { budget } = steering;
      if (budget !== undefined && budget.unit !== unit) {
        // Leases of another unit mean nothing now.
        for (const [name, member] of workers) {
          const already = spentBy(member.told, budget);
          workers.set(name, { ...member, spent: already, granted: already });
        }
      }
      used = false;
      version += 1;
      // One after the other: what is steered last is to be what is kept.
      kept = kept.then(() => controlling.keepSteering({ run, steering }));
      await kept;
      for (const [spec, limits] of Object.entries(change.limits ?? {})) {
        await getExternalWorkflowHandle(limitsWorkflowId(spec)).signal(setLimits, limits);
      }
      return state();
    },
    {
      validator: (change) => {
        const outOfBudget = pause()?.by === 'budget';
        const now = {
          steering,
          outOfBudget,
          models,
          changedTable: table({ ...steering, ...change }),
          spent: (of: Budget) => spent(of),
          workers: workers.size,
        };
        const why = refusal(change, now);
        if (why !== undefined) throw new Error(why);
      },
    },
  );

  for (;;) {
    for (const [worker, { seen }] of workers) {
      if (Date.now() - seen <= WORKER_GONE) continue;
      const living = [...workers.keys()].filter((name) => name !== worker);
      const rows = await controlling.settleWorker({ run, worker, living });
      // It may have told something after all.
      if (Date.now() - (workers.get(worker)?.seen ?? 0) <= WORKER_GONE) continue;
      workers.delete(worker);
      settle(worker, rows);
      version += 1;
    }
    if (outgrown()) {
      leaving = true;
      await condition(allHandlersFinished);
      await continueAsNew<typeof control>({
        ...input,
        steering,
        ledgers: Object.fromEntries(gone),
        soFar: { version, used, workers: [...workers.values()] },
      });
    }
    if (workers.size === 0) await condition(() => workers.size > 0 || outgrown() || over);
    else await condition(() => outgrown() || over, WORKER_GONE);
    if (over) break;
  }
  leaving = true;
  await condition(allHandlersFinished);
}

function outgrown(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/** Less of a budget than this is left by sums of fractions only. */
const DUST = 1e-9;

/** Less than this is not worth lifting a pause for. */
function leastWorthGoingOn({ cap }: Budget): number {
  return cap * 0.005;
}

/** How long an attendance is kept waiting for something new before it is answered all the same. */
const ATTENDANCE = '10 seconds';

/** A worker that has not told anything for so many milliseconds is gone. */
const WORKER_GONE = 30_000;
