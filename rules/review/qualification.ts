import type { Annotation, ReviewTask } from '../../schemas/review/review';
import { createRandom } from '../sampling/random';

/** Number of tasks with which a rater begins. */
const TASKS = 3;

const PREFIX = 'qualification/';

/** A task with an item whose answer is known: it comes from another persona's preference, so these messages cannot express it. */
export interface QualificationTask extends ReviewTask {
  readonly foreign: number;
}

/**
 * Draws the tasks with which a rater qualifies (paper, E: annotators passed a qualification task). Their checklists include an item of another
 * persona. With only one persona, there are none.
 */
export function drawQualification(tasks: readonly ReviewTask[], seed: number): QualificationTask[] {
  const preferences = tasks.filter(({ kind }) => kind === 'preference');
  const random = createRandom(seed, 'review/qualification');
  return random
    .shuffle(preferences)
    .slice(0, TASKS)
    .flatMap((task, index) => {
      const others = preferences.filter(
        ({ persona_id, preference }) => persona_id !== task.persona_id && preference !== task.preference,
      );
      if (others.length === 0) return [];
      const item = random.pick(random.pick(others).checklist);
      const foreign = random.integer(task.checklist.length + 1);
      return {
        ...task,
        task: `${PREFIX}${index + 1}`,
        checklist: task.checklist.toSpliced(foreign, 0, item),
        // Otherwise the foreign item would be the only one without a quotation.
        evidence: null,
        foreign,
      };
    });
}

export function isQualification(task: string): boolean {
  return task.startsWith(PREFIX);
}

/** Returns the tasks in which a rater has not yet given the right answer to the known item; none once the rater is qualified. */
export function listUnqualified(
  tasks: readonly QualificationTask[],
  find: (task: string) => Annotation | undefined,
): QualificationTask[] {
  return tasks.filter(({ task, foreign }) => {
    const label = find(task)?.labels[foreign]?.[0];
    return label === undefined || label === 'Fully Covered';
  });
}
