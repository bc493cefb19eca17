/**
 * Something is missing from the plan of a run as this process has read it, because the run has grown. The process reads it again, or another one
 * does the work.
 */
export class OutdatedPlan extends Error {
  override readonly name = 'OutdatedPlan';
}
