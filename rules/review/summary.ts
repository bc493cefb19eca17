import { MATCH_LABELS, type MatchLabel } from '../../schemas/matching/match-label';
import type { Annotation, ReviewTask } from '../../schemas/review/review';
import type { LabelAgreement } from '../../schemas/evaluation/results/figures';
import { computeLabelAgreement } from '../analyses/agreement';
import { decideTask, listChanges, listRaters, type ReviewRules, type TaskOutcome } from './outcome';

/** The parts of a task that count; its texts may be left out. */
type CountedTask = Pick<ReviewTask, 'task' | 'kind' | 'checklist'>;

/** A review: the rules that decide, its tasks, and the latest annotation of a task by each rater. */
export interface Review<Task extends CountedTask = CountedTask> {
  readonly rules: ReviewRules;
  readonly tasks: readonly Task[];
  readonly getLatest: (task: string) => ReadonlyMap<string, Annotation>;
  /** True if raters see passages that a model quoted, once they have labeled all items of a task. */
  readonly isQuoted: boolean;
}

/** Numbers of a review, as far as it is done. */
export interface ReviewSummary {
  readonly tasks: number;
  readonly decidedTasks: number;
  /** Waiting for the third rater. */
  readonly disputedTasks: number;
  /** Items that both raters labeled, and those of them with the same label. */
  readonly items: { readonly compared: number; readonly equal: number };
  /** Tasks in which the two raters differ about an item, or about leaving something out. */
  readonly differingTasks: number;
  /** True if raters could change labels after they saw what a model quoted. */
  readonly isQuoted: boolean;
  /** Krippendorff's alpha of the two raters' labels. */
  readonly agreement: LabelAgreement;
  /** The third rater last. */
  readonly raters: readonly RaterSummary[];
}

/** Counts of a rater's annotations, without the qualification. */
interface RaterSummary {
  readonly rater: string;
  readonly tasks: number;
  readonly labels: Readonly<Record<MatchLabel, number>>;
  /** Tasks in which the rater edited a message. */
  readonly editedTasks: number;
  /** Tasks whose instances the rater wants left out. */
  readonly rejections: number;
}

/** Returns the outcome of each task so far. */
export function decideTasks<Task extends CountedTask>({
  rules,
  tasks,
  getLatest,
}: Pick<Review<Task>, 'rules' | 'tasks' | 'getLatest'>): Map<Task, TaskOutcome> {
  return new Map(tasks.map((task) => [task, decideTask(task, getLatest(task.task), rules)]));
}

/** Returns true if every task is decided. */
export function isDecided({ rules, tasks, getLatest }: Review): boolean {
  return tasks.every((task) => decideTask(task, getLatest(task.task), rules).state === 'decided');
}

/** Counts what the raters said. */
export function summarizeReview(review: Review): ReviewSummary {
  const { rules, tasks, getLatest, isQuoted } = review;
  const outcomes = [...decideTasks(review).values()];
  const pairs = tasks.flatMap(({ task, checklist }) => {
    const annotations = rules.raters.flatMap((rater) => getLatest(task).get(rater) ?? []);
    // An item that only one rater labeled does not count for agreement.
    if (annotations.length < 2) return [];
    return checklist.map((_, item) => annotations.flatMap(({ labels }) => labels[item] ?? []));
  });
  const differing = tasks.filter(({ task }) =>
    hasDisagreement(rules.raters.flatMap((rater) => getLatest(task).get(rater) ?? [])),
  );
  return {
    tasks: tasks.length,
    decidedTasks: outcomes.filter(({ state }) => state === 'decided').length,
    disputedTasks: outcomes.filter(({ state }) => state === 'disputed').length,
    items: { compared: pairs.length, equal: pairs.filter((labels) => new Set(labels).size === 1).length },
    differingTasks: differing.length,
    isQuoted,
    agreement: computeLabelAgreement(pairs),
    raters: listRaters(rules).map((rater) =>
      summarizeRater(
        rater,
        tasks.flatMap(({ task }) => getLatest(task).get(rater) ?? []),
      ),
    ),
  };
}

function summarizeRater(rater: string, annotations: readonly Annotation[]): RaterSummary {
  const labels = annotations.flatMap((annotation) => annotation.labels.flat());
  const count = (label: MatchLabel) => labels.filter((candidate) => candidate === label).length;
  const [full, partial, none] = MATCH_LABELS;
  return {
    rater,
    tasks: annotations.length,
    labels: { [full]: count(full), [partial]: count(partial), [none]: count(none) },
    editedTasks: annotations.filter(({ revisions }) => listChanges(revisions).length > 0).length,
    rejections: annotations.filter(({ rejection }) => rejection !== null).length,
  };
}

/** Returns true if raters gave an item different labels, or only one of them wants the instances left out. */
export function hasDisagreement(annotations: readonly Annotation[]): boolean {
  const [first, ...otherAnnotations] = annotations;
  if (first === undefined) return false;
  return otherAnnotations.some(
    ({ labels, rejection }) =>
      (rejection === null) !== (first.rejection === null) ||
      labels.some(([label], item) => label !== first.labels[item]?.[0]),
  );
}
