import { isDeepStrictEqual } from 'node:util';
import type { DataSet } from '../../data/sets/data-set';
import type { OpenOptions } from '../../data/sets/open';
import { readPersonaChecklists } from '../evaluate/persona-checklists';
import { addDataState } from '../evaluate/plan';
import { countDataStates } from '../../schemas/evaluation/data-state';
import { InputError } from '../../schemas/input-error';
import type { ReviewPlan, ReviewTask } from '../../schemas/review/review';
import { formatCount, formatFirst, pluralize } from '../../schemas/text/count-text';
import { ANNOTATIONS, hasQuotations, writeReviewPlan, writeReviewTasks, type ReviewFolder } from './folder';
import { join } from 'node:path';
import { DataError } from '../../data/store/data-error';
import { describeSourceChange } from '../../schemas/text/change-text';
import { quotePath } from '../../schemas/text/shell-text';
import { listTasks, readEvidence, type Counts, type Evidence } from './prepare';

/**
 * Adds the tasks of rows that were added to the reviewed data. Tasks that raters know stay as they are, and keep their annotations.
 * @param options.verified the results folder of `cupid verify`, if it is not in the run folder
 * @throws DataError if one of these tasks has changed or is missing; InputError if its model did not quote messages of the added rows
 */
export async function growReview(
  review: ReviewFolder,
  dataSet: DataSet,
  { verified, ...options }: OpenOptions & { readonly verified?: string | undefined },
): Promise<void> {
  const { path, store } = review;
  const evidence = await readEvidence(dataSet, verified);
  const { plan, tasks, added } = await compareTasks(review, dataSet, evidence, options);
  if (hasQuotations(review) && evidence === undefined && added.length > 0) {
    throw new InputError(
      `The review in ${path} shows messages that a model quoted, and the data that were added have not been verified. Verify them first: repeat the command of the verification (cupid verify ${quotePath(dataSet.argument)} …), then this one. A verification outside the run folder is named with --verified DIR. To end the review without the added data, add --finish.`,
    );
  }
  await writeReviewTasks(path, tasks.values(), countDataStates(plan.data));
  await writeReviewPlan(store, plan);
  const keeping = `the annotations of ${formatCount(review.tasks.size, 'task')} are kept.`;
  options.report(
    added.length === 0
      ? `The files of the data changed, but none of the tasks: ${keeping}`
      : `The data grew: ${countAdded(added)} ${pluralize(added.length, 'was', 'were')} added; ${keeping}`,
  );
}

/**
 * Returns the review with the tasks of rows that were added to the reviewed data, so that it can end without anybody annotating them. Nothing is
 * stored: the next command may still add them.
 * @throws DataError if a task that raters know has changed or is missing
 */
export async function includeAddedTasks(
  review: ReviewFolder,
  dataSet: DataSet,
  options: OpenOptions,
): Promise<ReviewFolder> {
  const { plan, tasks, added } = await compareTasks(review, dataSet, undefined, options);
  if (added.length > 0) {
    options.report(
      `The data grew: ${countAdded(added)} ${pluralize(added.length, 'is', 'are')} not in the review, so the instances that depend on ${pluralize(added.length, 'it', 'them')} are not decided. To add ${pluralize(added.length, 'it', 'them')}, repeat the command without --finish.`,
    );
  }
  return { ...review, plan, tasks };
}

/** Tasks of the present state of the reviewed data, and the plan of a review that has them. */
interface ComparedTasks {
  readonly plan: ReviewPlan;
  readonly tasks: ReadonlyMap<string, ReviewTask>;
  /** The tasks that the review lacks. */
  readonly added: readonly ReviewTask[];
}

/** Compares the tasks of a review with those of its data. @throws DataError if a task of the review has changed or is missing */
async function compareTasks(
  { path, plan, tasks: knownTasks }: ReviewFolder,
  dataSet: DataSet,
  evidence: Evidence | undefined,
  options: OpenOptions,
): Promise<ComparedTasks> {
  const counts: Counts = { instances: 0, tasks: 0, problems: new Map() };
  const tasks = new Map<string, ReviewTask>();
  for await (const task of listTasks(
    dataSet,
    plan.sample,
    await readPersonaChecklists(dataSet, options),
    evidence,
    counts,
  )) {
    // Raters see the quotations that they saw before.
    tasks.set(task.task, { ...task, evidence: knownTasks.get(task.task)?.evidence ?? task.evidence });
  }
  const changed = [...knownTasks.values()].filter((task) => !isSameTask(task, tasks.get(task.task)));
  if (changed.length > 0) throw createOtherDataError({ path, plan }, dataSet, listPersonas(changed));
  const added = [...tasks.values()].filter(({ task }) => !knownTasks.has(task));
  const data = addDataState(plan.data, dataSet, counts.instances);
  return { plan: { ...plan, data, tasks: counts.tasks }, tasks, added };
}

function countAdded(tasks: readonly ReviewTask[]): string {
  const personas = new Set(tasks.map(({ persona_id }) => persona_id));
  return `${formatCount(tasks.length, 'task')} of ${formatCount(personas.size, 'persona')}`;
}

/** Returns whether a task asks the same question about the same texts. More instances may depend on it than before. */
function isSameTask(task: ReviewTask, now: ReviewTask | undefined): boolean {
  return now !== undefined && isDeepStrictEqual(getQuestion(task), getQuestion(now));
}

function getQuestion({ kind, preference, checklist, messages }: ReviewTask): Partial<ReviewTask> {
  return { kind, preference, checklist, messages };
}

function listPersonas(tasks: readonly ReviewTask[]): string {
  return formatFirst([...new Set(tasks.map(({ persona_id }) => persona_id))], 10);
}

/** Creates the error that a data set is not the reviewed one. @param personas whose tasks have changed */
function createOtherDataError(
  { path, plan: { data } }: Pick<ReviewFolder, 'path' | 'plan'>,
  dataSet: DataSet,
  personas: string,
): DataError {
  return new DataError(
    [
      `${path} contains a review of other data:`,
      `- ${describeSourceChange('data', data.source, dataSet.source, `tasks for ${personas}`)}`,
      `${data.commit === undefined ? 'Restore the data' : 'Name the revision that was reviewed'} to continue the review, or review the changed data in another folder: --results-dir DIR. The annotations so far stay in ${join(path, ANNOTATIONS)}; cupid eval can use them: --labels FILE`,
    ].join('\n'),
  );
}
