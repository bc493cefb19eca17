import type { LabelAgreement } from '../../rules/analyses/agreement';
import type { Annotation, Revision, ReviewTask } from '../../schemas/review/review';

/** Progress of a review. */
export interface ReviewProgress {
  readonly tasks: number;
  readonly decided: number;
  /** Waiting for the third rater. */
  readonly disputed: number;
  /** Krippendorff's alpha of the two raters' labels. */
  readonly agreement: LabelAgreement;
}

/** Facts that the page of `cupid review` shows at its top. */
export interface ReviewAbout {
  readonly source: string;
  readonly simulated: boolean;
  readonly raters: readonly string[];
  readonly third: string | null;
  readonly progress: ReviewProgress;
}

/** A rater's tasks in the rater's order. The qualification comes first, and alone until it is passed. */
export interface ListedTasks {
  readonly isQualified: boolean;
  readonly all: number;
  readonly done: number;
  /** The next tasks and the latest completed ones. */
  readonly tasks: readonly { readonly task: string; readonly isDone: boolean }[];
}

export interface TaskView {
  readonly task: Omit<ReviewTask, 'instance_types'>;
  /** The rater's own annotation, if there is one. */
  readonly own: Annotation | null;
  /** Annotations of the two others, for the third rater only. */
  readonly others: readonly Annotation[];
}

/** Annotation that the page sends. */
export type NewAnnotation = Pick<Annotation, 'task' | 'rater' | 'realism' | 'implicitness' | 'rejection'> & {
  readonly revisions: readonly Revision[];
  /** One for each item of the checklist. */
  readonly labels: readonly string[];
};
