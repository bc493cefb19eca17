import { computeLabelAgreement } from '../../rules/analyses/agreement';
import { decideTask, type TaskOutcome } from '../../rules/review/outcome';
import type { ReviewTask } from '../../schemas/review/review';
import type { ReviewProgress } from './answers';
import type { Annotations, ReviewFolder } from './folder';

/** Computes the outcome of each task so far. */
export function decideTasks(
  { plan, tasks }: Pick<ReviewFolder, 'plan' | 'tasks'>,
  annotations: Annotations,
): Map<ReviewTask, TaskOutcome> {
  return new Map(
    [...tasks.values()].map((task) => [task, decideTask(task, annotations.getLatest(task.task), plan)]),
  );
}

/** Returns a function that computes the progress of a review, again only after a new annotation. */
export function followProgress(review: ReviewFolder, annotations: Annotations): () => ReviewProgress {
  let known: { readonly count: number; readonly progress: ReviewProgress } | undefined;
  return () => {
    const { count } = annotations;
    if (known?.count !== count) known = { count, progress: computeReviewProgress(review, annotations) };
    return known.progress;
  };
}

export function computeReviewProgress(
  review: Pick<ReviewFolder, 'plan' | 'tasks'>,
  annotations: Annotations,
): ReviewProgress {
  const { plan, tasks } = review;
  const outcomes = [...decideTasks(review, annotations).values()];
  return {
    tasks: tasks.size,
    decided: outcomes.filter(({ state }) => state === 'decided').length,
    disputed: outcomes.filter(({ state }) => state === 'disputed').length,
    agreement: computeLabelAgreement(
      [...tasks.values()].flatMap(({ task, checklist }) => {
        const given = plan.raters.flatMap((rater) => annotations.getLatest(task).get(rater) ?? []);
        // An item that only one rater labeled does not count for agreement.
        if (given.length < 2) return [];
        return checklist.map((_, item) => given.flatMap(({ labels }) => labels[item] ?? []));
      }),
    ),
  };
}
