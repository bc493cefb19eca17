import { decideTask } from '../../rules/review/outcome';
import {
  isQualification,
  listUnqualified,
  QUALIFICATION,
  type QualificationTask,
} from '../../rules/review/qualification';
import { orderTasks } from '../../rules/review/tasks';
import type { Annotation, NewAnnotation, ReviewTask } from '../../schemas/review/review';
import type { Annotations, ReviewFolder } from './folder';

/** The tasks of each rater, and the rules for valid annotations. */
export class RaterTasks {
  constructor(
    private readonly review: ReviewFolder,
    private readonly annotations: Annotations,
  ) {}

  /** Finds a task of the review or of the qualification. */
  find(name: string): ReviewTask | undefined {
    return this.review.tasks.get(name) ?? QUALIFICATION.find(({ task }) => task === name);
  }

  /** Lists the tasks of the qualification that a rater still has to do: none once the rater is qualified. */
  listOpenQualification(rater: string): QualificationTask[] {
    return listUnqualified((task) => this.annotations.getLatest(task).get(rater));
  }

  /**
   * Lists the names of a rater's tasks without the qualification, in the rater's order. The third rater's are those in
   * which the two others differ.
   */
  listOwn(rater: string): string[] {
    const { plan, tasks } = this.review;
    const names = orderTasks([...tasks.keys()], plan.seed, rater);
    if (rater !== plan.third) return names;
    return names.filter((name) => {
      const task = tasks.get(name);
      if (task === undefined) return false;
      const otherAnnotations = new Map([...this.annotations.getLatest(name)].filter(([by]) => by !== rater));
      return decideTask(task, otherAnnotations, plan).state === 'disputed';
    });
  }

  /**
   * Lists the annotations of the two others that a rater sees: none, except for the third rater. In the qualification,
   * the third rater sees none either, because they would reveal the answers.
   */
  listOthers(rater: string, task: string): Annotation[] {
    const { raters, third } = this.review.plan;
    if (rater !== third || isQualification(task)) return [];
    const annotations = this.annotations.getLatest(task);
    return raters.flatMap((name) => annotations.get(name) ?? []);
  }

  /** Returns the problem of an annotation that a rater sent. Undefined if there is none. */
  findProblem(
    task: ReviewTask,
    { labels, revisions }: Pick<NewAnnotation, 'labels' | 'revisions'>,
  ): string | undefined {
    if (labels.length !== task.checklist.length) return 'Every item of the checklist needs a label.';
    const foreign = revisions.find(
      ({ opening, index, old_text }) =>
        !task.messages.some(
          (message) => message.opening === opening && message.index === index && message.text === old_text,
        ),
    );
    if (foreign !== undefined) return 'A revised message is not one of this task.';
    const places = new Set(
      revisions.map(({ opening, index, old_text }) => JSON.stringify([opening, index, old_text])),
    );
    const all = new Set(
      revisions.map(({ opening, index, old_text, new_text }) =>
        JSON.stringify([opening, index, old_text, new_text]),
      ),
    );
    return all.size === places.size ? undefined : 'A message has more than one new text.';
  }

  /** Returns whether a rater may do a task now: the qualification comes first. */
  isOpenTo(rater: string, task: string): boolean {
    return isQualification(task) || this.listOpenQualification(rater).length === 0;
  }
}
