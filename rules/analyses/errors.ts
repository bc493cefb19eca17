import { ERROR_TYPES, type ErrorType, type ScoreRow } from '../../schemas/evaluation/evaluation';
import { groupBy } from '../group-by';
import { createRandom } from '../sampling/random';
import type { CellKey } from '../scores/cells';
import { compareOrder, getCellKey, buildSettingOrder, groupRows, sortByKey } from './groups';

/** Below this F1 an inference is taken for an error (paper, 4.2.1: about the lowest quarter). */
export const LOW_F1 = 0.2;

/** Of a fifth exactly, computing may leave a little less (a precision of 1/9 with full recall): that is not below it. */
const ROUNDING = 1e-9;

/**
 * Returns the inferences whose errors are classified: of each cell n of those with an F1 below 0.2, or all when there are fewer. Only
 * scored ones: where the context was too long or a call failed there is no inference to look at. The same seed and rows,
 * in whatever order, give the same ones.
 */
export function sampleLowF1<Row extends ScoreRow>(rows: readonly Row[], n: number, seed: number): Row[] {
  const low = rows.filter(
    ({ task, state, f1 }) =>
      task === 'inference' && state === 'scored' && f1 !== null && f1 < LOW_F1 - ROUNDING,
  );
  return groupRows(low, getCellKey).flatMap((cell) => {
    const { model, context, evaluator, evaluator_form, decomposer } = cell.name;
    const parts = [model, context, evaluator, evaluator_form, decomposer ?? ''];
    return sortByKey(createRandom(seed, 'low F1', ...parts).sample(cell.rows, Math.min(n, cell.rows.length)));
  });
}

/** A sampled inference of a cell, and what was wrong with it; null where the labelling gave nothing. */
interface LabelledError {
  cell: CellKey;
  type: ErrorType | null;
}

/** What went wrong in one cell (table 2). */
export interface ErrorShares extends CellKey {
  n_labelled: number;
  n_missing: number;
  /** All types, in the order of the table; shares of those labelled, from 0 to 1, null when there are none. */
  types: { type: ErrorType; count: number; share: number | null }[];
}

/** Returns the table of error types, a row for each cell. */
export function computeErrorShares(errors: readonly LabelledError[]): ErrorShares[] {
  return [...groupBy(errors, ({ cell }) => buildSettingOrder(cell))]
    .map(([order, own]) => ({ order, own }))
    .toSorted(compareOrder)
    .flatMap(({ own }) =>
      own
        .slice(0, 1)
        .map(({ cell }) => ({ ...getCellKey(cell), ...computeShares(own.map(({ type }) => type)) })),
    );
}

function computeShares(
  given: readonly (ErrorType | null)[],
): Pick<ErrorShares, 'n_labelled' | 'n_missing' | 'types'> {
  const n_labelled = given.filter((type) => type !== null).length;
  return {
    n_labelled,
    n_missing: given.length - n_labelled,
    types: ERROR_TYPES.map((type) => {
      const count = given.filter((other) => other === type).length;
      return { type, count, share: n_labelled === 0 ? null : count / n_labelled };
    }),
  };
}
