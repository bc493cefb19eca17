import { openReviewStore } from '../../../../runs/folder/review-store';
import { buildAnnotation, getReviewScratch, type ReviewFolder } from '../../../../runs/review/folder';
import { FOLDER_FORMAT } from '../../../../schemas/run/folder-format';
import type { Annotation, NewAnnotation, ReviewPlan, ReviewTask } from '../../../../schemas/review/review';

/** Builds a review by two raters in this folder, with these tasks. */
export function buildReview(
  path: string,
  tasks: readonly ReviewTask[],
  plan: Partial<ReviewPlan> = {},
): ReviewFolder {
  return {
    path,
    store: openReviewStore(path),
    scratch: getReviewScratch(path),
    plan: {
      format: FOLDER_FORMAT,
      id: 'cupid-review-recorded',
      data: { argument: 'out', source: 'out', files: [], sha256: 'a'.repeat(64), instances: 3 },
      seed: 42,
      raters: ['anna', 'ben'],
      third: null,
      accept: 'all',
      sample: null,
      tasks: tasks.length,
      ...plan,
    },
    tasks: new Map(tasks.map((task) => [task.task, task])),
  };
}

/** Builds an annotation of the page, with one label for all entries or a label for each. */
export function annotate(
  { task, checklist, ...rest }: ReviewTask,
  labels: string | readonly string[],
  rater = 'anna',
  changes: Partial<NewAnnotation> = {},
): Annotation {
  const annotation = {
    task,
    rater,
    labels: checklist.map((_, item) => (typeof labels === 'string' ? labels : (labels[item] ?? ''))),
    realism: 4,
    implicitness: 4,
    revisions: [],
    rejection: null,
    ...changes,
  };
  return buildAnnotation({ task, checklist, ...rest }, annotation);
}
