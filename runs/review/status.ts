import { join } from 'node:path';
import { hasFile } from '../../data/folders/folder';
import { findLockHolder, type LockHolder } from '../../data/store/lock';
import { summarizeReview, type ReviewSummary } from '../../rules/review/summary';
import { getLockFile } from '../folder/run-lock';
import { readReviewOutline } from './folder';
import { REVIEW_FILES } from '../../schemas/review/review';

/** Progress of a review. Without what raters agree on, which nobody sees before the end. */
export interface ReviewStatus extends Pick<ReviewSummary, 'tasks' | 'decidedTasks' | 'disputedTasks'> {
  readonly kind: 'review';
  readonly id: string;
  /** The reviewed data, as the user named it. */
  readonly data: string;
  /** Number of tasks that each rater has done, the third rater last. */
  readonly raters: readonly { readonly rater: string; readonly tasks: number }[];
  /** The process that serves its page; null if there is none. */
  readonly server: LockHolder | null;
  /** Path of the accepted instances in its folder; null until they are written. */
  readonly acceptedFile: string | null;
}

/** Reads the status of a review. Undefined if the folder contains none. @throws DataError when the review is invalid */
export async function readReviewStatus(path: string): Promise<ReviewStatus | undefined> {
  const review = await readReviewOutline(path);
  if (review === undefined) return undefined;
  const { tasks, decidedTasks, disputedTasks, raters } = summarizeReview(review);
  const { id, data } = review.plan;
  return {
    kind: 'review',
    id,
    data: data.argument,
    tasks,
    decidedTasks,
    disputedTasks,
    raters: raters.map(({ rater, tasks: count }) => ({ rater, tasks: count })),
    server: (await findLockHolder(getLockFile(path), path)) ?? null,
    acceptedFile: (await hasFile(join(path, REVIEW_FILES.rows))) ? REVIEW_FILES.rows : null,
  };
}
