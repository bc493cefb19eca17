import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { buildModelTable } from '../../data/model-table';
import { changeOpenBatch, readBatchCalls, writeBatch } from '../../data/run/batches';
import { writeLedger } from '../../data/run/ledger';
import { readSteering } from '../../data/run/steering';
import { computeExpected, computeSpentByWorker } from '../../engine/costs/prices';
import { buildSentLines, tallyLines, buildFailedLines } from '../../engine/costs/ledger';
import { formatAmount } from '../../schemas/text/amount-text';
import { formatCount } from '../../schemas/text/count-text';
import { ModelError } from '../../models/errors/error';
import type { ModelErrorKind } from '../../schemas/model/error-kind';
import type { Batch } from '../../schemas/run/batch';
import type { Steering } from '../../schemas/run/steering';
import { settleRun } from '../settle-run';
import type { RunFiles, World } from '../world';
import { createUnlistedError, findSent } from './find-sent';
import { keepOldest } from './keep-oldest';
import { openBatch } from './open-batch';

/**
 * Sends a batch once. Its sending is recorded beforehand. After a crash meanwhile, or an ambiguous answer, the provider's list is searched
 * for it before it is sent again. A batch that the provider rejects for `waitMs`, or forever, is given up.
 * @throws ApplicationFailure `budget` when it may cost more than is left; ModelError
 */
export async function submitBatch(
  world: Pick<World, 'run' | 'batches' | 'emit'>,
  input: { readonly run: string; readonly number: number; readonly waitMs: number },
): Promise<void> {
  const open = await openBatch(world, input);
  const { files, batch, file, model, ask } = open;
  const { store } = files;
  if (batch.end !== undefined || batch.providerId !== undefined) return;
  const calls = await readBatchCalls(store, batch);
  let before = batch.submission;
  if (before === undefined) {
    const steering = await readSteering(store);
    refuseWhilePaused(steering);
    await requireBudget(files, batch, steering);
    before = { sentAtMs: Date.now(), account: model.account, sends: 0 };
    await writeLedger(store, batch.id, buildSentLines(batch, calls, before.sentAtMs));
  } else {
    const search = await findSent(store, batch, (sent) => ask((provider) => provider.find(sent)));
    if ('againInMs' in search) throw createUnlistedError(batch, search.againInMs);
    const [oldest, ...laterIds] = search.ids;
    if (oldest !== undefined) {
      await keepOldest(world, open, [oldest, ...laterIds]);
      return;
    }
  }
  const { missingSinceMs: _, sends = 1, ...first } = before;
  const submission = { ...first, sends: sends + 1 };
  if (!(await changeOpenBatch(store, batch.number, { submission }))) return;
  let providerId: string;
  try {
    providerId = await model.submit({ ...file, sentAtMs: submission.sentAtMs });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (error.kind === 'bad-key') {
      // A rejected key sent nothing, so the batch is not bound to it.
      await writeLedger(store, batch.id, buildFailedLines(batch, calls, submission.sentAtMs, error.kind));
      await changeOpenBatch(store, batch.number, { submission: sends === 0 ? undefined : before });
    } else if (REJECTED_FOR_NOW.has(error.kind)) {
      await changeOpenBatch(store, batch.number, { submission: before });
    }
    const isFull = REJECTED_FOR_NOW.has(error.kind) && Date.now() - submission.sentAtMs > input.waitMs;
    if (!isFull && !NOT_TAKEN.has(error.kind)) throw error;
    // For example, the model takes no batches: its calls are sent one by one.
    const lines = buildFailedLines(batch, calls, submission.sentAtMs, error.kind);
    await writeLedger(store, batch.id, lines);
    const unansweredKeys = calls.map(({ key }) => key);
    const end = { outcome: 'failed', answers: 0, unansweredKeys, message: error.message } as const;
    await writeBatch(store, { ...batch, submission, end });
    world.emit({ type: 'batch', rows: tallyLines(batch.id, lines) });
    world.emit({ type: 'delayed', cause: `batch ${batch.number} not accepted`, message: error.message });
    return;
  }
  const isOpen = await changeOpenBatch(store, batch.number, { submission, providerId });
  // The batch was cancelled while it was sent, so its calls may be in another batch by now.
  if (!isOpen) await model.cancel(providerId);
}

/** Errors of a provider that would never accept a batch. */
const NOT_TAKEN: ReadonlySet<ModelErrorKind> = new Set([
  'bad-request',
  'unknown-model',
  'too-large',
  'context-length',
  'refused',
]);

/** Errors of a provider that accepts no more batches for now. After other errors it may have accepted the batch. */
const REJECTED_FOR_NOW: ReadonlySet<ModelErrorKind> = new Set(['rate-limit', 'no-capacity']);

function refuseWhilePaused({ paused }: Steering): void {
  if (!paused) return;
  throw ApplicationFailure.create({
    message: 'The run is paused.',
    type: 'paused',
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: '3 seconds',
  });
}

async function requireBudget(run: RunFiles, batch: Batch, steering: Steering): Promise<void> {
  const { budget } = steering;
  if (budget === undefined) return;
  const { cap, unit } = budget;
  const table = buildModelTable(steering);
  // After a crash, this batch may already be in its ledger.
  const ledgers = await settleRun(run, [], batch.id);
  const spentAmount = Object.values(computeSpentByWorker(ledgers, table)).reduce(
    (sum, amounts) => sum + amounts[unit],
    0,
  );
  const expected = computeExpected({ spec: batch.spec, tier: 'batch' }, batch.estimate, unit, table);
  if (spentAmount + expected <= cap) return;
  throw ApplicationFailure.nonRetryable(
    `The next batch (${formatCount(batch.requests, 'request')} of step ${batch.step} to ${batch.spec}) may cost ${formatAmount(expected, unit)}, but only ${formatAmount(Math.max(0, cap - spentAmount), unit)} of the budget of ${formatAmount(cap, unit)} is left. ` +
      'It was not sent. Raise the budget, then repeat the same command: cupid set RUN --budget AMOUNT',
    'budget',
  );
}
