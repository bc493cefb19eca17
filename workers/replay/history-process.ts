import { text } from 'node:stream/consumers';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { ReplayError, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { recordedHistorySchema } from '../../schemas/run/bundle';
import type { HistoryReplay } from './history';

/**
 * Replays the history on standard input, and sends the result. It runs in its own process, because a replay that waits for the missing
 * parts of a damaged history cannot be stopped otherwise.
 */
async function main(codePath = '', workflowId = ''): Promise<HistoryReplay> {
  const { events } = recordedHistorySchema.parse(JSON.parse(await text(process.stdin)));
  const workflowBundle = { codePath };
  const replay = async (count: number): Promise<Error | undefined> => {
    const history = historyFromJSON({ events: events.slice(0, count) });
    try {
      await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
      return undefined;
    } catch (error) {
      if (error instanceof DeterminismViolationError || error instanceof ReplayError) return error;
      throw error;
    }
  };
  const error = await replay(events.length);
  if (error === undefined) return { isReplayable: true };
  // The error does not always name the event. It is the last one of the shortest prefix that fails; the prefix must include the first
  // workflow task.
  let low = 1 + events.findIndex(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_STARTED');
  let high = events.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await replay(middle)) === undefined) low = middle + 1;
    else high = middle;
  }
  return { isReplayable: false, event: high, reason: readReason(error) };
}

/** Extracts the message of Temporal's core from the SDK's error. */
function readReason({ message }: Error): string {
  const [, quotation = message] = /message: "((?:[^"\\]|\\.)*)"/.exec(message) ?? [];
  return quotation.replace(/^\[TMPRL1100\] Nondeterminism error: /, '').replaceAll(/\\(.)/g, '$1');
}

// The command ended, so nobody waits for the result.
process.on('disconnect', () => process.exit());

void main(...process.argv.slice(2))
  .catch((error: unknown) => ({ damage: error instanceof Error ? error.message : String(error) }))
  .then((result) => process.send?.(result, () => process.exit()));
