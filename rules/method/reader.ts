import { buildJournalKey } from '../../engine/journal/key';
import { formatCount } from '../../schemas/text/count-text';
import type { JournalEntry } from '../../schemas/run/journal';
import type { CheckResult } from '../answers/form/checks';
import type { JudgedAnswer } from './judge';
import { CallsFailed, followScript, type Attempt, type Call, type CallFailure, type Script } from './script';

/** An attempt as the journal has it. */
export interface RecordedAttempt<C extends Call = Call> extends JudgedAnswer {
  readonly attempt: Attempt<C>;
  /** Absent where the model gave no answer. */
  readonly entry?: JournalEntry;
}

/** How far a script is by its recorded answers. */
export interface Reading<T, C extends Call = Call> {
  /** What the script returns; absent while it has not ended. */
  readonly result?: T;
  /** The calls that the script failed of. */
  readonly failures: readonly CallFailure[];
  /** In the order of the script; those of scripts side by side in any order. */
  readonly attempts: readonly RecordedAttempt<C>[];
  /** The attempts that come next: they have no answer. */
  readonly next: readonly Attempt<C>[];
}

/** Reads an answer that a script accepted. @throws when there is none under this key, or it does not pass the check */
export type ReadAccepted = <T>(
  key: string,
  check: (text: string) => CheckResult<T>,
) => Promise<{ readonly value: T; readonly text: string }>;

/** The calls that are recorded of a run, by their journal keys. */
export interface RecordedCalls {
  /** The answer; undefined where there is none. @throws when it is damaged */
  find(key: string): Promise<JournalEntry | undefined>;
  /** Why there is no answer; undefined where that is not known. */
  findUnanswered(key: string): Promise<{ readonly kind: string; readonly cause: string } | undefined>;
}

/** Judges the answers to calls by their rules. */
export interface CallJudge<C extends Call> {
  judge(attempt: Attempt<C>, entry: JournalEntry): Promise<JudgedAnswer>;
  /** True for a call that no model is asked for, since the run was given its answer. */
  isGiven(call: C): boolean;
}

/** Follows a script by what is recorded of its calls alone, up to the attempts that have no answer. */
export async function readScript<T, C extends Call>(
  script: Script<T, C>,
  judge: CallJudge<C>,
  recorded: RecordedCalls,
): Promise<Reading<T, C>> {
  const attempts: RecordedAttempt<C>[] = [];
  const next: Attempt<C>[] = [];
  const answer = async (attempt: Attempt<C>) => {
    const found = await findAttempt(attempt, judge, recorded);
    if (found === undefined) {
      next.push(attempt);
      throw new Unanswered();
    }
    attempts.push(found);
    return found.outcome;
  };
  try {
    return { result: await followScript(script, answer), failures: [], attempts, next };
  } catch (error) {
    if (error instanceof CallsFailed) return { failures: error.failures, attempts, next };
    if (error instanceof Unanswered) return { failures: [], attempts, next };
    throw error;
  }
}

async function findAttempt<C extends Call>(
  attempt: Attempt<C>,
  judge: CallJudge<C>,
  recorded: RecordedCalls,
): Promise<RecordedAttempt<C> | undefined> {
  if (judge.isGiven(attempt.call)) return { attempt, outcome: { state: 'good' } };
  const key = buildJournalKey({ ...attempt.call, ask: attempt.ask });
  const entry = await recorded.find(key);
  if (entry !== undefined) return { attempt, entry, ...(await judge.judge(attempt, entry)) };
  const unanswered = await recorded.findUnanswered(key);
  if (unanswered === undefined) return undefined;
  return { attempt, outcome: { state: 'unanswered', kind: unanswered.kind }, problem: unanswered.cause };
}

/**
 * Opens the accepted answers of recorded calls.
 * @param takesRaw whether answers are checked with everything that their server sent
 */
export function openAnswers({ find }: Pick<RecordedCalls, 'find'>, takesRaw = false): ReadAccepted {
  return async (key, check) => {
    const entry = await find(key);
    if (entry === undefined) throw new Error(`There is no answer under ${key}.`);
    const { text, raw = text } = entry.answer;
    const checked = check(takesRaw ? raw : text);
    if (!checked.ok) throw new Error(`The answer under ${key} is rejected (${checked.reason}).`);
    return { value: checked.value, text };
  };
}

/** An attempt has no recorded answer. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** Explains why a call failed: the cause in a sentence, and the problem of each of its answers. */
export function explainFailure(
  { call, kind }: Pick<CallFailure, 'call' | 'kind'>,
  attempts: readonly RecordedAttempt[],
): { readonly cause: string; readonly reasons: readonly string[] } {
  const own = attempts.filter(({ attempt }) => isSameCall(attempt.call, call));
  const last = own.at(-1);
  const isLastUnanswered = kind !== 'bad-answers' && last?.outcome.state === 'unanswered';
  const reasons = (isLastUnanswered ? own.slice(0, -1) : own).map(({ outcome, problem = '' }) =>
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

/** True when both are the same call in the same revision. */
export function isSameCall(one: Call, other: Call): boolean {
  return (
    one.workflowId === other.workflowId &&
    one.step === other.step &&
    one.turn === other.turn &&
    one.revision === other.revision
  );
}
