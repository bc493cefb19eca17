import type { LabelAgreement } from '../../rules/analyses/agreement';
import type { Annotation, Revision, ReviewTask } from '../../schemas/review/review';

/** How far a review is. */
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

/** A rater's tasks in the rater's order; those of the qualification first, and alone until they are passed. */
export interface ListedTasks {
  readonly isQualified: boolean;
  readonly all: number;
  readonly done: number;
  /** Few enough to look over: the next tasks, and the latest that are done. */
  readonly tasks: readonly { readonly task: string; readonly isDone: boolean }[];
}

export interface TaskView {
  readonly task: Omit<ReviewTask, 'instance_types'>;
  /** The rater's own, if there is one. */
  readonly own: Annotation | null;
  /** For the third rater: the annotations of the two others. */
  readonly others: readonly Annotation[];
}

/** Annotation that the page sends. */
export type NewAnnotation = Pick<Annotation, 'task' | 'rater' | 'realism' | 'implicitness' | 'rejection'> & {
  readonly revisions: readonly Revision[];
  /** One for each item of the checklist. */
  readonly labels: readonly string[];
};
