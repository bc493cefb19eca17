/**
 * The task queue of a run's workflows, and of its activities that ask no model. It is the run's own: what the run keeps is in
 * one machine's folder, so no other run's worker could do its work.
 */
export function runQueue(run: string): string {
  return run;
}

/** The task queue of a run's activities that ask models. */
export function callsQueue(run: string): string {
  return `${run}/calls`;
}

/**
 * The task queue of the workflows that control models for all runs of a cluster. Another version of the workflows has another
 * queue: none could go on with what the other has begun.
 */
export function sharedLimitsQueue(codeVersion: string): string {
  return `cupid-limits/${codeVersion}`;
}
