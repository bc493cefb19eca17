/**
 * Something is not in the plan of a run as this process has read it: the run has grown since. The process is about to read it again, or
 * another one does the work.
 */
export class OutdatedPlan extends Error {
  override readonly name = 'OutdatedPlan';
}
