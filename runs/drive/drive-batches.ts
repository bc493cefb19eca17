import { buildRunQueueName } from '../../engine/task-queues';
import { buildBatchesWorkflowId } from '../../journal/key';
import type { BatchedWork, batches, BatchesResult } from '../../workflows/batch/batches';
import { batchProgress, type BatchProgress } from '../../workflows/messages';
import { driveWorkflow, type IdentifiedService } from './drive';
import type { RunInProgress } from './carry-out';

/** What a command shows of a run's batches. */
export interface BatchObserver {
  readonly onBatchProgress: (progress: BatchProgress) => void;
  readonly onBatchesEnded: (result: BatchesResult) => void;
}

/**
 * Has batches answer what they can of some work of a run: starts their workflow, or finds it still running and continues with it.
 * @param waitMs that a batch is waited for
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
