import { isDeepStrictEqual } from 'node:util';
import type { DataSet } from '../../data/sets/data-set';
import type { OpenOptions } from '../../data/sets/open';
import { readPersonaChecklists } from '../evaluate/persona-checklists';
import { addDataState } from '../evaluate/plan';
import { countDataStates } from '../../schemas/evaluation/data-state';
import { InputError } from '../../schemas/input-error';
import type { ReviewTask } from '../../schemas/review/review';
import { formatCount, formatFirst, pluralize } from '../../schemas/text/count-text';
import { ANNOTATIONS, hasQuotations, writeReviewPlan, writeReviewTasks, type ReviewFolder } from './folder';
import { join } from 'node:path';
import { DataError } from '../../data/store/data-error';
import { describeSourceChange } from '../../schemas/text/change-text';
import { listTasks, readEvidence, type Counts } from './prepare';

/**
 * Adds the tasks of rows that were added to the reviewed data. Tasks that raters know stay as they are, and keep their annotations.
 * @param options.verified the results folder of `cupid verify`, if it is not in the run folder
 * @throws DataError if one of these tasks has changed or is missing; InputError if its model did not quote messages of the added rows
 */
export async function growReview(
  { path, store, plan, tasks: known }: ReviewFolder,
  dataSet: DataSet,
  { verified, ...options }: OpenOptions & { readonly verified?: string | undefined },
): Promise<void> {
  const evidence = await readEvidence(dataSet, verified);
  const counts: Counts = { instances: 0, tasks: 0, problems: new Map() };
  const tasks = new Map<string, ReviewTask>();
  for await (const task of listTasks(
    dataSet,
    plan.sample,
    await readPersonaChecklists(dataSet, options),
    evidence,
    counts,
  )) {
    tasks.set(task.task, task);
  }
  const changed = [...known.values()].filter((task) => !isSameTask(task, tasks.get(task.task)));
  if (changed.length > 0) throw createOtherDataError({ path, plan }, dataSet, listPersonas(changed));
  const added = [...tasks.values()].filter(({ task }) => !known.has(task));
  if (hasQuotations({ tasks: known }) && evidence === undefined && added.length > 0) {
    throw new InputError(
      `The review in ${path} shows messages that a model quoted, and the data that were added have not been verified. Verify them first: repeat the command of the verification (cupid verify ${dataSet.argument} …), then this one. A verification outside the run folder is named with --verified DIR.`,
    );
  }
  // Raters see the quotations that they saw before.
  const shown = [...tasks.values()].map((task) => ({
    ...task,
    evidence: known.get(task.task)?.evidence ?? task.evidence,
  }));
  await writeReviewTasks(path, shown, countDataStates(plan.data) + 1);
  const data = addDataState(plan.data, dataSet, counts.instances);
  await writeReviewPlan(store, { ...plan, data, tasks: counts.tasks });
  const keeping = `the annotations of ${formatCount(known.size, 'task')} are kept.`;
  const personas = new Set(added.map(({ persona_id }) => persona_id));
  options.report(
    added.length === 0
      ? `The files of the data changed, but none of the tasks: ${keeping}`
      : `The data grew: ${formatCount(added.length, 'task')} of ${formatCount(personas.size, 'persona')} ${pluralize(added.length, 'was', 'were')} added; ${keeping}`,
  );
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
