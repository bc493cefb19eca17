import { randomBytes } from 'node:crypto';
import type { Recall, Recalled } from '../../schemas/evaluation/memory';
import { omitUndefined } from '../../schemas/omit-undefined';
import { formatCount } from '../../schemas/text/count-text';
import { describeIssues } from '../../schemas/text/issues';
import { beginStreak, type MemoryClient, type RecallProgress, type Signals } from './client';
import { MemoryError, MessageFailure } from './error';
import { queryReplySchema, type MemoryMessage } from './messages';

/**
 * Replays a user to a memory system and asks it. If this fails, it begins again with another user, three times at most.
 * @throws MemoryError, or the reason of a signal
 */
export async function recallWithRetries(
  client: MemoryClient,
  recall: Recall,
  signals: Signals,
): Promise<Recalled> {
  const progress: RecallProgress = { user: '', timeouts: 0, answered: 0 };
  const startMs = performance.now();
  for (let tries = 1; ; tries += 1) {
    progress.answered = 0;
    try {
      const recalled = await recallOnce(client, recall, progress, signals);
      noticeContext(client, recalled);
      client.streak = beginStreak();
      return recalled;
    } catch (error) {
      if (!(error instanceof MessageFailure || error instanceof MemoryError)) throw error;
      closeAbandoned(client, progress);
      if (error instanceof MemoryError) {
        if (error.kind !== 'memory-failed') throw error;
        // Users side by side time out together when the memory system hangs once.
        if (startMs >= client.streak.timedOutAtMs) client.streak.timedOut += 1;
        client.streak.timedOutAtMs = performance.now();
        throw countFailed(client, error.message);
      }
      if (!client.hasAnswered && error.effect === 'failed')
        throw new MemoryError('memory-set-up', error.message);
      if (tries >= MOST_TRIES) {
        throw countFailed(client, `${error.message} It was tried ${formatCount(tries, 'time')}.`);
      }
      client.delay(error.message);
      await client.waitAfter(tries, signals);
    }
  }
}

/** Attempts with a user each, before its score is missing. */
const MOST_TRIES = 3;

/** Failed recalls in a row after which the run stops, because every further one may cost something and fail as well. */
const MOST_FAILED = 20;

/** The same for recalls that timed out, each of which takes twice the time of a message. */
const MOST_TIMED_OUT = 2;

function countFailed({ name, streak }: MemoryClient, message: string): MemoryError {
  streak.failed += 1;
  const { failed, timedOut } = streak;
  return failed < MOST_FAILED && timedOut < MOST_TIMED_OUT
    ? new MemoryError('memory-failed', message)
    : new MemoryError(
        'memory-set-up',
        `${message} ${name} failed for ${formatCount(failed, 'user')} in a row, so the run stops. Fix this, then repeat the command. Afterwards, cupid retry evaluates the instances whose scores are missing.`,
      );
}

/** Sends that no message about an abandoned user follows. Nothing waits for the reply. */
function closeAbandoned(client: MemoryClient, { user, answered }: RecallProgress): void {
  // A program gets no message beside those of the next user.
  if (answered === 0 || client.isProgram) return;
  client.sendOnce({ type: 'close', user }, AbortSignal.timeout(CLOSING_MS)).catch(() => undefined);
}

const CLOSING_MS = 10_000;

async function recallOnce(
  client: MemoryClient,
  recall: Recall,
  progress: RecallProgress,
  signals: Signals,
): Promise<Recalled> {
  const { name } = client;
  const { request, budget } = recall;
  let unfinishedCount = 0;
  const send = async (build: (failures: number) => MemoryMessage): Promise<unknown> => {
    const { reply, isUnfinished = false } = await client.send(build, progress, signals);
    if (isUnfinished) unfinishedCount += 1;
    return reply;
  };
  const start = performance.now();
  // A late message of an earlier attempt, process or worker would otherwise store a session twice, or forget those of this one.
  await send(() => {
    progress.user = createUser(recall.user);
    return { type: 'reset', user: progress.user };
  });
  const { user } = progress;
  for (const session of recall.sessions) {
    await send((failures) => ({ type: 'add', user, session, ...(failures > 0 && { repeated: true }) }));
  }
  const added = performance.now();
  const reply = await send(() => ({ type: 'query', user, request, budget }));
  const queried = performance.now();
  const parsed = queryReplySchema.safeParse(reply);
  if (!parsed.success) {
    throw new MessageFailure(
      'failed',
      `${name} sent an invalid reply. ${describeIssues('Reply to query', parsed.error, reply)}\nReply with context, a text, and if known with sessions, the ids that it comes from.`,
    );
  }
  const { context, sessions } = parsed.data;
  const unknownId = sessions?.find((id) => !recall.sessions.some((session) => session.id === id));
  if (unknownId !== undefined) {
    throw new MessageFailure(
      'failed',
      `${name} named the session ${JSON.stringify(unknownId)}, which this user does not have. Reply with ids of sessions that were added since the last reset of the user.`,
    );
  }
  await closeAnswered(client, progress, signals);
  return omitUndefined({
    context,
    sessions: sessions && [...new Set(sessions)],
    unfinishedMessages: unfinishedCount === 0 ? undefined : unfinishedCount,
    addMs: Math.round(added - start),
    queryMs: Math.round(queried - added),
  });
}

/** Closes a user whose context is known, so that a failure changes nothing. */
async function closeAnswered(
  client: MemoryClient,
  progress: RecallProgress,
  signals: Signals,
): Promise<void> {
  const { user } = progress;
  try {
    await client.send(() => ({ type: 'close', user }), progress, signals);
  } catch (error) {
    if (signals.stopping.aborted) return;
    if (!(error instanceof MessageFailure || error instanceof MemoryError)) throw error;
    client.notice('close', `${error.message} Its answers are used all the same.`);
  }
}

/** Warns early of a memory system that finds nothing, because model calls without its context are paid for. */
function noticeContext(client: MemoryClient, { context, unfinishedMessages = 0 }: Recalled): void {
  const { name, counts } = client;
  counts.recalls += 1;
  if (context.trim() === '') counts.empty += 1;
  if (unfinishedMessages > 0) {
    client.notice(
      'unfinished additions',
      `${name} answered 202 (accepted) to add, so the session may not be found yet when it is asked. Let add return when the session can be found.`,
    );
  }
  if (counts.recalls < EARLIEST_NOTICE || counts.empty * 2 <= counts.recalls) return;
  client.notice(
    'empty contexts',
    `${name} returned nothing for ${counts.empty} of ${formatCount(counts.recalls, 'instance')}. add must return when the session can be found, and query must return what it found in context.`,
  );
}

/** Recalls before a notice that most were empty. */
const EARLIEST_NOTICE = 3;

/** Creates a user that no other attempt, process or worker uses. It is not part of any answer. */
function createUser(name: string): string {
  return `${name}-${randomBytes(6).toString('hex')}`;
}

/** The reason why a memory system cannot be used. */
export interface MemoryProblem {
  readonly message: string;
  /** False if it may pass by itself. */
  readonly isFatal: boolean;
}

/** Sends two messages about a user of no instance. Returns the problem, if there is one. */
export async function findClientProblem(
  client: MemoryClient,
  signal: AbortSignal,
): Promise<MemoryProblem | undefined> {
  const user = createUser('check');
  try {
    await client.sendOnce({ type: 'reset', user }, signal);
    await client.sendOnce({ type: 'close', user }, signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof MessageFailure)) throw error;
    const { effect, message } = error;
    return { message, isFatal: effect === 'failed' || effect === 'forgotten' };
  }
}
