import { ApplicationFailure, Context } from '@temporalio/activity';
import { writeUnanswered } from '../data/run/unanswered-calls';
import { buildJournalKey } from '../engine/journal/key';
import { computeBackoffMs } from '../engine/limits/backoff';
import { ModelError } from '../models/errors/error';
import { createRandom } from '../rules/sampling/random';
import {
  CallsFailed,
  followScript,
  type Attempt,
  type Call,
  type AttemptOutcome,
  type Script,
} from '../rules/method/script';
import type { AcceptedAnswers } from './accepted-answers';
import { askModel, type Question } from './ask-model';
import { createFailure, needsAnotherProcess } from './create-failure';
import { findFinalFailure } from './final-failure';
import type { World } from './world';

/** Outcomes of calls that an activity made for one piece of work and its parts. */
export interface MadeCalls {
  readonly workflowId: string;
  readonly outcomes: Outcomes;
}

/** Outcomes by the journal keys of the attempts, without the prefix of the work's id: `#r0.user.t4.a0`. */
export type Outcomes = Readonly<Record<string, AttemptOutcome>>;

/**
 * Makes calls of a script ahead of the workflow, because one activity per call cost more processor time than the rest of the call. It repairs
 * bad answers as the script says, and stops where the calls of other work begin, or after some seconds. It makes one at least. While a call
 * keeps the activity waiting, the calls beside it go on. Each call is journaled individually, so a retried activity pays for none of them again.
 * @throws ApplicationFailure that is retryable; the other calls have ended before
 */
export async function makeCalls<C extends Call>(
  script: Script<unknown, C>,
  options: {
    /** Work whose calls are made, including its parts. */
    readonly workflowId: string;
    /** Outcomes that the workflow has. */
    readonly known: Outcomes;
    /** Whether an attempt is made here; absent for all. */
    readonly isOwn?: (attempt: Attempt<C>) => boolean;
    /** Milliseconds after which no further call is begun. */
    readonly aheadMs?: number;
  },
  call: (attempt: Attempt<C>) => Promise<AttemptOutcome>,
): Promise<Outcomes> {
  const { workflowId, known, isOwn, aheadMs = AHEAD_MS } = options;
  const outcomes: Record<string, AttemptOutcome> = {};
  /** When each call in progress was begun. The activity cannot return before they end. */
  const begun = new Map<string, number>();
  let failure: { readonly error: unknown } | undefined;
  const end = performance.now() + aheadMs;
  const latestEnd = performance.now() + LATEST_MS;
  const answer = (attempt: Attempt<C>): AttemptOutcome | Promise<AttemptOutcome> => {
    const id = buildJournalKey({ ...attempt.call, attempt: attempt.number }).slice(workflowId.length);
    return known[id] ?? make(id, attempt);
  };
  /** Returns true while a call holds the activity: one that was begun in time, or one that has taken as long as the time limit. */
  const isHeld = (now: number) => [...begun.values()].some((at) => at <= end || now - at > aheadMs);
  const make = async (id: string, attempt: Attempt<C>): Promise<AttemptOutcome> => {
    const now = performance.now();
    const isLate = now > end && Object.keys(outcomes).length > 0 && (now > latestEnd || !isHeld(now));
    if (isOwn?.(attempt) === false || isLate) throw new Stopped();
    begun.set(id, now);
    try {
      return (outcomes[id] = await call(attempt));
    } catch (error) {
      if (!(error instanceof Stopped)) failure ??= { error };
      throw error;
    } finally {
      begun.delete(id);
    }
  };
  try {
    await followScript(script, answer);
  } catch (error) {
    // The workflow decides about calls without a usable answer.
    if (!(error instanceof Stopped || error instanceof CallsFailed)) failure ??= { error };
  }
  if (failure !== undefined) throw failure.error;
  return outcomes;
}

/** Others wait for a slot, and a history should show progress. */
const AHEAD_MS = 10_000;

/** Time after which no call is begun even beside slow ones. An activity may take an hour, and the slowest call has to end in it. */
const LATEST_MS = 30 * 60_000;

/** Ends the calls of a script that is followed ahead. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * Makes one call of a script. A failure that may pass is retried here for some minutes, while the calls beside it go on; how soon, depends on the
 * call and the run's seed. A failure becomes its outcome if a retry would not help, or if it lasts while other calls are answered. So other answers
 * reach the workflow. The cause may quote the model, so it is kept in the store, and not in Temporal.
 * @throws ApplicationFailure that is retryable: it lasts, or needs another process. The retried activity finds earlier answers in the journal.
 */
export async function makeCall<C extends Call>(
  world: World,
  attempt: Attempt<C>,
  answers: AcceptedAnswers,
  buildQuestion: (call: C) => Promise<Question>,
): Promise<AttemptOutcome> {
  const { cancellationSignal } = Context.current();
  const key = buildJournalKey({ ...attempt.call, attempt: attempt.number });
  let endMs = Infinity;
  let question: Question | undefined;
  for (let failures = 1; ; failures += 1) {
    // Its workflow has ended, or another attempt has begun: calls in flight are awaited, but no more are sent.
    if (cancellationSignal.aborted) {
      throw ApplicationFailure.retryable('The activity was cancelled between two calls.', 'cancelled');
    }
    try {
      question = await buildQuestion(attempt.call);
      const { entry, judged } = await askModel(world, attempt, question);
      if (judged.value !== undefined) answers.remember(key, judged.value, entry.answer.text);
      return judged.outcome;
    } catch (error) {
      const isWorthALine = failures > QUIET_FAILURES || !passesAtOnce(error);
      const failure = createFailure(error, isWorthALine ? world : SILENT, key);
      if (failure.type === 'collected') throw new Stopped();
      const use = question && { spec: question.spec, step: attempt.call.step, asking: question.limits };
      const unanswered = await findFinalFailure(world, key, { error, failure }, use);
      if (unanswered !== undefined) {
        world.gate.failing.ended(key);
        await writeUnanswered(world.run.store, key, unanswered);
        return { state: 'unanswered', kind: unanswered.kind };
      }
      endMs = Math.min(endMs, performance.now() + RETRIED_HERE_MS);
      if (needsAnotherProcess(error) || performance.now() > endMs) throw failure;
      const askedMs = typeof failure.nextRetryDelay === 'number' ? failure.nextRetryDelay : 0;
      const draw = createRandom(world.run.settings.seed, 'backoff', key, failures).integer(1_001) / 1_000;
      const waitingCount = world.gate.backingOff + 1;
      await world.gate.backOff(
        computeBackoffMs(failures, draw, { askedMs, waiting: waitingCount }),
        cancellationSignal,
      );
    }
  }
}

/** Failures of a call before progress mentions them, unless they take long. */
const QUIET_FAILURES = 2;
const SILENT = { emit: () => undefined };

/** Returns true for a failure that usually passes at once: over days, a small share of the calls fail like this. */
function passesAtOnce(error: unknown): boolean {
  return error instanceof ModelError && (error.kind === 'unavailable' || error.kind === 'connection');
}

/** Milliseconds from the first failure of a call for which it is retried in its activity. */
const RETRIED_HERE_MS = 5 * 60_000;
