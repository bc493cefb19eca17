import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxySinks,
  type Sinks,
} from '@temporalio/workflow';
import type { CheckedAnswer, CallOutcome } from '../activities/ask-model';
import {
  buildAnswerRef,
  type AnswerRef,
  buildJournalKey,
  type CallKey,
  type SynthesisWork,
} from '../engine/journal/key';
import type { FailedCall } from '../schemas/run/outcome';
import type { StepSettings } from '../schemas/run/settings';
import { formatCount } from '../schemas/text/count-text';
import type { TranscriptEvent } from '../schemas/run/transcript';

/** Kinds of errors of a request that is too long for its model. */
const TOO_LONG: ReadonlySet<string> = new Set(['context-length', 'window-exceeded']);

/**
 * Asks until an answer is good: again with the reason after a bad one, then with a new sample (decision 6).
 * An answer in doubt is asked for once more, and then stands.
 * @throws ApplicationFailure, its detail a FailedCall, when no answer is good or the model cannot be asked.
 */
export async function ask<T>(
  asker: Omit<CallKey, 'ask'> & SynthesisWork,
  limits: StepSettings,
  once: (ask: number) => Promise<CallOutcome<T>>,
): Promise<{ value: T; ref: AnswerRef }> {
  const { workflowId, step, turn, revision } = asker;
  const reasons: string[] = [];
  let doubted: Answer<T> | undefined;
  for (let number = 0; number < limits.asks * limits.samples; number += 1) {
    const correcting = number % limits.asks > 0;
    const key = buildJournalKey({ workflowId, revision, step, turn, ask: number });
    reportTranscript({ event: 'asked', key, ...pickSession(asker), step, turn, revision, ask: number });
    const asked = await tryCall(key, () => once(number));
    if ('unanswered' in asked && asked.key === key) {
      const { kind, cause } = asked.unanswered;
      reportTranscript({ event: 'unanswered', key, kind, cause });
      if (!TOO_LONG.has(kind) || !correcting) throw createFailure(asker, kind, cause, reasons);
      // The bare prompt fits, the bad answers with what was wrong with them do not: on to the next sample.
      reasons.push('the conversation with its corrections exceeds the context of the model');
      number += limits.asks - 1 - (number % limits.asks);
      continue;
    }
    reportTranscript({ event: 'answered', key, under: asked.key, ...getVerdict(asked) });
    // A replay does not compare what activities are given: this notices two that were swapped.
    if ('unanswered' in asked || asked.key !== key) {
      throw createFailure(
        asker,
        'unexpected',
        `Requested ${key}, but received the answer of ${asked.key}.`,
        reasons,
      );
    }
    if (!asked.ok) {
      reasons.push(asked.reason);
      continue;
    }
    const answer = { value: asked.value, ref: buildAnswerRef(revision, number), key };
    if (asked.doubt === undefined || doubted !== undefined) return accept(answer);
    doubted = answer;
    reasons.push(asked.doubt);
  }
  // The asks ran out after a doubt: the doubtful answer is a usable one, a malformed one after it is not.
  if (doubted !== undefined) return accept(doubted);
  throw createFailure(
    asker,
    'bad-answers',
    `No usable answer after ${formatCount(reasons.length, 'attempt')}; the last was: ${reasons.at(-1) ?? ''}`,
    reasons,
  );
}

interface Answer<T> {
  readonly value: T;
  readonly ref: AnswerRef;
  readonly key: string;
}

function accept<T>({ value, ref, key }: Answer<T>): { value: T; ref: AnswerRef } {
  reportTranscript({ event: 'accepted', key });
  return { value, ref };
}

function getVerdict(outcome: CallOutcome<unknown>): { ok: boolean; problem?: string } {
  if ('unanswered' in outcome) return { ok: false, problem: outcome.unanswered.cause };
  const problem = outcome.ok ? outcome.doubt : outcome.reason;
  return problem === undefined ? { ok: outcome.ok } : { ok: outcome.ok, problem };
}

/** What a call came to, also where its activity failed. */
async function tryCall<T>(key: string, call: () => Promise<CallOutcome<T>>): Promise<CallOutcome<T>> {
  try {
    return await call();
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const { cause } = error;
    const kind = cause instanceof ApplicationFailure ? (cause.type ?? 'unexpected') : 'unexpected';
    return { key, unanswered: { kind, cause: cause?.message ?? error.message } };
  }
}

/**
 * Takes a question's first answer from an activity that made its call with others, if it did; has every other call made by an activity
 * of its own.
 */
export function preferFirstCall<T>(
  first: () => CallOutcome<T> | undefined | Promise<CallOutcome<T> | undefined>,
  single: (ask: number) => Promise<CheckedAnswer<T>>,
): (ask: number) => Promise<CallOutcome<T>> {
  return async (number) => (number === 0 ? await first() : undefined) ?? single(number);
}

function createFailure(
  asker: Omit<CallKey, 'ask'> & SynthesisWork,
  kind: string,
  cause: string,
  reasons: readonly string[],
): ApplicationFailure {
  const { workflowId, persona, step, turn } = asker;
  reportTranscript({ event: 'failed', ...pickSession(asker), step, kind, cause });
  const work: FailedCall = {
    workflowId,
    ...(persona === undefined ? {} : { persona }),
    ...pickSession(asker),
    step,
    turn,
    kind,
    cause,
    reasons: [...reasons],
  };
  return ApplicationFailure.create({ message: cause, type: kind, nonRetryable: true, details: [work] });
}

function pickSession({ session }: SynthesisWork): { session?: number } {
  return session === undefined ? {} : { session };
}

/** Where workflows report what they ask and get, for `cupid replay`. Other workers register sinks that do nothing. */
interface TranscriptSinks extends Sinks {
  readonly transcript: { report(event: TranscriptEvent): void };
}

/** Reports to a replay of the workflow. Schedules nothing, and so is no part of its history. */
export function reportTranscript(event: TranscriptEvent): void {
  proxySinks<TranscriptSinks>().transcript.report(event);
}
