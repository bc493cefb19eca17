import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  lastMinute,
  rateOf,
  unused,
  WORKER_GONE,
  withoutWorkers,
  withShares,
  withTold,
  type ModelUse,
} from '../rules/model-limits';
import type { ModelLimits } from '../schemas/steering';
import { attendModel, modelState, setLimits, type ModelOrders } from './messages';
import { controlling } from './options';

export interface LimitsInput {
  readonly run: string;
  readonly spec: string;
  readonly limits: ModelLimits;
  readonly soFar?: { readonly use: ModelUse; readonly version: number; readonly applied: number | null };
}

/**
 * Keeps the limits of one model over all workers: sets the rate at which the server hands its calls out, divides the calls in
 * flight, and holds all of it back while the provider asks for that or is down (decision 10). Never ends by itself.
 */
export async function limits(input: LimitsInput): Promise<void> {
  const { run, spec, soFar } = input;
  let use = soFar?.use ?? unused(input.limits);
  let version = soFar?.version ?? 1;
  // Null for no limit; undefined until the server was told.
  let applied: number | null | undefined = soFar?.applied;
  let changed = true;
  let leaving = false;

  const busy = () => {
    const { tokensPerMinute, inFlight } = use.limits;
    return tokensPerMinute !== undefined || inFlight !== undefined || isHeld(use) || use.down !== undefined;
  };
  const ordersFor = (worker: string): ModelOrders => {
    const now = Date.now();
    const own = use.workers[worker];
    const { requestsPerMinute, tokensPerMinute, inFlight } = use.limits;
    return {
      version,
      ...(inFlight === undefined || own === undefined ? {} : { inFlight: own.share }),
      ...(isHeld(use) ? { hold: (use.holdUntil ?? now) - now } : {}),
      ...(use.down === undefined ? {} : { down: true }),
      paced: requestsPerMinute !== undefined || tokensPerMinute !== undefined,
      every: busy() ? 1_000 : 0,
    };
  };
  const take = (next: ModelUse) => {
    const before = use;
    use = withShares(next);
    changed = true;
    const news =
      before.holdUntil !== use.holdUntil ||
      before.down !== use.down ||
      before.limits !== use.limits ||
      Object.entries(use.workers).some(([name, { share }]) => before.workers[name]?.share !== share);
    if (news) version += 1;
  };

  setHandler(setLimits, (next) => take({ ...use, limits: next }));
  setHandler(modelState, () => {
    const now = Date.now();
    const { sent, tokens } = lastMinute(use, now);
    const rate = rateOf(use, now);
    return {
      spec,
      limits: use.limits,
      ...(rate === undefined ? {} : { rate }),
      ...(use.down === undefined
        ? {}
        : { down: { since: new Date(use.down.since).toISOString(), cause: use.down.cause } }),
      ...(isHeld(use) ? { hold: (use.holdUntil ?? now) - now } : {}),
      requestsLastMinute: sent,
      tokensLastMinute: tokens,
    };
  });
  setHandler(attendModel, async (told) => {
    take(withTold(use, told, Date.now(), told.known === version));
    if (told.leaving === true) {
      take(withoutWorkers(use, (worker) => worker === told.worker));
    } else if (told.known === version && !busy()) {
      await condition(() => version !== told.known || leaving, ATTENDANCE);
    }
    return ordersFor(told.worker);
  });

  for (;;) {
    take(withoutWorkers(use, (_, seen) => Date.now() - seen > WORKER_GONE));
    const rate = rateOf(use, Date.now()) ?? null;
    changed = false;
    if (isNews(applied, rate)) {
      await controlling.setQueueRate({
        run,
        spec,
        reason: reasonOf(use),
        ...(rate === null ? {} : { rate }),
      });
      applied = rate;
    }
    if (workflowInfo().continueAsNewSuggested) {
      leaving = true;
      await condition(allHandlersFinished);
      await continueAsNew<typeof limits>({ ...input, soFar: { use, version, applied: applied ?? null } });
    }
    // Tokens leave the last minute, and holds end, by time alone.
    const timed =
      isHeld(use) || (use.limits.tokensPerMinute !== undefined && lastMinute(use, Date.now()).sent > 0);
    const members = Object.keys(use.workers).length > 0;
    const wake = () => changed || workflowInfo().continueAsNewSuggested;
    if (timed) await condition(wake, 1_000);
    else if (members) await condition(wake, WORKER_GONE);
    else await condition(wake);
  }
}

/** Somewhat longer than the control workflow's: there is less to tell. */
const ATTENDANCE = '20 seconds';

function isHeld({ holdUntil }: ModelUse): boolean {
  return holdUntil !== undefined && holdUntil > Date.now();
}

/** True when the server is to be told: a rate that moves by a little moves back. */
function isNews(applied: number | null | undefined, rate: number | null): boolean {
  if (applied === undefined || applied === null || rate === null) return applied !== rate;
  return rate === 0 || applied === 0 ? applied !== rate : Math.abs(rate - applied) > applied * 0.03;
}

function reasonOf(use: ModelUse): string {
  if (isHeld(use)) return 'The provider asked to be left alone for a while.';
  if (use.down !== undefined) return `The model is down: ${use.down.cause}`.slice(0, 300);
  return 'The limits of the model.';
}
