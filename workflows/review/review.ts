import { condition, defineQuery, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

/** How many of a review's tasks are decided: it says what is, so that a signal that arrives twice counts once. */
export const tasksDecided = defineSignal<[number]>('tasksDecided');

/** Ends a review although tasks are open: their instances are left out. */
export const finishReview = defineSignal('finishReview');

export const reviewState = defineQuery<ReviewState>('reviewState');

export interface ReviewState {
  readonly tasks: number;
  readonly decided: number;
  /** True once the data set is being written. */
  readonly finishing: boolean;
}

export interface ReviewResult {
  readonly accepted: number;
  readonly rejected: number;
  /** Left out, since a task that they depend on is open. */
  readonly open: number;
  readonly revised: number;
}

export interface ReviewActivities {
  /** Writes the data set from the annotations that are kept. */
  writeReviewedData(): Promise<ReviewResult>;
}

const { writeReviewedData } = proxyActivities<ReviewActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
});

/**
 * Waits for people, for days if need be, and writes the reviewed data set once all tasks are decided (paper, 3.2 and E). The annotations are
 * in files; this workflow learns how many tasks they decide.
 */
export async function review({ tasks }: { readonly tasks: number }): Promise<ReviewResult> {
  let decided = 0;
  let isEnded = false;
  let finishing = false;
  setHandler(tasksDecided, (count) => {
    decided = count;
  });
  setHandler(finishReview, () => {
    isEnded = true;
  });
  setHandler(reviewState, () => ({ tasks, decided, finishing }));
  await condition(() => isEnded || decided >= tasks);
  finishing = true;
  return writeReviewedData();
}
