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

/** Labels of the raters of `cupid review`; empty without a review. */
export class RaterLabels {
  #tasks: ReadonlyMap<string, readonly DecidedTask[]> = new Map();
  /** The data that are reviewed, and the numbers of the review; undefined without one. */
  origin: DataOrigin | undefined;
  summary: ReviewSummary | undefined;

  /** @param path of the review's folder; undefined to look for none */
  constructor(private readonly path: string | undefined) {}

  /** Returns what the raters think of an instance so far. Undefined if nobody labeled it. */
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

  /** Reads the review, if somebody has labeled something. @throws DataError when it is invalid */
  async read(): Promise<void> {
    const { path } = this;
    if (path === undefined || (await listAnnotationFiles(path)).length === 0) return;
    const review = await readReviewOutline(path);
    if (review === undefined) return;
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
