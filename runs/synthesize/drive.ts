import { buildRunQueueName } from '../../engine/task-queues';
import type { RunInputs } from '../../schemas/run/run';
import { progress, type RunProgress } from '../../workflows/messages';
import type { run, RunInput, RunResult } from '../../workflows/synthesis/run';
import { buildBatches } from '../../engine/journal/batches';
import { driveWorkflow, type DrivenWorkflow, type IdentifiedService } from '../drive/drive';

export type DrivenRun = DrivenWorkflow<RunProgress, RunResult>;

/**
 * Starts the workflow of a synthesis run, or continues with the running one.
 * @param concurrency maximum calls in flight; determines the window of open dialogues
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
 * Computes the maximum of open dialogues, over all personas. An open dialogue has one call in flight. A persona that is being planned has
 * no dialogues yet, and others end before it does, so the window exceeds the calls. Measured in simulated runs of 40 to 200 personas with
 * at most 4 to 128 calls in flight. With 2.5 dialogues for each call, 99 % of the calls were in flight throughout; with 2, some runs kept
 * 95 %. With few calls in flight, a few personas more keep the last one of a short run from being alone.
 */
export function computePersonaWindow(concurrency: number): number {
  return Math.min(Math.ceil(Math.max(concurrency * 2.5, Math.min(concurrency * 6, 48))), MOST_OPEN);
}

/** A persona counts as four dialogues or more (`PersonaWindow`), and is a child workflow, of which Temporal allows 2,000. */
const MOST_OPEN = 7_900;
