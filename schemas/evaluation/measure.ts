import { formatPercent, formatScore } from '../text/numbers';
import type { EvaluationRow, Task } from './evaluation';

/** The main measure of a task, as tables and charts show it. */
interface Measure {
  /** A single instance's result. */
  readonly title: string;
  /** The average over instances, and the mean of the instances' own results. */
  readonly average: string;
  readonly mean: string;
  /** Its name in results. */
  readonly key: 'f1' | 'average_score' | 'accuracy';
  /** Factor from values to the numbers shown: 100 for shares, which are shown in percent. */
  readonly scale: 1 | 100;
  /** Lowest and highest number that is possible. */
  readonly range: readonly [number, number];
  /** How a table writes it. */
  readonly form: 'percent' | 'score';
  readonly format: (value: number | null | undefined) => string;
}

const SHARE = { scale: 100, range: [0, 1], form: 'percent', format: formatPercent } as const;

export const MEASURES: Readonly<Record<Task, Measure>> = {
  inference: { title: 'F1', average: 'micro F1', mean: 'mean F1', key: 'f1', ...SHARE },
  generation: {
    title: 'score',
    average: 'mean score',
    mean: 'mean score',
    key: 'average_score',
    scale: 1,
    range: [1, 10],
    form: 'score',
    format: formatScore,
  },
  choice: { title: 'accuracy', average: 'accuracy', mean: 'accuracy', key: 'accuracy', ...SHARE },
};

/** Formats the unit of a task's measure behind its name: `micro F1 (%)`. */
export function nameUnit(task: Task, name: string): string {
  return MEASURES[task].scale === 100 ? `${name} (%)` : name;
}

/** Returns a row's F1, score, or 1 for a right choice and 0 for another; null if there is none. */
export function getRowResult({
  task,
  state,
  f1,
  score,
  choice,
}: Pick<EvaluationRow, 'task' | 'state' | 'f1' | 'score' | 'choice'>): number | null {
  if (task === 'inference') return f1;
  if (task === 'generation') return score;
  if (choice !== null) return choice === 'right' ? 1 : 0;
  return state === 'context-length' ? 0 : null;
}
