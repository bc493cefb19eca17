import { runQueue } from '../rules/task-queues';
import type { RunInputs } from '../schemas/run';
import { progress, type RunProgress } from '../workflows/messages';
import type { Batch, run, RunResult } from '../workflows/run';
import { drive, type Driven, type IdentifiedService } from './drive';

export type { RunProgress, RunResult };

/** The workflow of a synthesis run, seen from a command. */
export type DrivenRun = Driven<RunProgress, RunResult>;

/**
 * Starts the workflow of a synthesis run, or finds it still running and goes on with it.
 * @param concurrency most model calls in flight: the window of open personas follows from it
 */
export async function driveRun(
  service: IdentifiedService,
  inputs: RunInputs,
  concurrency: number,
): Promise<DrivenRun> {
  const window = windowFor(concurrency);
  return drive<typeof run, RunProgress>(service, {
    workflow: 'run',
    workflowId: inputs.id,
    taskQueue: runQueue(inputs.id),
    args: [
      {
        settings: inputs.settings,
        batches: batchesOf(inputs),
        ...(inputs.restarts.length === 0 ? {} : { restarts: inputs.restarts }),
        window,
      },
    ],
    window,
    progress,
  });
}

/**
 * Personas open at once, and a batch more. A persona has one call in flight while it is planned and up to twelve while its
 * dialogues run: with one for every four calls the planning of some overlaps with the dialogues of others.
 */
export function windowFor(concurrency: number): number {
  return Math.max(4, Math.ceil(concurrency / 4));
}

/**
 * Batches of descriptions; none reaches over a number of personas the run once had, so that growing changes none. Personas
 * that are described once more are a batch each, after those that all were described in.
 */
export function batchesOf({ settings, growth, restarts }: RunInputs): Batch[] {
  const batches: Batch[] = [];
  let first = 1;
  for (const personas of growth) {
    for (; first <= personas; first += settings.describeBatch) {
      batches.push({ first, count: Math.min(settings.describeBatch, personas - first + 1) });
    }
    first = personas + 1;
  }
  const again = new Map<number, number>();
  for (const { persona, step, generation } of restarts)
    if (step === 'describe') again.set(persona, generation);
  return [
    ...batches,
    ...[...again].map(([persona, generation]) => ({ first: persona, count: 1, generation })),
  ];
}
