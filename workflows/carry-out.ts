import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import type { MadeCalls, Outcomes } from '../activities/make-calls';
import { buildAttemptId, buildJournalKey } from '../engine/journal/key';
import { isMisconfigured } from '../engine/journal/failed-work';
import {
  followScript,
  type Attempt,
  type Call,
  type CallFailure,
  type Outcome,
  type Script,
} from '../rules/method/script';
import { reportEvent } from './report';
import type { FailedPlace, FailedCall } from '../schemas/run/outcome';

/**
 * Follows a script durably: the workflow decides which call comes next, and activities make the calls. An activity makes those of one piece
 * of work, such as a dialogue, as long as their answers are good, and returns their outcomes. Where the script needs another one, it makes
 * the next.
 * @param makeCalls makes the calls of the work that this call belongs to, from those on whose outcomes are not known
 * @throws CallsFailed when calls got no usable answer
 */
export async function carryOut<T, C extends Call>(
  script: Script<T, C>,
  makeCalls: (call: C, known: Outcomes) => Promise<MadeCalls>,
): Promise<T> {
  const works = new Map<string, WorkCalls<C>>();
  return followScript(script, (attempt) => {
    const { workflowId } = attempt.call;
    const work = works.get(workflowId) ?? new WorkCalls(makeCalls);
    works.set(workflowId, work);
    return work.fetchOutcome(attempt);
  });
}

/** The calls of one piece of work. One activity at a time makes them: two would make the same calls. */
class WorkCalls<C extends Call> {
  readonly #known = new Map<string, Outcome>();
  #making: Promise<void> | undefined;

  constructor(private readonly makeCalls: (call: C, known: Outcomes) => Promise<MadeCalls>) {}

  fetchOutcome({ call, ask }: Attempt<C>): Outcome | Promise<Outcome> {
    const id = buildAttemptId({ ...call, ask });
    return this.#find(call, id) ?? this.#fetch(call, id);
  }

  async #fetch(call: C, id: string): Promise<Outcome> {
    for (;;) {
      this.#making ??= this.#make(call, id).finally(() => (this.#making = undefined));
      await this.#making;
      const known = this.#find(call, id);
      if (known !== undefined) return known;
    }
  }

  #find({ workflowId }: C, id: string): Outcome | undefined {
    const known = this.#known.get(id);
    if (known?.state === 'good') reportEvent({ event: 'answered', key: `${workflowId}#${id}` });
    return known;
  }

  async #make(call: C, id: string): Promise<void> {
    const made = await this.#run(call, id);
    const outcomes = Object.entries(made.outcomes);
    // A replay does not compare what activities are given: this notices two results that were swapped.
    if (made.workflowId !== call.workflowId || outcomes.length === 0) {
      this.#known.set(id, { state: 'unanswered', kind: 'unexpected' });
    } else for (const [attempt, outcome] of outcomes) this.#known.set(attempt, outcome);
  }

  async #run(call: C, id: string): Promise<MadeCalls> {
    try {
      return await this.makeCalls(call, Object.fromEntries(this.#known));
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      const { cause } = error;
      const kind = cause instanceof ApplicationFailure ? (cause.type ?? 'unexpected') : 'unexpected';
      return { workflowId: call.workflowId, outcomes: { [id]: { state: 'unanswered', kind } } };
    }
  }
}

/** The failed work of a persona to which calls belong. */
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

/** A call that failed, by the journal key of its last attempt. */
export function buildFailedCall({ call, ask, kind }: CallFailure): FailedCall {
  return { kind, key: buildJournalKey({ ...call, ask }) };
}

/** The first of the failures that the configuration causes; undefined when there is none. */
export function findMisconfiguration(failures: readonly CallFailure[]): FailedCall | undefined {
  const failure = failures.find(isMisconfigured);
  return failure && buildFailedCall(failure);
}

/** The failure of a workflow that no call of its model can succeed for; its detail is a FailedCall. */
export function createMisconfiguredFailure(cause: FailedCall): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `The configuration is invalid (${cause.kind}).`,
    'misconfigured',
    cause,
  );
}
