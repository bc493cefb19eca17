import { createReadError, DataError } from '../../data/store/data-error';
import { readText } from '../../data/store/own-file';
import { formatCount, pluralize } from '../../schemas/text/count-text';
import { formatNames, formatValue } from '../../schemas/text/value-text';
import { listChanges } from '../../rules/review/outcome';
import { isQualification } from '../../rules/review/qualification';
import type { Annotation, ReviewTask } from '../../schemas/review/review';
import { buildAnnotation, type Annotations, type ReviewFolder } from '../../runs/review/folder';
import { readLabelStudio, type LabelStudioAnnotations, type TaskOrigin } from './label-studio';
import { RaterTasks } from './rater-tasks';

/** The counts of an import. */
interface ImportedAnnotations {
  readonly added: number;
  /** Annotations that were stored before, and not changed in Label Studio since. */
  readonly known: number;
  /** Tasks that their rater skipped or has not submitted. */
  readonly unsubmitted: number;
  /** Messages about qualified raters whose new answers to the qualification are wrong. */
  readonly warnings: readonly string[];
}

/**
 * Adds the annotations of files from Label Studio by the rules of the page. Adds nothing if one of them is invalid. For
 * raters who have not passed the qualification, adds only its tasks.
 * @throws DataError that names file, task and field, and the remedy
 */
export async function importAnnotations(
  review: ReviewFolder,
  annotations: Annotations,
  paths: readonly string[],
): Promise<ImportedAnnotations> {
  const tasks = new RaterTasks(review, annotations);
  const findTask = (origin: TaskOrigin, place: string) => requireTask(review, tasks, origin, place);
  const found: Found[] = [];
  let unsubmitted = 0;
  for (const path of paths) {
    const read = await readFile(path, findTask);
    unsubmitted += read.unsubmitted;
    for (const { place, task, annotation, annotatedAt } of read.annotations) {
      const problem = tasks.findProblem(task, annotation);
      if (problem !== undefined) throw new DataError(`${place}: ${problem}`);
      const kept = buildAnnotation(task, annotation, {
        source: 'label-studio',
        ...(annotatedAt !== undefined && { annotatedAt }),
      });
      found.push({ place, annotation: kept, isDated: annotatedAt !== undefined });
    }
  }
  requireOnce(found);
  const fresh = found
    .filter((one) => !isKnown(one, annotations.listAll(one.annotation.task)))
    .map(({ annotation }) => annotation);
  const [first, later] = [
    fresh.filter(({ task }) => isQualification(task)),
    fresh.filter(({ task }) => !isQualification(task)),
  ];
  const isQualified = (rater: string) => tasks.listOpenQualification(rater).length === 0;
  const qualified = tasks.raters.filter(isQualified);
  for (const one of first) await annotations.add(one);
  const problems = describeUnqualified(tasks, later);
  const warnings = qualified
    .filter((rater) => !isQualified(rater) && !problems.has(rater))
    .map((rater) => describeLostQualification(tasks, rater));
  const fit = later.filter(({ rater }) => !problems.has(rater));
  for (const one of fit) await annotations.add(one);
  if (problems.size > 0) {
    const added = formatCount(first.length + fit.length, 'annotation');
    throw new DataError([...problems.values(), ...warnings, `Added from these files: ${added}.`].join('\n'));
  }
  return { added: fresh.length, known: found.length - fresh.length, unsubmitted, warnings };
}

interface Found {
  readonly place: string;
  readonly annotation: Annotation;
  /** True if the tool recorded the time of the annotation. */
  readonly isDated: boolean;
}

async function readFile(
  file: string,
  findTask: (origin: TaskOrigin, place: string) => ReviewTask,
): Promise<LabelStudioAnnotations> {
  let rows: unknown;
  try {
    const text = await readText(file, undefined);
    rows = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw createReadError(file, error);
    throw new DataError(`${file} is not JSON. ${EXPECTED}`, { cause: error });
  }
  if (!Array.isArray(rows)) {
    throw new DataError(`${file}: expected a list, found ${formatValue(rows)}. ${EXPECTED}`);
  }
  return readLabelStudio(rows, file, findTask);
}

const EXPECTED = 'Name a file that Label Studio exported as JSON.';

function requireTask(
  { plan }: ReviewFolder,
  tasks: RaterTasks,
  { review, rater, task: name }: TaskOrigin,
  place: string,
): ReviewTask {
  if (review !== plan.id) {
    throw new DataError(
      `${place}: expected a task of the review ${plan.id}, found one of ${formatValue(review)}. Import it into that review, or export the tasks of this one: cupid review ${plan.data.given} --export label-studio --output-dir DIR`,
    );
  }
  if (!tasks.raters.includes(rater)) {
    throw new DataError(
      `${place}: this review has no rater ${formatValue(rater)}. Its raters are ${formatNames(tasks.raters)}.`,
    );
  }
  const task = tasks.find(name);
  if (task !== undefined) return task;
  throw new DataError(
    `${place}: this review has no such task. Leave the fields "review", "rater" and "task" as cupid review --export wrote them.`,
  );
}

function requireOnce(found: readonly Found[]): void {
  const places = new Map<string, string>();
  for (const { place, annotation } of found) {
    const key = JSON.stringify([annotation.rater, annotation.task]);
    const before = places.get(key);
    if (before !== undefined) {
      throw new DataError(
        `${place}: ${annotation.rater} annotated this task twice, also in ${before}. Remove one of the two, and repeat the command.`,
      );
    }
    places.set(key, place);
  }
}

/**
 * Returns whether an annotation was already exported or imported. If so, the rater's later changes stand. It counts as
 * new if the tool had another one in between and dates this one after everything else.
 */
function isKnown({ annotation, isDated }: Found, history: readonly Annotation[]): boolean {
  const own = history.filter(({ rater }) => rater === annotation.rater);
  if (!own.some((one) => isEqual(one, annotation))) return false;
  const newest = own.at(-1);
  const ofTool = own.findLast(({ source }) => source === annotation.source);
  const isReturn =
    isDated &&
    [newest, ofTool].every((one) => one !== undefined && !isEqual(one, annotation)) &&
    own.every((one) => Date.parse(one.annotated_at) < Date.parse(annotation.annotated_at));
  return !isReturn;
}

function isEqual(one: Annotation, other: Annotation): boolean {
  const [first, second] = [one, other].map(({ labels, realism, implicitness, rejection, revisions }) =>
    JSON.stringify([
      labels,
      realism,
      implicitness,
      rejection,
      listChanges(revisions)
        .map(({ opening, at, after }) => JSON.stringify([opening, at, after]))
        .toSorted(),
    ]),
  );
  return first === second;
}

/** Describes, by rater, how to fix annotations by raters who have not passed the qualification. */
function describeUnqualified(tasks: RaterTasks, annotations: readonly Annotation[]): Map<string, string> {
  const problems = new Map<string, string>();
  for (const rater of tasks.raters) {
    const own = annotations.filter((one) => one.rater === rater);
    const open = tasks.listOpenQualification(rater).map(({ task }) => task);
    if (own.length === 0 || open.length === 0) continue;
    problems.set(
      rater,
      `${rater} has not passed the qualification, so ${formatCount(own.length, 'annotation')} of other tasks ${pluralize(own.length, 'was', 'were')} not imported. Each of their items is said outright or not mentioned at all. Have ${rater} look again at ${formatNames(open)}, and export the file again.`,
    );
  }
  return problems;
}

function describeLostQualification(tasks: RaterTasks, rater: string): string {
  const open = tasks.listOpenQualification(rater).map(({ task }) => task);
  return `${rater} had passed the qualification, but the imported answers to ${formatNames(open)} are wrong. Each of their items is said outright or not mentioned at all. Earlier annotations still count; before any others, have ${rater} look again at ${pluralize(open.length, 'this task', 'these tasks')}.`;
}
