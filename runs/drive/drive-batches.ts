import { buildRunQueueName } from '../../engine/task-queues';
import { buildBatchesWorkflowId } from '../../engine/journal/key';
import type { BatchedWork, batches, BatchesResult } from '../../workflows/batch/batches';
import { batchProgress, type BatchProgress } from '../../workflows/messages';
import { driveWorkflow, type IdentifiedService, type RunInProgress } from './drive';
import { readOpenBatches } from '../../data/run/batches';
import { formatCount, pluralize } from '../../schemas/text/count-text';
import { InputError } from '../../schemas/input-error';
import type { RunFolder } from '../folder/run-folder';
import { quotePath } from '../../schemas/text/shell-text';

export interface BatchObserver {
  readonly onBatchProgress: (progress: BatchProgress) => void;
  readonly onBatchesEnded: (result: BatchesResult) => void;
}

/**
 * Starts the workflow of a run's batches, or continues with the running one, so that batches answer as many calls as they can.
 * @param waitMs milliseconds to wait for a batch
 */
export async function carryOutBatches(
  { engine, follow }: RunInProgress,
  run: string,
  work: BatchedWork,
  waitMs: number,
  observer: BatchObserver,
): Promise<void> {
  await using driven = await startBatches(engine, run, work, waitMs);
  observer.onBatchesEnded(await follow(driven, observer.onBatchProgress));
}

async function startBatches(service: IdentifiedService, run: string, work: BatchedWork, waitMs: number) {
  return driveWorkflow<typeof batches, BatchProgress>(service, {
    workflow: 'batches',
    workflowId: buildBatchesWorkflowId(run),
    taskQueue: buildRunQueueName(run, service.version),
    args: [{ run, work, waitMs }],
    window: 0,
    progress: batchProgress,
  });
}

/** Refuses a command without `--batch` while a batch is open, because its calls would be paid for twice. @throws InputError */
export async function refuseOpenBatches({ store, path }: Pick<RunFolder, 'store' | 'path'>): Promise<void> {
  const open = await readOpenBatches(store);
  if (open.length === 0) return;
  const requests = open.reduce((sum, batch) => sum + batch.requests, 0);
  const them = pluralize(open.length, 'it', 'them');
  throw new InputError(
    `${formatCount(open.length, 'batch', 'batches')} with ${formatCount(requests, 'request')} of this run ${pluralize(open.length, 'is', 'are')} still open. Add --batch to continue with ${them}, or cancel ${them} first: cupid cancel ${quotePath(path)}`,
  );
}
