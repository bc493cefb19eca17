import { buildJournalKey } from '../../../../engine/journal/key';
import {
  CallsFailed,
  followScript,
  type Attempt,
  type Call,
  type AttemptOutcome,
  type Script,
} from '../../../../rules/method/script';

/** Run of all scripts here. */
export const RUN = 'r';

export const GOOD: AttemptOutcome = { state: 'good' };
export const BAD: AttemptOutcome = { state: 'bad' };
export const REFUSED: AttemptOutcome = { state: 'unanswered', kind: 'refused' };

interface Followed<T, C extends Call> {
  readonly result?: T;
  /** Last attempt of each failed call, with the kind of failure. */
  readonly failed?: readonly string[];
  /** Attempts in the order of the script. */
  readonly made: readonly string[];
  /** Calls of these attempts. */
  readonly calls: readonly C[];
}

/**
 * Follows a script by a table of outcomes.
 * @param outcomes by attempt, such as `p7/s3#r0.user.t2.a0`
 * @param usual the outcome of all other attempts
 */
export async function follow<T, C extends Call>(
  script: Script<T, C>,
  outcomes: Readonly<Record<string, AttemptOutcome>>,
  usual: (call: C) => AttemptOutcome = () => GOOD,
): Promise<Followed<T, C>> {
  const attempts: Attempt<C>[] = [];
  const answer = async (attempt: Attempt<C>) => {
    attempts.push(attempt);
    return outcomes[nameAttempt(attempt)] ?? usual(attempt.call);
  };
  const ended = await followScript(script, answer).then(
    (result) => ({ result }),
    (error: unknown) => {
      if (!(error instanceof CallsFailed)) throw error;
      return { failed: error.failures.map((failure) => `${nameAttempt(failure)} ${failure.kind}`) };
    },
  );
  return { ...ended, made: attempts.map(nameAttempt), calls: attempts.map(({ call }) => call) };
}

/** Returns the key of an attempt in the run. */
export function nameAttempt({ call, number: attempt }: Attempt): string {
  return buildJournalKey({ ...call, attempt }).replace(new RegExp(`^${RUN}/?`), '');
}
