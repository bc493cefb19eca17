import { groupBy, listPairs } from '../group-by';
import type { Resampling } from './bootstrap';
import { type CellKey, type CellRows, type Setting, getSetting } from './cells';
import { listShared } from './numbers';
import { computeDifference, sampleValues, type Difference, type ValueName } from './samples';

/** Values of one cell minus those of another, over the instances that count for both. Values of other tasks are null. */
interface Differences {
  /** Difference of the micro F1, from -1 to 1. */
  f1: Difference | null;
  /** Difference of the mean of the instances' own F1, from -1 to 1. */
  macro_f1: Difference | null;
  /** Difference of the mean score, in points of the judge's scale. */
  average_score: Difference | null;
  /** Differences of the accuracy and of the paired accuracy of a choice, from -1 to 1; the latter is null without pairs. */
  accuracy: Difference | null;
  paired_accuracy: Difference | null;
  /** Instances that count for both; without any, all values are null. */
  n_instances: number;
}

/** Two models in one setting. */
export interface ModelDifference extends Setting, Differences {
  model: string;
  other: string;
}

/** One model, given two forms of the history. */
export interface ContextDifference extends CellKey, Differences {
  other: Setting['context'];
}

/**
 * Computes the paired differences of every two models in the same setting, in the order of the cells. Both values come from the same instances
 * and, in each resample, from the same personas, so difficulty common to both models cancels out.
 */
export function computeModelDifferences(
  cells: readonly CellRows[],
  resampling: Resampling,
): ModelDifference[] {
  const settings = groupBy(cells, ({ cell }) => JSON.stringify(getSetting(cell)));
  return [...settings.values()].flatMap(listPairs).map(([first, second]) => ({
    ...getSetting(first.cell),
    model: first.cell.model,
    other: second.cell.model,
    ...compareCells(first, second, resampling),
  }));
}

/** Computes the paired differences of every two contexts of the same model and evaluator, in the same way. */
export function computeContextDifferences(
  cells: readonly CellRows[],
  resampling: Resampling,
): ContextDifference[] {
  const models = groupBy(cells, ({ cell }) => JSON.stringify({ ...cell, context: undefined }));
  return [...models.values()].flatMap(listPairs).map(([first, second]) => ({
    ...first.cell,
    other: second.cell.context,
    ...compareCells(first, second, resampling),
  }));
}

/** Compares two cells over the rows that count for both, so that the same seed draws the same personas of both. */
function compareCells(first: CellRows, second: CellRows, resampling: Resampling): Differences {
  const { task } = first.cell;
  const firstSample = sampleValues(task, listShared(second.rows, first.rows), resampling);
  const secondSample = sampleValues(task, listShared(first.rows, second.rows), resampling);
  const compare = (name: ValueName) => computeDifference(firstSample.values[name], secondSample.values[name]);
  return {
    f1: compare('f1'),
    macro_f1: compare('macro_f1'),
    average_score: compare('average_score'),
    accuracy: compare('accuracy'),
    paired_accuracy: compare('paired_accuracy'),
    n_instances: firstSample.n_instances,
  };
}
