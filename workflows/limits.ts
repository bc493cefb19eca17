import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { comesAgainIn, waitsForNews } from '../rules/attendance';
import {
  isHeld,
  isJustLimited,
  lastMinute,
  rateOf,
  ratesOf,
  runsOf,
  unused,
  WORKER_GONE,
  withoutWorkers,
  withShares,
  withTold,
  type ModelUse,
} from '../rules/model-limits';
import type { ModelLimits } from '../schemas/steering';
import { attendModel, modelState, setLimits, type ModelOrders } from './messages';
import { limiting } from './options';

export interface LimitsInput {
  readonly spec: string;
  readonly limits: ModelLimits;
  readonly soFar?: SoFar;
}

interface SoFar {
  readonly use: ModelUse;
  readonly version: number;
  readonly applied: readonly Applied[];
  readonly sharedAt: readonly (readonly [worker: string, version: number])[];
}

/** The rate that the server was told for a run's queue; null for none. */
type Applied = readonly [run: string, rate: number | null];

/**
 * Keeps the limits of one model, over all workers of all runs that ask it: sets the rates at which the server hands its calls out,
 * divides the calls in flight, and holds all of it back while the provider asks for that or is down (decision 18). Ends a while
 * after the last worker has left; whoever attends starts it again.
 */
export async function limits(input: LimitsInput): Promise<void> {
  const { spec, soFar } = input;
  let use = soFar?.use ?? unused(input.limits);
  let version = soFar?.version ?? 1;
  const applied = new Map(soFar?.applied);
  /** The version since when a worker goes by its share. */
  const sharedAt = new Map(soFar?.sharedAt);
  let changed = true;
  let leaving = false;

  const members = () => Object.keys(use.workers).length;
  const busy = () => {
    const { tokensPerMinute, inFlight } = use.limits;
    const shared = rateOf(use, Date.now()) !== undefined && runsOf(use).length > 1;
    const changing = isHeld(use, Date.now()) || use.down !== undefined || isJustLimited(use, Date.now());
    return shared || changing || (tokensPerMinute ?? inFlight) !== undefined;
  };
  const ordersFor = (worker: string): ModelOrders => {
    const now = Date.now();
    const own = use.workers[worker];
    const { requestsPerMinute, tokensPerMinute, inFlight } = use.limits;
    return {
      instance: workflowInfo().firstExecutionRunId,
      version,
      ...(inFlight === undefined || own === undefined ? {} : { inFlight: own.share }),
      ...(isHeld(use, now) ? { hold: (use.holdUntil ?? now) - now } : {}),
      ...(use.down === undefined ? {} : { down: true }),
      paced: (requestsPerMinute ?? tokensPerMinute) !== undefined,
      every: comesAgainIn(members(), busy() ? TOLD_EVERY : undefined),
    };
  };
  const take = (next: ModelUse) => {
    const before = use;
    use = withShares(next);
    changed = true;
    const runs = new Set(Object.values(use.workers).map(({ run }) => run));
    for (const run of applied.keys()) if (!runs.has(run)) applied.delete(run);
    for (const worker of sharedAt.keys()) if (!(worker in use.workers)) sharedAt.delete(worker);
    const shared = Object.entries(use.workers).filter(
      ([name, { share }]) => before.workers[name]?.share !== share,
    );
    const news =
      before.holdUntil !== use.holdUntil || before.down !== use.down || before.limits !== use.limits;
    if (!news && shared.length === 0) return;
    version += 1;
    for (const [name] of shared) sharedAt.set(name, version);
  };

  setHandler(setLimits, (next) => take({ ...use, limits: next, limitedAt: Date.now() }));
  setHandler(modelState, () => {
    const now = Date.now();
    const { sent, tokens } = lastMinute(use, now);
    return {
      spec,
      limits: use.limits,
      rates: Object.fromEntries([...applied].flatMap(([run, rate]) => (rate === null ? [] : [[run, rate]]))),
      ...(use.down === undefined
        ? {}
        : { down: { since: new Date(use.down.since).toISOString(), cause: use.down.cause } }),
      ...(isHeld(use, now) ? { hold: (use.holdUntil ?? now) - now } : {}),
      requestsLastMinute: sent,
      tokensLastMinute: tokens,
    };
  });
  setHandler(attendModel, async (told) => {
    take(withTold(use, told, Date.now(), told.known >= (sharedAt.get(told.worker) ?? 0)));
    if (told.leaving === true) {
      take(withoutWorkers(use, (worker) => worker === told.worker));
    } else if (told.known === version && !busy() && waitsForNews(members())) {
      await condition(() => version !== told.known || leaving, ATTENDANCE);
    }
    // Until the server was told of the run's rate, it hands out as many calls as are asked for.
    if (told.leaving !== true) await condition(() => applied.has(told.run) || leaving, ATTENDANCE);
    return ordersFor(told.worker);
  });

  for (;;) {
    take(withoutWorkers(use, (_, seen) => Date.now() - seen > WORKER_GONE));
    changed = false;
    const backlogs = await backlogsOf(use, spec);
    for (const [run, rate = null] of ratesOf(use, Date.now(), (one) => backlogs[one] ?? 0)) {
      if (!isNews(applied.get(run), rate)) continue;
      if (await isSet(spec, run, rate, reasonOf(use))) applied.set(run, rate);
    }
    if (workflowInfo().continueAsNewSuggested) {
      leaving = true;
      await condition(allHandlersFinished);
      await continueAsNew<typeof limits>({
        ...input,
        soFar: { use, version, applied: [...applied], sharedAt: [...sharedAt] },
      });
    }
    const wake = () => changed || workflowInfo().continueAsNewSuggested;
    const attended = members() > 0;
    // Tokens leave the last minute, holds end, and backlogs grow, by time alone.
    const timed = busy() && attended;
    const woken = await condition(wake, timed ? 1_000 : attended ? WORKER_GONE : IDLE);
    if (!woken && !attended) break;
  }
  leaving = true;
  await condition(allHandlersFinished);
}

/** How long an attendance is kept waiting for something new before it is answered all the same. */
const ATTENDANCE = '20 seconds';

/** Milliseconds between two tellings while what is told changes what may be sent. */
const TOLD_EVERY = 1_000;

/** Milliseconds without any worker after which there is nothing to limit. */
const IDLE = 120_000;

/** What is still to be handed out for each run; asked only when runs have to share. */
async function backlogsOf(use: ModelUse, spec: string): Promise<Readonly<Record<string, number>>> {
  const runs = runsOf(use).map(({ run }) => run);
  if (runs.length < 2 || rateOf(use, Date.now()) === undefined) return {};
  try {
    return await limiting.readBacklogs({ spec, runs });
  } catch {
    // A cluster that does not tell: all are taken to have some, and share evenly.
    return Object.fromEntries(runs.map((run) => [run, 1]));
  }
}

/** False when the server could not be told: it is told again. */
async function isSet(spec: string, run: string, rate: number | null, reason: string): Promise<boolean> {
  try {
    await limiting.setQueueRate({ run, spec, reason, ...(rate === null ? {} : { rate }) });
    return true;
  } catch (error) {
    // A cluster that does not allow it: what holds all calls back, the workers see to by themselves, and a command that wants
    // a rate there is refused.
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    return cause instanceof ApplicationFailure && cause.type === 'rate-refused';
  }
}

/** True when the server is to be told: a rate that moves by a little moves back. */
function isNews(applied: number | null | undefined, rate: number | null): boolean {
  if (applied === undefined || applied === null || rate === null) return applied !== rate;
  return rate === 0 || applied === 0 ? applied !== rate : Math.abs(rate - applied) > applied * 0.03;
}

function reasonOf(use: ModelUse): string {
  if (isHeld(use, Date.now())) return 'The provider asked us to wait.';
  if (use.down !== undefined) return `The model is unavailable: ${use.down.cause}`.slice(0, 300);
  return 'The rate limits of the model.';
}
