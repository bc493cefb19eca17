import { buildRunQueueName } from '../../engine/task-queues';
import type { RunInputs } from '../../schemas/run/run';
import { progress, type RunProgress } from '../../workflows/messages';
import type { run, RunInput, RunResult } from '../../workflows/synthesis/run';
import { buildBatches } from '../../engine/journal/batches';
import { driveWorkflow, type DrivenWorkflow, type IdentifiedService } from './drive';

export type DrivenRun = DrivenWorkflow<RunProgress, RunResult>;

/**
 * Starts the workflow of a synthesis run, or finds it still running and continues with it.
 * @param concurrency most model calls in flight: the window of open dialogues follows from it
 * @param timing for tests, which do not wait for a minute
 */
export async function driveRun(
  service: IdentifiedService,
  inputs: RunInputs,
  concurrency: number,
  timing: Pick<RunInput, 'checkIntervalMs'> = {},
): Promise<DrivenRun> {
  const window = computePersonaWindow(concurrency);
  return driveWorkflow<typeof run, RunProgress>(service, {
    workflow: 'run',
    workflowId: inputs.id,
    taskQueue: buildRunQueueName(inputs.id, service.version),
    args: [
      {
        settings: inputs.settings,
        batches: buildBatches(inputs),
        ...(inputs.restarts.length === 0 ? {} : { restarts: inputs.restarts }),
        window,
        ...timing,
      },
    ],
    window,
    progress,
  });
}

/**
 * Dialogues of the personas that are open at once. An open dialogue has one call in flight; while a persona is planned its dialogues have
 * none yet, and others end before it does. With 2.5 for each call, simulated runs of 40 to 200 personas kept 99 % of the calls in flight
 * from the first minute to the last, with 4 to 128 in flight at most; with 2 some kept 95 %.
 */
export function computePersonaWindow(concurrency: number): number {
  return Math.ceil(concurrency * 2.5);
}
