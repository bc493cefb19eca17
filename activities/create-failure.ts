import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { JournalError } from '../data/run/journal';
import { IrregularFile } from '../data/store/own-file';
import { explainError } from '../data/store/explain-error';
import { DISK_WAIT_MS, classifyDiskError } from '../data/store/system-error';
import { IRREGULAR_FILE, JOURNAL_DAMAGED } from '../engine/journal/failed-work';
import { ModelError } from '../models/errors/error';
import { MemoryError } from '../models/memory/error';
import { OutdatedPlan } from '../schemas/run/outdated-plan';
import { CallRejected, GateStopped } from './call-gate';
import type { World } from './world';

/** Tries of an unclassified error, or of a response that is no answer, before its persona fails. */
const MOST_TRIES = 3;

/**
 * Tries of each activity in this process that ended in an error with limited retries; timeouts and 429s do not count. Only the latest are
 * kept, because another process may make the next try.
 */
const bounded = new LRUCache<string, number>({ max: 10_000 });

/** Counts a try. Returns true for the last one. */
function isLastTry(id: string): boolean {
  const tries = (bounded.get(id) ?? 0) + 1;
  const isLast = tries >= MOST_TRIES;
  if (isLast) bounded.delete(id);
  else bounded.set(id, tries);
  return isLast;
}

/** Marks failures with expected retries, which are no errors in metrics and logs. */
const { BENIGN } = ApplicationFailureCategory;

function createExpectedRetry(message: string, type: string): ApplicationFailure {
  return ApplicationFailure.create({ message, type, category: BENIGN, nextRetryDelay: RETRY_MS });
}

/** Returns true for an error after which another process, or a later attempt of the activity, must make the call. */
export function needsAnotherProcess(error: unknown): boolean {
  return error instanceof GateStopped || error instanceof CallRejected || error instanceof OutdatedPlan;
}

const RETRY_MS = 1_000;

/**
 * Converts an error to the failure that Temporal sees, and so decides whether and when it is tried again. Errors that pass by themselves,
 * such as a lost connection or a full disk, are retried without limit, no sooner than the provider asks. Errors that cannot pass are
 * never retried. Refused content and an exceeded context length fail their persona. A rejected key, model name or request stops the run;
 * so does a journal of other settings or code, or a link in place of a file. Unexpected errors and invalid responses are tried three times,
 * because each try may be paid for.
 * @param id of the activity or the call, by which its tries are counted
 */
export function createFailure(error: unknown, { emit }: Pick<World, 'emit'>, id: string): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error ? { cause: error } : {};
  if (error instanceof GateStopped) {
    return createExpectedRetry(message, 'stopping');
  }
  if (error instanceof CallRejected) {
    return createExpectedRetry(message, 'turned-away');
  }
  if (error instanceof OutdatedPlan) {
    return ApplicationFailure.create({ message, type: 'outdated-plan', nextRetryDelay: 2 * RETRY_MS });
  }
  const disk = classifyDiskError(error);
  if (disk !== undefined) {
    emit({ type: 'delayed', cause: disk, message: explainError(error) ?? message });
    return ApplicationFailure.create({ message, type: disk, nextRetryDelay: DISK_WAIT_MS });
  }
  if (error instanceof ModelError) {
    if (error.kind === 'invalid-response') return createBoundedFailure(error, emit, id);
    // Reported during the run, because every long request to the model fails in the same way.
    if (error.kind === 'window-exceeded') emit({ type: 'delayed', cause: error.kind, message });
  }
  if (error instanceof ModelError || error instanceof MemoryError) {
    const { kind, retryAfterMs } = error;
    if (!error.isRetryable)
      return ApplicationFailure.create({ message, type: kind, nonRetryable: true, ...cause });
    emit({ type: 'delayed', cause: kind, message });
    const delay = retryAfterMs === undefined ? {} : { nextRetryDelay: retryAfterMs };
    return ApplicationFailure.create({ message, type: kind, category: BENIGN, ...cause, ...delay });
  }
  if (error instanceof JournalError) {
    return ApplicationFailure.create({ message, type: JOURNAL_DAMAGED, nonRetryable: true, ...cause });
  }
  if (error instanceof IrregularFile) {
    return ApplicationFailure.create({ message, type: IRREGULAR_FILE, nonRetryable: true });
  }
  return ApplicationFailure.create({ message, type: 'unexpected', nonRetryable: isLastTry(id), ...cause });
}

/**
 * Returns a failure with a limited number of tries: a response that is no answer may come from a gateway for a moment, but may be paid for
 * each time.
 */
function createBoundedFailure(error: ModelError, emit: World['emit'], id: string): ApplicationFailure {
  const { message, kind, isUnknownServer } = error;
  emit({ type: 'delayed', cause: kind, message });
  const isLast = isLastTry(id);
  // If the server never answered, the configuration is wrong, and every other persona would fail too.
  const type = isLast && isUnknownServer ? 'bad-request' : kind;
  return ApplicationFailure.create({
    message: isLast ? `${message} The call was tried ${MOST_TRIES} times.` : message,
    type,
    nonRetryable: isLast,
    cause: error,
    ...(isLast ? {} : { nextRetryDelay: INVALID_RESPONSE_WAIT_MS }),
  });
}

// A gateway that restarts sends pages for some seconds.
const INVALID_RESPONSE_WAIT_MS = 15_000;
