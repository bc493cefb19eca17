/**
 * The task queue of a run's workflows, and of its activities that ask no model. It is the run's own: what the run keeps is in
 * one machine's folder, so no other run's worker could do its work.
 */
export function runQueue(run: string): string {
  return run;
}

/** The task queue of a run's calls to one model, so that the server can hold the model's limits. */
export function modelQueue(run: string, spec: string): string {
  return `${run}/${spec}`;
}

/** `TASK_QUEUE_TYPE_ACTIVITY`, as Temporal's API numbers it: a queue that hands out activities. */
export const ACTIVITY_QUEUE = 2;

/**
 * The task queue of the workflows that keep models' limits for all runs of a cluster. Another version of the workflows has another
 * queue: none could go on with what the other has begun.
 */
export function sharedLimitsQueue(codeVersion: string): string {
  return `cupid-limits/${codeVersion}`;
}
