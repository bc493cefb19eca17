import { findEntry } from '../../data/store/own-file';
import { groupBy } from '../../rules/group-by';
import { decideInstance, listRaters, nameOutcome, type TaskOutcome } from '../../rules/review/outcome';
import {
  decideTasks,
  hasDisagreement,
  summarizeReview,
  type ReviewSummary,
} from '../../rules/review/summary';
import { listAnnotationFiles, readReviewOutline, type OutlinedTask } from '../../runs/review/folder';
import type { Annotation } from '../../schemas/review/review';
import type { LabelledTask, ListedInstance } from './answers';
import type { IndexedInstance } from './filter';
import type { DataOrigin } from './verdicts';

/** Labels of the raters of `cupid review`; empty until the review is started. */
export class RaterLabels {
  #tasks: ReadonlyMap<string, readonly DecidedTask[]> = new Map();
  /** The data that are reviewed, and the numbers of the review; undefined without one. */
  origin: DataOrigin | undefined;
  summary: ReviewSummary | undefined;
  #fileState: string | undefined;

  /** @param path of the review's folder; undefined to look for none */
  constructor(private readonly path: string | undefined) {}

  /** Returns what the raters think of an instance so far. Undefined if nobody labelled it. */
  get(instance: InstanceName): ListedInstance['labels'] {
    const tasks = this.#listTasks(instance);
    if (tasks.every(({ annotations }) => annotations.length === 0)) return undefined;
    const current = tasks.find(
      ({ task: { kind, preference } }) => kind === 'preference' && preference === instance.preference,
    );
    const isAccepted = decideInstance(
      { current_checklist: current?.task.checklist ?? [] },
      tasks.map(({ task: { kind }, outcome }) => ({ kind, outcome })),
    );
    return {
      state: isAccepted === undefined ? 'open' : isAccepted ? 'accepted' : 'rejected',
      differ: tasks.some(({ annotations }) => hasDisagreement(annotations)),
    };
  }

  /** Lists the tasks that an instance depends on, with the labels of each rater. */
  list(instance: InstanceName): LabelledTask[] {
    return this.#listTasks(instance).map(({ task, outcome, annotations }) => ({
      kind: task.kind,
      preference: task.preference,
      outcome: nameOutcome(outcome),
      differ: hasDisagreement(annotations),
      raters: annotations.map(({ rater }) => rater),
      items: task.checklist.map((item, at) => ({
        item,
        labels: annotations.map(({ labels }) => labels[at]?.[0] ?? null),
      })),
      notes: annotations.flatMap(({ rater, rejection, revisions }) => [
        ...(rejection === null ? [] : [`${rater} wants it left out: ${rejection}`]),
        ...revisions.map(({ new_text }) => `${rater} wrote: ${new_text}`),
      ]),
    }));
  }

  /** Reads the review if it is new or has new annotations. Returns whether it was read. @throws DataError when it is invalid */
  async refresh(): Promise<boolean> {
    const { path } = this;
    if (path === undefined) return false;
    const files = await Promise.all((await listAnnotationFiles(path)).map((file) => findEntry(file, path)));
    const state = files.map((file) => file && [file.ino, file.size, file.mtimeMs].join(' ')).join('\n');
    if (files.length === 0 || state === this.#fileState) return false;
    // A file with a problem is not read again before it changes.
    this.#fileState = state;
    const review = await readReviewOutline(path);
    if (review === undefined) return false;
    const decided = [...decideTasks(review)].map(([task, outcome]): DecidedTask => {
      const latest = review.getLatest(task.task);
      return {
        task,
        outcome,
        annotations: listRaters(review.rules).flatMap((rater) => latest.get(rater) ?? []),
      };
    });
    this.summary = summarizeReview(review);
    this.origin = { folder: path, sha256: review.plan.data.sha256 };
    this.#tasks = groupBy(decided, ({ task }) => task.persona_id);
    return true;
  }

  #listTasks({ persona, type }: InstanceName): DecidedTask[] {
    const tasks = this.#tasks.get(persona) ?? [];
    return tasks.filter(({ task }) => task.instance_types.some((name) => name === type));
  }
}

type InstanceName = Pick<IndexedInstance, 'persona' | 'type' | 'preference'>;

interface DecidedTask {
  readonly task: OutlinedTask;
  readonly outcome: TaskOutcome;
  /** In the order of the raters, the third one last. */
  readonly annotations: readonly Annotation[];
}
