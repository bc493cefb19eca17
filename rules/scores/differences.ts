import { groupBy, listPairs } from '../group-by';
import type {
  ContextDifference,
  Differences,
  ModelDifference,
  Resampling,
} from '../../schemas/evaluation/results/summary';
import { type CellRows, getSetting } from './cells';
import { listShared } from './numbers';
import { computeDifference, sampleValues, type ValueName } from './samples';

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
    n_personas: firstSample.n_personas,
    n_pairs: firstSample.values.paired_accuracy?.n_personas ?? null,
  };
}
