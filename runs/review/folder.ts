import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readJsonLines } from '../../data/readers/json-lines';
import { parseRow } from '../../data/readers/parse-row';
import { DataError } from '../../data/store/data-error';
import { useTemporaryDirectory } from '../../data/store/directories';
import { requireFolderFormat } from '../../data/store/folder-format';
import { writeChunks } from '../../data/store/files';
import { LockedError, takeLock } from '../../data/store/lock';
import { openReviewStore, REVIEW_PLAN } from '../folder/review-store';
import { getLockFile } from '../folder/run-lock';
import { listDirectory, openFile, readBytes } from '../../data/store/own-file';
import { ignoreMissing } from '../../data/store/system-error';
import { makeDurableFolder, syncPath, type Store } from '../../data/store/store';
import { countDataStates } from '../../schemas/evaluation/data-state';
import { parseJson } from '../../schemas/text/issues';
import { listChanges } from '../../rules/review/outcome';
import type { Review } from '../../rules/review/summary';
import { matchLabelSchema } from '../../schemas/matching/match-label';
import {
  annotationSchema,
  reviewPlanSchema,
  reviewTaskSchema,
  type Annotation,
  type NewAnnotation,
  type ReviewPlan,
  type ReviewTask,
} from '../../schemas/review/review';

/** Folder of a review in the folder of its run. */
export const REVIEW_FOLDER = 'review';

/** A stored review. */
export interface ReviewFolder {
  readonly path: string;
  readonly store: Store;
  /** Directory for files that are being written. */
  readonly scratch: string;
  readonly plan: ReviewPlan;
  /** Tasks by their names, in the order of the data. */
  readonly tasks: ReadonlyMap<string, ReviewTask>;
}

/** Makes this process the only one that serves a review. @throws Error when another process holds the lock */
export async function lockReview(path: string): Promise<Disposable> {
  try {
    const unlock = await takeLock(getLockFile(path), path);
    // Left by a process that died while it wrote tasks or the data set.
    await rm(getReviewScratch(path), { recursive: true, force: true });
    return { [Symbol.dispose]: unlock };
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    const { pid, host } = error.holder;
    throw new Error(
      `${path} is in use: process ${pid} on ${host} is serving this review. Open the link that it printed, or end it first.`,
      { cause: error },
    );
  }
}

/** Reads a review's plan and tasks. Undefined if none was started. @throws DataError when they are invalid */
export async function readReview(path: string): Promise<ReviewFolder | undefined> {
  const plan = await readReviewPlan(path);
  if (plan === undefined) return undefined;
  const tasks = new Map<string, ReviewTask>();
  for await (const task of readReviewTasks(path, plan)) tasks.set(task.task, task);
  return { path, store: openReviewStore(path), scratch: getReviewScratch(path), plan, tasks };
}

/** Reads the tasks of a review, one after the other. @throws DataError when they are invalid or incomplete */
async function* readReviewTasks(path: string, plan: ReviewPlan): AsyncGenerator<ReviewTask> {
  const file = join(path, '.cupid', buildTasksName(countDataStates(plan.data)));
  let count = 0;
  for await (const row of readJsonLines({ path: file, name: file, within: path })) {
    if ('problem' in row) throw new DataError(`${file}, line ${row.number}: ${row.problem} ${RESTORE}`);
    yield parseRow(reviewTaskSchema, row.value, `${file}, line ${row.number}`, RESTORE);
    count += 1;
  }
  if (count !== plan.tasks) throw new DataError(`${file} has ${count} of ${plan.tasks} tasks. ${RESTORE}`);
}

/** Reads a review's plan. Undefined if none was started. @throws DataError when it is invalid; Error when an unreleased version made it */
export async function readReviewPlan(path: string): Promise<ReviewPlan | undefined> {
  const text = await openReviewStore(path).read(REVIEW_PLAN);
  requireFolderFormat(path, text);
  if (text === undefined) return undefined;
  const { value: plan, problem } = parseJson(reviewPlanSchema, getPlanFile(path), text);
  if (problem === undefined) return plan;
  throw new DataError(`${problem} ${RESTORE}`);
}

/** Returns the path of the file with a review's plan. */
export function getPlanFile(path: string): string {
  return join(path, '.cupid', REVIEW_PLAN);
}

/** A task without the messages, of which memory cannot hold those of all personas. */
export type OutlinedTask = Omit<ReviewTask, 'messages' | 'evidence'>;

/** A review as far as it is done. */
export interface ReviewOutline extends Review<OutlinedTask> {
  readonly plan: ReviewPlan;
}

/** Reads a review as far as it is done, and changes nothing. Undefined if none was started. @throws DataError when it is invalid */
export async function readReviewOutline(path: string): Promise<ReviewOutline | undefined> {
  const plan = await readReviewPlan(path);
  if (plan === undefined) return undefined;
  const tasks: OutlinedTask[] = [];
  let isQuoted = false;
  for await (const { messages: _messages, evidence, ...task } of readReviewTasks(path, plan)) {
    tasks.push(task);
    isQuoted ||= evidence !== null;
  }
  const annotations = await Annotations.read(path);
  return { plan, rules: plan, tasks, getLatest: (task) => annotations.getLatest(task), isQuoted };
}

/**
 * Stores a review's tasks. The plan is stored after them, so that a review with a plan is complete.
 * @param state of the data, from 1
 */
export async function writeReviewTasks(
  path: string,
  tasks: AsyncIterable<ReviewTask> | Iterable<ReviewTask>,
  state = 1,
): Promise<void> {
  await useTemporaryDirectory(
    getReviewScratch(path),
    'tasks-',
    async (directory) => {
      const file = join(directory, 'tasks.jsonl');
      await writeChunks(file, encodeLines(tasks));
      await openReviewStore(path).put(buildTasksName(state), file);
    },
    path,
  );
}

async function* encodeLines(rows: AsyncIterable<object> | Iterable<object>): AsyncGenerator<Uint8Array> {
  for await (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`);
}

/** Stores the plan of a review, and replaces an earlier one. */
export async function writeReviewPlan(store: Store, plan: ReviewPlan): Promise<void> {
  await store.write(REVIEW_PLAN, `${JSON.stringify(plan, null, 2)}\n`);
}

/** Returns the directory in the review's folder for files that are being written. */
export function getReviewScratch(path: string): string {
  return join(path, '.cupid', 'scratch');
}

const RESTORE = 'Restore it from a copy.';

function buildTasksName(state: number): string {
  return `inputs/review-tasks${state === 1 ? '' : `-${state}`}.jsonl`;
}

/** Folder of the annotations in the review's folder. */
export const ANNOTATIONS = 'annotations';

/** The annotations of a review: an append-only file for each rater. Annotations are on the disk once `add` returns. */
export class Annotations {
  readonly #path: string;
  readonly #latest = new Map<string, Map<string, Annotation>>();
  /** By rater, the size of the file before a failed write, so that its remains are removed before the next line. */
  readonly #unfinished = new Map<string, number>();
  #adding: Promise<void> = Promise.resolve();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Opens the annotations, and removes a last line that a crash cut off. @throws DataError when a line is invalid */
  static async open(path: string): Promise<Annotations> {
    const folder = join(path, ANNOTATIONS);
    await makeDurableFolder(folder, { within: path });
    for (const file of await listAnnotationFiles(path)) await repairLastLine(file, path);
    return Annotations.read(path);
  }

  /** Reads the annotations so far, and changes nothing. A last line that is being written is left out. @throws DataError when a line is invalid */
  static async read(path: string): Promise<Annotations> {
    const annotations = new Annotations(path);
    for (const file of await listAnnotationFiles(path)) {
      for await (const annotation of readAnnotations(file, path)) annotations.#keep(annotation);
    }
    return annotations;
  }

  /** Returns the latest annotation of a task by each rater. */
  getLatest(task: string): ReadonlyMap<string, Annotation> {
    return this.#latest.get(task) ?? new Map();
  }

  async add(annotation: Annotation): Promise<void> {
    const adding = this.#adding.then(() => this.#append(annotation));
    this.#adding = adding.catch(() => undefined);
    await adding;
  }

  async #append(annotation: Annotation): Promise<void> {
    const { rater } = annotation;
    const folder = join(this.#path, ANNOTATIONS);
    const file = await openFile(join(folder, `${rater}.jsonl`), this.#path, 'append');
    try {
      const size = this.#unfinished.get(rater) ?? (await file.stat()).size;
      await file.truncate(size);
      this.#unfinished.set(rater, size);
      await file.appendFile(`${JSON.stringify(annotation)}\n`);
      await file.sync();
      this.#unfinished.delete(rater);
    } finally {
      await file.close();
    }
    await syncPath(folder);
    this.#keep(annotation);
  }

  #keep(annotation: Annotation): void {
    const byRater = this.#latest.get(annotation.task) ?? new Map<string, Annotation>();
    this.#latest.set(annotation.task, byRater.set(annotation.rater, annotation));
  }
}

/** Returns what decides a review and is counted of it. */
export function getReview({ plan, tasks }: ReviewFolder, annotations: Annotations): Review<ReviewTask> {
  return {
    rules: plan,
    tasks: [...tasks.values()],
    getLatest: (task) => annotations.getLatest(task),
    isQuoted: hasQuotations({ tasks }),
  };
}

/** Returns whether raters see passages that a model quoted. */
export function hasQuotations({ tasks }: Pick<ReviewFolder, 'tasks'>): boolean {
  return [...tasks.values()].some(({ evidence }) => evidence !== null);
}

/** Builds the stored form of a rater's new annotation. */
export function buildAnnotation(
  task: ReviewTask,
  { rater, labels, realism, implicitness, revisions, rejection }: NewAnnotation,
): Annotation {
  return {
    task: task.task,
    rater,
    preference: task.preference,
    checklist: task.checklist,
    labels: labels.map((label) => [matchLabelSchema.parse(label)]),
    realism,
    implicitness,
    revisions: listChanges(revisions),
    rejection,
    annotated_at: new Date().toISOString(),
  };
}

/** Lists the raters' files of a review, in the order of their names. */
export async function listAnnotationFiles(path: string): Promise<string[]> {
  const folder = join(path, ANNOTATIONS);
  const entries = (await listDirectory(folder, path).catch(ignoreMissing)) ?? [];
  return entries
    .map(({ name }) => name)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .map((name) => join(folder, name));
}

/** @throws DataError with the line and the field */
async function* readAnnotations(file: string, within: string): AsyncGenerator<Annotation> {
  let problem: string | undefined;
  for await (const row of readJsonLines({ path: file, name: file, within })) {
    if (problem !== undefined) throw new DataError(problem);
    const place = `${file}, line ${row.number}`;
    // The last line may be incomplete: another process is writing it.
    if ('problem' in row) problem = `${place}: ${row.problem} ${ANNOTATION_HINT}`;
    else yield parseRow(annotationSchema, row.value, place, ANNOTATION_HINT);
  }
}

const ANNOTATION_HINT =
  'Each line is a JSON object with the annotation of one task by one rater, as cupid review writes it. Correct or remove the line.';

/**
 * Removes a last line that a crash cut off, because its rater got no confirmation. Completes one that an editor saved
 * without its line break.
 */
async function repairLastLine(path: string, within: string): Promise<void> {
  const bytes = await readBytes(path, within);
  const end = bytes.lastIndexOf('\n') + 1;
  if (end === bytes.length) return;
  const file = await openFile(path, within, 'append');
  try {
    // The decoder removes a byte order mark, and so does the reader of lines.
    if (isJson(new TextDecoder().decode(bytes.subarray(end)))) await file.appendFile('\n');
    else await file.truncate(end);
  } finally {
    await file.close();
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
