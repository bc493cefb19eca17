import { ApplicationFailure, Context } from '@temporalio/activity';
import { type CheckedAnswer, type CallOutcome, isGood } from './ask-model';
import { createFailure } from './create-failure';
import type { World, RunFiles } from './world';
import { buildAnswerRef, type AnswerRef, buildJournalKey, type CallKey } from '../engine/journal/key';

/**
 * Makes a step an activity of this run: its server hears of it while it works, and whatever it throws is classified in one place
 * (decision 6). What is retryable is retried without end, what cannot pass is not retried, and the unexpected is tried three times.
 */
export function bindActivity<Files extends RunFiles, Input extends { readonly run: string }, Output>(
  world: World<Files>,
  step: (world: World<Files>, input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return async (input) => {
    const { info } = Context.current();
    const id = `${info.workflowExecution?.runId ?? ''}/${info.activityId}`;
    try {
      requireRun(world.run, input);
      return await heartbeatDuring(() => step(world, input));
    } catch (error) {
      throw createFailure(error, world, id);
    }
  };
}

function requireRun({ id }: RunFiles, { run }: { readonly run: string }): void {
  if (run !== id) throw new Error(`This worker belongs to run ${id}, not to run ${run}.`);
}

/**
 * Does the work of an activity, of which the server hears several times before it would give it up; and not at all where the work is done
 * sooner, since Temporal Cloud bills each time.
 */
export async function heartbeatDuring<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const { heartbeatTimeoutMs = UNHEARD_MS } = context.info;
  const heartbeat = setInterval(() => context.heartbeat(), heartbeatTimeoutMs / HEARTBEATS_A_TIMEOUT);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
  }
}

const HEARTBEATS_A_TIMEOUT = 4.5;

/** Nobody waits for the heartbeats of an activity without a time-out for them. */
const UNHEARD_MS = 60_000;

/**
 * Makes one of several calls of an activity. A failure that a retry would not help is its outcome, so that what the calls before it
 * were answered is not lost to the workflow.
 * @throws ApplicationFailure that is retryable: the whole activity is retried, and finds the answers before it in the journal
 */
async function readOutcome<T>(
  world: World,
  key: string,
  call: () => Promise<CheckedAnswer<T>>,
): Promise<CallOutcome<T>> {
  try {
    return await call();
  } catch (error) {
    const failure = createFailure(error, world, key);
    if (failure.nonRetryable !== true) throw failure;
    return { key, unanswered: { kind: failure.type ?? 'unexpected', cause: failure.message } };
  }
}

/** A call that an activity makes with others: for the first time, as every repair is the workflow's to decide. */
interface FirstCall<T> {
  readonly outcome: CallOutcome<T>;
  /** The answer, and what refers to it, when the next call can build on it: nothing has to be asked again. */
  readonly good?: { readonly value: T; readonly ref: AnswerRef };
}

/**
 * Makes one of several calls of an activity, for the first time.
 * @throws ApplicationFailure that is retryable: the whole activity is retried, and finds the answers it has in the journal
 */
export async function makeFirstCall<T>(
  world: World,
  call: Omit<CallKey, 'ask'>,
  ask: () => Promise<CheckedAnswer<T>>,
): Promise<FirstCall<T>> {
  // Its workflow has ended, or another attempt has begun: what is in flight is waited for, but nothing more is sent.
  if (Context.current().cancellationSignal.aborted) {
    throw ApplicationFailure.retryable('The activity was cancelled between two calls.', 'cancelled');
  }
  const outcome = await readOutcome(world, buildJournalKey({ ...call, ask: 0 }), ask);
  return isGood(outcome)
    ? { outcome, good: { value: outcome.value, ref: buildAnswerRef(call.revision, 0) } }
    : { outcome };
}

/** Waits for all calls that are made side by side, also when one has failed: what the others answer is paid for. */
export async function awaitAll<T>(calls: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}
