import { ApplicationFailure, Context } from '@temporalio/activity';
import { answerRef, type AnswerRef } from '../journal/key';
import { journalKey, type CallKey } from '../journal/key';
import { isGood, type Asked, type Outcome } from './ask-model';
import { outcomeOf } from './activity';
import type { World } from './world';

/** A call that an activity makes with others: for the first time, as every repair is the workflow's to decide. */
export interface FirstCall<T> {
  readonly outcome: Outcome<T>;
  /** The answer, and what refers to it, when the next call can build on it: nothing has to be asked again. */
  readonly good?: { readonly value: T; readonly ref: AnswerRef };
}

/**
 * Makes one of several calls of an activity, for the first time.
 * @throws ApplicationFailure that is retryable: the whole activity is retried, and finds the answers it has in the journal
 */
export async function firstCall<T>(
  world: World,
  call: Omit<CallKey, 'ask'>,
  ask: () => Promise<Asked<T>>,
): Promise<FirstCall<T>> {
  // Its workflow has ended, or another attempt has begun: what is in flight is waited for, but nothing more is sent.
  if (Context.current().cancellationSignal.aborted) {
    throw ApplicationFailure.retryable('The activity was cancelled between two calls.', 'cancelled');
  }
  const outcome = await outcomeOf(world, journalKey({ ...call, ask: 0 }), ask);
  return isGood(outcome)
    ? { outcome, good: { value: outcome.value, ref: answerRef(call.generation, 0) } }
    : { outcome };
}

/** Waits for all calls that are made side by side, also when one has failed: what the others answer is paid for. */
export async function allOf<T>(calls: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}
