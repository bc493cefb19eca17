import { ShortcutCounter } from '../../rules/statistics/shortcuts';
import type { DataShortcuts } from '../../schemas/evaluation/results/analyses';
import type { StoredEvaluation } from './outcomes';

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
