import type { Annotation, ReviewTask } from '../../schemas/review/review';
import { createRandom } from '../sampling/random';

/** So many tasks a rater does first. */
const TASKS = 3;

const PREFIX = 'qualification/';

/** A task with an item whose answer is known: it is of another persona's preference, so these messages cannot express it. */
export interface QualificationTask extends ReviewTask {
  readonly foreign: number;
}

/**
 * Returns the tasks with which a rater qualifies (paper, E: annotators passed a qualification task), drawn by the seed. Their checklists have an
 * item of another persona among their own. None where there is only one persona.
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
        // The one item without a quotation would be the foreign one.
        evidence: null,
        foreign,
      };
    });
}

export function isQualification(task: string): boolean {
  return task.startsWith(PREFIX);
}

/** Returns the tasks that a rater has annotated with a wrong answer to the known item, or not at all: none once the rater is qualified. */
export function listUnqualified(
  tasks: readonly QualificationTask[],
  find: (task: string) => Annotation | undefined,
): QualificationTask[] {
  return tasks.filter(({ task, foreign }) => {
    const label = find(task)?.labels[foreign]?.[0];
    return label === undefined || label === 'Fully Covered';
  });
}
