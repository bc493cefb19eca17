import { ActivityFailure, ApplicationFailure, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { Asked } from '../activities/ask-model';
import { answerRef, type AnswerRef } from '../rules/answer-ref';
import { journalKey, type CallKey } from '../rules/journal-key';
import type { FailedCall } from '../schemas/outcome';
import type { Asking } from '../schemas/settings';
import type { Step } from '../schemas/step';
import { tell } from './transcript';
import { counted } from '../schemas/count-text';

/** Where a question stands: what its journal keys are derived from, and what a failure is named by. */
export interface Asker {
  readonly step: Step;
  readonly turn: CallKey['turn'];
  readonly generation: number;
  readonly persona?: number;
  readonly session?: number;
}

/**
 * Asks until an answer is good: again with the reason after a bad one, then with a new sample (decision 6).
 * An answer in doubt is asked for once more, and then stands.
 * @throws ApplicationFailure, its detail a FailedCall, when no answer is good or the model cannot be asked.
 */
export async function ask<T>(
  asker: Asker,
  limits: Asking,
  once: (ask: number) => Promise<Asked<T>>,
): Promise<{ value: T; ref: AnswerRef }> {
  const { step, turn, generation } = asker;
  const { workflowId } = workflowInfo();
  const reasons: string[] = [];
  let doubted: Answer<T> | undefined;
  for (let number = 0; number < limits.asks * limits.samples; number += 1) {
    const correcting = number % limits.asks > 0;
    const key = journalKey({ workflowId, generation, step, turn, ask: number });
    tell({ event: 'asked', key, step, turn, generation, ask: number });
    const asked = await attempt(asker, key, reasons, () => once(number), correcting);
    if (asked === undefined) {
      // The bare prompt fits, the bad answers with what was wrong with them do not: on to the next sample.
      reasons.push('the conversation with its corrections exceeds the context of the model');
      number += limits.asks - 1 - (number % limits.asks);
      continue;
    }
    tell({ event: 'answered', key, under: asked.key, ok: asked.ok, ...problemOf(asked) });
    // A replay does not compare what activities are given: this notices two that were swapped.
    if (asked.key !== key) {
      throw failure(
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
    const answer = { value: asked.value, ref: answerRef(generation, number), key };
    if (asked.doubt === undefined || doubted !== undefined) return accept(answer);
    doubted = answer;
    reasons.push(asked.doubt);
  }
  // The asks ran out after a doubt: the doubtful answer is a usable one, a malformed one after it is not.
  if (doubted !== undefined) return accept(doubted);
  throw failure(
    asker,
    'bad-answers',
    `No usable answer after ${counted(reasons.length, 'attempt')}; the last was: ${reasons.at(-1) ?? ''}`,
    reasons,
  );
}

interface Answer<T> {
  readonly value: T;
  readonly ref: AnswerRef;
  readonly key: string;
}

function accept<T>({ value, ref, key }: Answer<T>): { value: T; ref: AnswerRef } {
  tell({ event: 'accepted', key });
  return { value, ref };
}

function problemOf(asked: Asked<unknown>): { problem?: string } {
  const problem = asked.ok ? asked.doubt : asked.reason;
  return problem === undefined ? {} : { problem };
}

/** Undefined when the model cannot take in the corrections of its own bad answers. */
async function attempt<T>(
  asker: Asker,
  key: string,
  reasons: string[],
  once: () => Promise<T>,
  correcting: boolean,
): Promise<T | undefined> {
  try {
    return await once();
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const { cause } = error;
    const kind = cause instanceof ApplicationFailure ? (cause.type ?? 'unexpected') : 'unexpected';
    const message = cause?.message ?? error.message;
    tell({ event: 'unanswered', key, kind, cause: message });
    if (kind === 'context-length' && correcting) return undefined;
    throw failure(asker, kind, message, reasons);
  }
}

function failure(asker: Asker, kind: string, cause: string, reasons: readonly string[]): ApplicationFailure {
  const { persona, session, step, turn } = asker;
  tell({ event: 'failed', step, kind, cause });
  const work: FailedCall = {
    workflowId: workflowInfo().workflowId,
    ...(persona === undefined ? {} : { persona }),
    ...(session === undefined ? {} : { session }),
    step,
    turn,
    kind,
    cause,
    reasons: [...reasons],
  };
  return ApplicationFailure.create({ message: cause, type: kind, nonRetryable: true, details: [work] });
}
