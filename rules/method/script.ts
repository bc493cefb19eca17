import type { Step } from '../../schemas/run/step';

/**
 * A part of the paper's method as a generator: it yields attempts of calls, one by one or several scripts side by side, and receives their
 * outcomes. Scripts are pure. So workflows, activities, readers of the journal and replays follow the same script, each with its own source of
 * outcomes (`followScript`).
 */
export type Script<T, C extends Call = Call> = Generator<ScriptRequest<C>, T, AttemptOutcome | undefined>;

/** A call of a script, identified by its place in the journal. Scripts add the references from which its request is built. */
export interface Call {
  /** The work that the call belongs to; its journal key begins with it. */
  readonly workflowId: string;
  readonly step: Step;
  readonly turn: number | string;
  readonly revision: number;
}

/** One attempt to get an answer to a call. */
export interface Attempt<C extends Call = Call> {
  readonly call: C;
  /** From 0. */
  readonly number: number;
}

/** The outcome of an attempt, without any text of the model. */
export type AttemptOutcome =
  /** The answer keeps the rules of its step; a doubtful one is asked for once more, and then stands. */
  | { readonly state: 'good' | 'doubtful'; readonly facts?: SomeFacts }
  /** The answer breaks a rule of its step, or there is none because reasoning used up its tokens. */
  | { readonly state: 'bad'; readonly cause?: 'reasoning' }
  /** The model gave no answer that could be checked, and another attempt would not help. */
  | { readonly state: 'unanswered'; readonly kind: string };

/** Facts of an answer by which scripts choose the next call, for the steps that have any. */
export interface AnswerFacts {
  /** For each session that the answer plans, the number of its preference among the journey's distinct ones, from 1. */
  readonly journey: { readonly preferences: readonly number[] };
  /** The score, and the numbers of the checklist items that the user selected. */
  readonly user: { readonly score: number; readonly selected: readonly number[] };
  /** An inference that is read as the reference reads it may be empty: then it matches nothing. */
  readonly infer: { readonly isEmpty: boolean };
  /** A request may reveal nothing. */
  readonly guess: { readonly isEmpty: boolean };
}

export type SomeFacts = AnswerFacts[keyof AnswerFacts];

/** The facts of a step's answers; undefined where scripts need none. */
export type FactsOf<S extends Step> = S extends keyof AnswerFacts ? AnswerFacts[S] : undefined;

type ScriptRequest<C extends Call> =
  | Attempt<C>
  /** Scripts that are followed side by side. */
  | { readonly all: readonly Script<void, C>[] };

/** Follows scripts side by side. All are followed to their ends even if one fails, because the answers of the others are paid for. */
export function* all<T, C extends Call>(scripts: readonly Script<T, C>[]): Script<T[], C> {
  const results: T[] = [];
  yield { all: scripts.map((script, at) => storeResult(script, (result) => (results[at] = result))) };
  return results;
}

function* storeResult<T, C extends Call>(script: Script<T, C>, store: (result: T) => void): Script<void, C> {
  store(yield* script);
}

/** Thrown when calls of a script gave no usable answer. */
export class CallsFailed extends Error {
  override readonly name = 'CallsFailed';

  constructor(readonly failures: readonly CallFailure[]) {
    super(failures.map(({ call, kind }) => `${call.step} ${call.turn}: ${kind}`).join(', '));
  }
}

/** A call without a usable answer. */
export interface CallFailure<C extends Call = Call> {
  readonly call: C;
  /** `bad-answers`, or the kind of the error. */
  readonly kind: string;
  /** The last attempt, from 0. */
  readonly number: number;
}

/** Returns the outcome of an attempt. */
type AnswerAttempt<C extends Call> = (attempt: Attempt<C>) => AttemptOutcome | Promise<AttemptOutcome>;

/**
 * Follows a script to its end. Attempts are answered by `answer` in the order of the script; those of scripts side by side concurrently. Outcomes
 * known at once create no promise, because promises are expensive in workflows.
 * @throws CallsFailed when calls of the script gave no usable answer; otherwise what `answer` throws, after all scripts beside it have ended
 */
export async function followScript<T, C extends Call>(
  script: Script<T, C>,
  answer: AnswerAttempt<C>,
): Promise<T> {
  let next = script.next();
  while (next.done !== true) {
    const request: ScriptRequest<C> = next.value;
    if ('all' in request) {
      const failure = await followAll(request.all, answer);
      next = failure === undefined ? script.next() : script.throw(failure);
    } else {
      const outcome = answer(request);
      next = script.next(outcome instanceof Promise ? await outcome : outcome);
    }
  }
  return next.value;
}

async function followAll<C extends Call>(
  scripts: readonly Script<void, C>[],
  answer: AnswerAttempt<C>,
): Promise<CallsFailed | undefined> {
  return joinFailures(await Promise.allSettled(scripts.map((script) => followScript(script, answer))));
}

/**
 * Follows a script to its end, as `followScript` does, with outcomes that are known at once. It is fast enough for the thousands of scripts that
 * results are computed from. Scripts side by side are followed one after the other.
 */
export function followScriptSync<T, C extends Call>(
  script: Script<T, C>,
  answer: (attempt: Attempt<C>) => AttemptOutcome,
): T {
  let next = script.next();
  while (next.done !== true) {
    const request: ScriptRequest<C> = next.value;
    if ('all' in request) {
      const failure = joinFailures(
        request.all.map((branch) => captureResult(() => followScriptSync(branch, answer))),
      );
      next = failure === undefined ? script.next() : script.throw(failure);
    } else {
      next = script.next(answer(request));
    }
  }
  return next.value;
}

function captureResult(follow: () => void): PromiseSettledResult<void> {
  try {
    return { status: 'fulfilled', value: follow() };
  } catch (reason) {
    return { status: 'rejected', reason };
  }
}

function joinFailures(results: readonly PromiseSettledResult<void>[]): CallsFailed | undefined {
  const failures: CallFailure[] = [];
  for (const result of results) {
    if (result.status === 'fulfilled') continue;
    if (!(result.reason instanceof CallsFailed)) throw result.reason;
    failures.push(...result.reason.failures);
  }
  return failures.length === 0 ? undefined : new CallsFailed(failures);
}
