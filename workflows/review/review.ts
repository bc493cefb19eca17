import { condition, defineQuery, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

/** Ends a review: all tasks are decided, or the instances of open ones are left out. */
export const finishReview = defineSignal('finishReview');

export const reviewState = defineQuery<ReviewState>('reviewState');

export interface ReviewState {
  /** True once the data set is being written. */
  readonly finishing: boolean;
}

export interface ReviewResult {
  readonly accepted: number;
  readonly rejected: number;
  /** Left out because a task that they depend on is open. */
  readonly open: number;
  /** Left out because no task decides whether each of their preferences is expressed. */
  readonly unreviewable: number;
  readonly revised: number;
}

export interface ReviewActivities {
  /** Writes the data set from the stored annotations. */
  writeReviewedData(): Promise<ReviewResult>;
}

const { writeReviewedData } = proxyActivities<ReviewActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
});

/**
 * Waits for people, possibly for days, and writes the reviewed data set once the review ends (paper, 3.2 and E). Annotations are stored in files
 * and not signalled, because Temporal limits the signals of a workflow.
 */
export async function review(): Promise<ReviewResult> {
  let finishing = false;
  setHandler(finishReview, () => {
    finishing = true;
  });
  setHandler(reviewState, () => ({ finishing }));
  await condition(() => finishing);
  return writeReviewedData();
}
