import { join } from 'node:path';
import { createFolderStore, type Store } from '../../data/store/store';

/** File with the plan of a review, in the review's store. It is written last, so a review with a plan is complete. */
export const REVIEW_PLAN = 'inputs/review.json';

export function openReviewStore(path: string): Store {
  return createFolderStore(join(path, '.cupid'), path);
}

/** Returns whether a folder contains a review by people. */
export async function hasReview(path: string): Promise<boolean> {
  return (await openReviewStore(path).read(REVIEW_PLAN)) !== undefined;
}
