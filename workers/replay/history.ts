import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import * as z from 'zod';
import { PROGRAM_FOLDER } from '../../data/program-folder';
import { getWorkflow } from '../../engine/journal/work';
import type { Bundle, RecordedHistory } from '../../schemas/run/bundle';
import { RecordingDamaged, REPLAY_LIMIT_MS } from './bundled-calls';

/** Result of replaying a history with today's workflow code. */
export type HistoryReplay =
  | { readonly isReplayable: true }
  /** Number of the first event that the code does not reproduce, and Temporal's reason. */
  | { readonly isReplayable: false; readonly event: number; readonly reason: string };

const messageSchema = z.union([
  z.object({ isReplayable: z.literal(true) }),
  z.object({ isReplayable: z.literal(false), event: z.number(), reason: z.string() }),
  z.object({ damage: z.string() }),
]);

/**
 * Replays the history of a workflow with recorded work, in another process with a time limit of a minute.
 * @param codePath the bundled workflows
 * @throws RecordingDamaged when Temporal cannot read the history, or its replay does not end
 */
export async function replayHistory(
  { inputs, work, failure }: Pick<Bundle, 'inputs' | 'work' | 'failure'>,
  { events }: RecordedHistory,
  codePath: string,
): Promise<HistoryReplay> {
  const damaged = (problem: string) => new RecordingDamaged({ inputs, work }, problem);
  const problem = findHistoryProblem(events, failure !== undefined);
  if (problem !== undefined) throw damaged(problem);
  const signal = AbortSignal.timeout(REPLAY_LIMIT_MS);
  const child = fork(PROCESS, [codePath, getWorkflow(inputs.id, work).id], {
    // The SDK logs every failed replay, which is a result here.
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  });
  // A process that ends early does not read all of its input.
  child.stdin?.on('error', () => undefined).end(JSON.stringify({ events }));
  const exit = once(child, 'exit').then(() => [{ damage: 'its process ended' }]);
  const [message] = await Promise.race([once(child, 'message'), exit]).catch((error: unknown) => {
    if (signal.aborted) throw damaged('the replay of its history did not end');
    throw error;
  });
  const result = messageSchema.parse(message);
  if ('damage' in result) throw damaged(`Temporal cannot replay its history (${result.damage})`);
  return result;
}

/** Finds missing parts of a history that a replay would wait for, or would not notice. */
function findHistoryProblem(events: RecordedHistory['events'], isFailure: boolean): string | undefined {
  const wrongIndex = events.findIndex(({ eventId }, at) => eventId !== String(at + 1));
  if (wrongIndex >= 0) {
    return `event ${wrongIndex + 1} of its history has the number ${JSON.stringify(events[wrongIndex]?.eventId)}`;
  }
  if (events[0]?.eventType !== 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED') {
    return 'event 1 of its history does not start a workflow';
  }
  if (!events.some(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_STARTED')) {
    return `its history ends at event ${events.length}, before the workflow ran`;
  }
  return isFailure && !events.some(isKeptFailure)
    ? `its history ends at event ${events.length}, before the failure that the bundle is about`
    : undefined;
}

/** Returns true for the start of the activity that stores a failure and writes its bundle. */
function isKeptFailure(event: object): boolean {
  return JSON.stringify(event).includes('"activityType":{"name":"keepFailure"}');
}

const PROCESS = join(PROGRAM_FOLDER, 'cli', 'replay-history.js');
