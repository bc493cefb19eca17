import { buildJournalKey, computeSampleStart } from '../../engine/journal/key';
import { formatCount } from '../../schemas/text/count-text';
import type { JournalEntry } from '../../schemas/run/journal';
import type { StepSettings } from '../../schemas/run/settings';
import type { CheckResult } from '../answers/form/checks';
import type { JudgedAnswer } from './judge';
import {
  CallsFailed,
  followScript,
  type Attempt,
  type Call,
  type CallFailure,
  type AttemptOutcome,
  type Script,
} from './script';

/** An attempt as recorded in the journal. */
export interface RecordedAttempt<C extends Call = Call> extends JudgedAnswer {
  readonly attempt: Attempt<C>;
  /** Absent if the model gave no answer. */
  readonly entry?: JournalEntry;
}

/** Progress of a script by its recorded answers. */
export interface ScriptProgress<T, C extends Call = Call> {
  /** The script's return value; absent while it has not ended. */
  readonly result?: T;
  /** The calls that made the script fail. */
  readonly failures: readonly CallFailure[];
  /** In the order of the script; those of scripts side by side in any order. */
  readonly attempts: readonly RecordedAttempt<C>[];
  /** The next attempts, which have no answer yet. */
  readonly next: readonly Attempt<C>[];
}

/** Reads an answer that a script accepted. @throws if none has this key, or it does not pass the check */
export type ReadAccepted = <T>(
  key: string,
  check: (text: string) => CheckResult<T>,
) => Promise<ReadAnswer<T>>;

/** An answer that was read, with the value that its check returned. */
export interface ReadAnswer<T = unknown> {
  readonly value: T;
  readonly text: string;
}

/** The recorded calls of a run, by their journal keys. */
export interface RecordedCalls {
  /** Returns the answer; undefined where there is none. @throws when it is damaged */
  find(key: string): Promise<JournalEntry | undefined>;
  /** Returns why there is no answer; undefined if that is not known. */
  findUnanswered(key: string): Promise<{ readonly kind: string; readonly cause: string } | undefined>;
}

/** Judges the answers to calls by their rules. */
export interface CallJudge<C extends Call> {
  judge(attempt: Attempt<C>, entry: JournalEntry): Promise<JudgedAnswer>;
  /** Returns true for a call that no model is asked for, because the run was given its answer. */
  isGiven(call: C): boolean;
  /** Returns the limits of the step of a call. */
  limitsOf(call: C): Pick<StepSettings, 'maxRepairs'>;
}

/** Follows a script by its recorded calls alone, up to the attempts that have no answer. */
export async function readScript<T, C extends Call>(
  script: Script<T, C>,
  judge: CallJudge<C>,
  recorded: RecordedCalls,
): Promise<ScriptProgress<T, C>> {
  const attempts: RecordedAttempt<C>[] = [];
  const next: Attempt<C>[] = [];
  const answer = async (attempt: Attempt<C>) => {
    const recordedAttempt = await findAttempt(attempt, judge, recorded);
    if (recordedAttempt === undefined) {
      next.push(attempt);
      return UNRECORDED;
    }
    attempts.push(recordedAttempt);
    return recordedAttempt.outcome;
  };
  try {
    return { result: await followScript(script, answer), failures: [], attempts, next };
  } catch (error) {
    if (!(error instanceof CallsFailed)) throw error;
    return { failures: error.failures.filter(({ kind }) => kind !== UNRECORDED.kind), attempts, next };
  }
}

/** Ends a script at an attempt that has no answer; scripts beside it continue. */
const UNRECORDED = { state: 'unanswered', kind: 'unrecorded' } as const satisfies AttemptOutcome;

async function findAttempt<C extends Call>(
  attempt: Attempt<C>,
  judge: CallJudge<C>,
  recorded: RecordedCalls,
): Promise<RecordedAttempt<C> | undefined> {
  if (judge.isGiven(attempt.call)) return { attempt, outcome: { state: 'good' } };
  const key = buildJournalKey({ ...attempt.call, attempt: attempt.number });
  const entry = await recorded.find(key);
  if (entry !== undefined) return { attempt, entry, ...(await judge.judge(attempt, entry)) };
  const unanswered = await recorded.findUnanswered(key);
  if (unanswered !== undefined)
    return { attempt, outcome: { state: 'unanswered', kind: unanswered.kind }, problem: unanswered.cause };
  const sample = getNextSample(attempt, judge.limitsOf(attempt.call));
  const isSkipped = sample !== undefined && (await recorded.find(sample)) !== undefined;
  return isSkipped ? { attempt, outcome: SKIPPED } : undefined;
}

/**
 * Returns the key of the next sample's first attempt; undefined if this attempt is itself the first of its sample. If the next sample has an
 * answer and this attempt has none, the corrections made the request too long (`SKIPPED`). Not every reader has the note of that.
 */
export function getNextSample(
  { call, number: attempt }: Attempt,
  { maxRepairs }: Pick<StepSettings, 'maxRepairs'>,
): string | undefined {
  const start = computeSampleStart(attempt, maxRepairs);
  return attempt > start ? buildJournalKey({ ...call, attempt: start + maxRepairs + 1 }) : undefined;
}

export const SKIPPED = { state: 'unanswered', kind: 'context-length' } as const satisfies AttemptOutcome;

/** Opens the accepted answers of recorded calls. Each is read and checked once, because a dialogue reads all of its answers in every turn. */
export function openAnswers({ find }: Pick<RecordedCalls, 'find'>): ReadAccepted {
  const acceptedAnswers = new Map<string, ReadAnswer>();
  return async <T>(key: string, check: (text: string) => CheckResult<T>) => {
    const knownAnswer = acceptedAnswers.get(key);
    if (isRead<T>(knownAnswer)) return knownAnswer;
    const entry = await find(key);
    if (entry === undefined) throw new Error(`There is no answer under ${key}.`);
    const { text } = entry.answer;
    const checked = check(text);
    if (!checked.ok) throw new Error(`The answer under ${key} is rejected (${checked.reason}).`);
    const accepted = { value: checked.value, text };
    acceptedAnswers.set(key, accepted);
    return accepted;
  };
}

/**
 * Returns true for an answer that was read before. Its value has the type of the check, because all answers under a key are read by the check of
 * their step.
 */
export function isRead<T>(answer: ReadAnswer | undefined): answer is ReadAnswer<T> {
  return answer !== undefined;
}

/** Returns the accepted attempts: the last usable one of each call, because earlier usable ones were in doubt. */
export function listAccepted<C extends Call>(attempts: readonly RecordedAttempt<C>[]): RecordedAttempt<C>[] {
  const usable = attempts.filter(({ outcome: { state } }) => state === 'good' || state === 'doubtful');
  return [
    ...new Map(
      usable.map((record) => [buildJournalKey({ ...record.attempt.call, attempt: 0 }), record]),
    ).values(),
  ];
}

/** Explains why a call failed: the cause in a sentence, and the problem of each of its answers. */
export function explainFailure(
  { call, kind }: Pick<CallFailure, 'call' | 'kind'>,
  attempts: readonly RecordedAttempt[],
): { readonly cause: string; readonly reasons: readonly string[] } {
  const callAttempts = attempts.filter(({ attempt }) => isSameCall(attempt.call, call));
  const last = callAttempts.at(-1);
  const isLastUnanswered = kind !== 'bad-answers' && last?.outcome.state === 'unanswered';
  const reasons = (isLastUnanswered ? callAttempts.slice(0, -1) : callAttempts).map(
    ({ outcome, problem = '' }) =>
      outcome.state === 'unanswered'
        ? 'the conversation with its corrections exceeds the context of the model'
        : problem,
  );
  const cause =
    kind === 'bad-answers'
      ? `No usable answer after ${formatCount(reasons.length, 'attempt')}; the last was: ${reasons.at(-1) ?? ''}`
      : (last?.problem ?? kind);
  return { cause, reasons };
}

/** Returns true when both are the same call in the same revision. */
export function isSameCall(a: Call, b: Call): boolean {
  return a.workflowId === b.workflowId && a.step === b.step && a.turn === b.turn && a.revision === b.revision;
}
