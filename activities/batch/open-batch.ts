import { formatGivingUp, readBatch, readBatchRequests } from '../../data/run/batches';
import { ModelError } from '../../models/errors/error';
import { isRetryable } from '../../schemas/model/error-kind';
import type { BatchFile, BatchModel } from '../../models/batches/batch';
import { formatCount } from '../../schemas/text/count-text';
import type { Batch } from '../../schemas/run/batch';
import type { RunFiles, World } from '../world';
import { LISTED_WITHIN_MS } from './find-sent';

/** A batch of a run, and the model that answers it. */
export interface OpenBatch {
  readonly files: RunFiles;
  readonly batch: Batch;
  readonly file: BatchFile;
  readonly model: BatchModel;
  /** Asks the provider about a batch that was sent. @throws ModelError that says so if key or address have changed since */
  readonly ask: <T>(question: (model: BatchModel) => Promise<T>) => Promise<T>;
}

/** @throws BatchError, ModelError */
export async function openBatch(
  world: Pick<World, 'run' | 'batches'>,
  { number }: { readonly number: number },
): Promise<OpenBatch> {
  const { run: files } = world;
  const batch = await readBatch(files.store, number);
  const model = await world.batches(batch.spec);
  if (model === undefined) throw new Error(`${batch.spec} does not support batches.`);
  const file = buildBatchFile(batch, () => readBatchRequests(files.store, batch));
  return { files, batch, file, model, ask: (question) => askProvider(batch, model, question) };
}

function buildBatchFile(batch: Batch, read: BatchFile['read']): BatchFile {
  const { id, requests, submission } = batch;
  return { id, requests, sentAtMs: submission?.sentAtMs ?? Date.now(), read };
}

/** Some providers do not know a new batch at once. */
const UNKNOWN_YET_MS = 5_000;

/** @throws ModelError with the remedy if the provider does not know the batch, or denies access to it */
async function askProvider<T>(
  batch: Batch,
  model: BatchModel,
  question: (model: BatchModel) => Promise<T>,
): Promise<T> {
  const isOther = batch.submission !== undefined && batch.submission.account !== model.account;
  try {
    // Another key would not see it in the list of batches, and it would be sent again.
    if (isOther && batch.providerId === undefined) {
      throw new ModelError('bad-key', 'Only with these can cupid find out whether the batch arrived.');
    }
    return await question(model);
  } catch (error) {
    if (!(error instanceof ModelError) || isRetryable(error.kind)) throw error;
    const isYoung =
      batch.submission !== undefined && Date.now() - batch.submission.sentAtMs < LISTED_WITHIN_MS;
    if (error.kind === 'unknown-model' && isYoung && !isOther) {
      throw new ModelError(
        'unavailable',
        `Batch ${batch.id} was just sent. ${error.message}`,
        UNKNOWN_YET_MS,
      );
    }
    const problem = `Batch ${batch.id} (${formatCount(batch.requests, 'request')} to ${batch.spec}) cannot be read`;
    const reason = isOther
      ? '. It was sent with another key or to another address than those that are set now: restore the earlier ones'
      : '';
    throw new ModelError(
      error.kind,
      `${problem}${reason}. ${error.message} Then repeat the same command. ${formatGivingUp(batch)}`,
    );
  }
}
