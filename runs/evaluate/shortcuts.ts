import { ShortcutCounter } from '../../rules/statistics/shortcuts';
import type { DataFigures } from '../../schemas/dataset/data-figures';
import type { StoredEvaluation } from './outcomes';

/** Right guesses among the choices of an evaluated data set, by models that ignore the history (docs/data-quality.md). */
export interface DataShortcuts {
  /** The file, or `hub:owner/name@commit`. */
  readonly source: string;
  readonly guesses: NonNullable<DataFigures['guesses']>;
}

/** Counts the shortcuts of the data set of each evaluation, for a comparison of data sets. */
export async function countShortcuts(evaluations: readonly StoredEvaluation[]): Promise<DataShortcuts[]> {
  const shortcuts: DataShortcuts[] = [];
  for (const evaluation of evaluations) {
    const counter = new ShortcutCounter();
    for (const { number } of evaluation.index) counter.add((await evaluation.instance(number)).instance);
    shortcuts.push({ source: evaluation.inputs.data.source, guesses: counter.end().guesses ?? {} });
  }
  return shortcuts;
}
