import type { ApplicationFailure } from '@temporalio/activity';
import { mergeWorkerLedgers } from '../engine/costs/ledger';
import { REJECTED } from '../engine/journal/failed-work';
import type { OwnFailures } from '../engine/limits/failing-calls';
import type { ModelUse } from '../engine/model-facts/uses';
import type { ModelErrorKind } from '../schemas/model/error-kind';
import type { Ledger } from '../schemas/run/ledger';
import type { Unanswered } from '../schemas/run/outcome';
import { formatCount } from '../schemas/text/count-text';
import { formatDuration } from '../schemas/text/numbers';
import { isLasting } from './call-gate';
import { settleRun } from './settle-run';
import type { World } from './world';

type CallWorld = Pick<World, 'run' | 'gate' | 'ledger' | 'answersCheck'>;

/**
 * Returns why a call gets no answer: a retry would not help, or its failure lasts while other calls are answered. Undefined if it is sent again.
 * @param use model and parameters of the call; undefined if its request could not be built
 */
export async function findFinalFailure(
  world: CallWorld,
  key: string,
  { error, failure }: { readonly error: unknown; readonly failure: ApplicationFailure },
  use: Required<ModelUse> | undefined,
): Promise<Unanswered | undefined> {
  const kind = failure.type ?? 'unexpected';
  const { message: cause } = failure;
  if (failure.nonRetryable !== true) {
    if (use === undefined || !isLasting(error)) return undefined;
    const evidence = await findOwnFailures(world, key, use);
    return evidence && { kind, cause: `${cause} ${formatOwnFailures(evidence)}` };
  }
  if (use === undefined || kind !== SET_UP_REJECTION || !(await isRequestAtFault(world, key, use)))
    return { kind, cause };
  return { kind: REJECTED, cause: `${cause} ${OTHERS_ACCEPTED}` };
}

/** Returns the evidence that a call fails by itself; undefined if it may be answered. */
async function findOwnFailures(
  { gate: { failing }, answersCheck }: CallWorld,
  key: string,
  use: Required<ModelUse>,
): Promise<OwnFailures | undefined> {
  const evidence = failing.findOwnFailures(key, performance.now());
  if (evidence === undefined && failing.needsCheck(key, performance.now()) && (await answersCheck(use)))
    failing.checked(key, performance.now());
  return evidence;
}

function formatOwnFailures({ failures, forMs, othersAnswered }: OwnFailures): string {
  const answeredCalls =
    othersAnswered === 0
      ? 'a short call to this model was'
      : `${formatCount(othersAnswered, 'other call')} to this model ${othersAnswered === 1 ? 'was' : 'were'}`;
  return `It was sent ${formatCount(failures, 'time')} in ${formatDuration(forMs / 1_000)}, while ${answeredCalls} answered, so the request seems to be the cause.`;
}

/** Kind of a rejection that usually means an invalid configuration. Some providers reject the content of a prompt in the same way. */
const SET_UP_REJECTION = 'bad-request' satisfies ModelErrorKind;

const OTHERS_ACCEPTED =
  'The model has answered other requests of this step, and answers a short one now, so the content of this request seems to be the cause.';

/**
 * Returns true if a rejected request is the cause itself: the run has answers to others of its step, and the model still answers a short call. If
 * several requests are rejected without an answer between them, the configuration counts as invalid.
 */
async function isRequestAtFault(world: CallWorld, key: string, use: Required<ModelUse>): Promise<boolean> {
  if (world.gate.failing.rejected(use.spec, key) > MOST_REJECTED) return false;
  const isAnswered =
    hasAnswers(world.ledger.rows(), use) ||
    // Earlier commands and other workers may have had answers, too.
    hasAnswers(mergeWorkerLedgers(await settleRun(world.run, 'all')), use);
  return isAnswered && (await world.answersCheck(use));
}

const MOST_REJECTED = 3;

function hasAnswers(rows: Ledger, { spec, step }: Required<ModelUse>): boolean {
  return rows.some((row) => row.spec === spec && row.step === step && row.calls >= ENOUGH_ANSWERS);
}

/** Answers that show that the parameters of a step are valid. */
const ENOUGH_ANSWERS = 3;
