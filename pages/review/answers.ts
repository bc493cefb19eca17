import type { Annotation, ReviewTask } from '../../schemas/review/review';

// Answers of the review's server to its page. They say nothing about the labels of others, which would influence a rater.

/** Who opened the page. */
export interface ReviewAbout {
  readonly rater: string;
  /** True for the one who decides where the two others differ. */
  readonly isThird: boolean;
  readonly simulated: boolean;
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
  readonly task: Pick<ReviewTask, 'task' | 'kind' | 'checklist' | 'messages' | 'evidence'>;
  /** The rater's latest annotation, if there is one. */
  readonly latestAnnotation: Annotation | null;
  /** Annotations of the two others, for the third rater only. */
  readonly otherAnnotations: readonly Annotation[];
}

export interface SavedAnnotation {
  /** True if it was the last one: every task is decided. */
  readonly isFinished: boolean;
}
