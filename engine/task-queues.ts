/**
 * The task queue of a run's workflows, and of its activities that ask no model. It is the run's own: what the run keeps is in
 * one machine's folder, so no other run's worker could do its work.
 */
export function buildRunQueueName(run: string): string {
  return run;
}

/** The task queue of a run's activities that ask models. */
export function buildCallsQueueName(run: string): string {
  return `${run}/calls`;
}
