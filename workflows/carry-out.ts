import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import type { MadeCalls, Outcomes } from '../activities/make-calls';
import { buildJournalKey } from '../engine/journal/key';
import { isMisconfigured } from '../engine/journal/failed-work';
import {
  followScript,
  type Call,
  type CallFailure,
  type AttemptOutcome,
  type Script,
} from '../rules/method/script';
import type { FailedPlace, FailedCall } from '../schemas/run/outcome';

/**
 * Follows a script durably: the workflow decides which call comes next, and activities make the calls. An activity makes the calls of a piece of
 * work, such as a dialogue, for some seconds, and returns their outcomes. The next activity continues from there. A piece of work has
 * one activity at a time, because two would make the same calls.
 * @param makeCalls makes the calls of the work that this call belongs to, from the first unknown outcome on
 * @throws CallsFailed when calls got no usable answer
 */
export async function carryOut<T, C extends Call>(
  script: Script<T, C>,
  makeCalls: (call: C, outcomes: Outcomes) => Promise<MadeCalls>,
): Promise<T> {
  /** By journal key. */
  const knownOutcomes = new Map<string, AttemptOutcome>();
  /** Running activities by the id of their work. */
  const making = new Map<string, Promise<void>>();

  const make = async (call: C, key: string): Promise<void> => {
    const { workflowId } = call;
    const ownOutcomes = [...knownOutcomes].filter(([outcomeKey]) => isWithin(outcomeKey, workflowId));
    const madeCalls = await runActivity(key, workflowId, () =>
      makeCalls(
        call,
        Object.fromEntries(
          ownOutcomes.map(([outcomeKey, outcome]) => [outcomeKey.slice(workflowId.length), outcome]),
        ),
      ),
    );
    const outcomes = Object.entries(madeCalls.outcomes);
    // A replay does not compare inputs of activities, so this detects two swapped results.
    if (madeCalls.workflowId !== workflowId || outcomes.length === 0) knownOutcomes.set(key, UNEXPECTED);
    else for (const [id, outcome] of outcomes) knownOutcomes.set(`${workflowId}${id}`, outcome);
  };
  const fetch = async (call: C, key: string): Promise<AttemptOutcome> => {
    for (;;) {
      const { workflowId } = call;
      const begun = making.get(workflowId) ?? make(call, key).finally(() => making.delete(workflowId));
      making.set(workflowId, begun);
      await begun;
      const outcome = knownOutcomes.get(key);
      if (outcome !== undefined) return outcome;
    }
  };
  return followScript(script, ({ call, number: attempt }) => {
    const key = buildJournalKey({ ...call, attempt });
    return knownOutcomes.get(key) ?? fetch(call, key);
  });
}

const UNEXPECTED: AttemptOutcome = { state: 'unanswered', kind: 'unexpected' };

/** Returns true for a key of this work, or of a part of it. */
function isWithin(key: string, workflowId: string): boolean {
  return key.startsWith(`${workflowId}#`) || key.startsWith(`${workflowId}/`);
}

/** Returns the result of an activity. If it failed, the attempt with this key is unanswered. */
async function runActivity(
  key: string,
  workflowId: string,
  activity: () => Promise<MadeCalls>,
): Promise<MadeCalls> {
  try {
    return await activity();
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const { cause } = error;
    const kind = cause instanceof ApplicationFailure ? (cause.type ?? 'unexpected') : 'unexpected';
    return { workflowId, outcomes: { [key.slice(workflowId.length)]: { state: 'unanswered', kind } } };
  }
}

/** Returns the parts of a persona's work that these calls belong to, as failed work. */
export function buildFailedPlaces(failures: readonly CallFailure[], persona: number): FailedPlace[] {
  return failures.map((failure): FailedPlace => {
    const { workflowId, step, turn } = failure.call;
    const session = 'session' in failure.call ? failure.call.session : undefined;
    return {
      workflowId,
      persona,
      ...(typeof session === 'number' ? { session } : {}),
      step,
      ...(typeof turn === 'number' ? { turn } : {}),
      ...buildFailedCall(failure),
    };
  });
}

/** Converts a failed call; its key is that of the last attempt. */
export function buildFailedCall({ call, number: attempt, kind }: CallFailure): FailedCall {
  return { kind, key: buildJournalKey({ ...call, attempt }) };
}

/** Finds the first failure that an invalid configuration causes; undefined if there is none. */
export function findMisconfiguration(failures: readonly CallFailure[]): FailedCall | undefined {
  const failure = failures.find(isMisconfigured);
  return failure && buildFailedCall(failure);
}

/** Creates the failure of a workflow with an invalid configuration; its detail is a FailedCall. */
export function createMisconfiguredFailure(cause: FailedCall): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `The configuration is invalid (${cause.kind}).`,
    'misconfigured',
    cause,
  );
}
