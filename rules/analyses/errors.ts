import { ERROR_TYPES, type ErrorType, type ScoreRow } from '../../schemas/evaluation/evaluation';
import { drawByCohort, type Cohorts } from '../sampling/cohorts';
import type { ErrorShares } from '../../schemas/evaluation/results/studies';
import { getCellKey, groupRows, sortByKey } from './groups';

/** An inference with an F1 below this counts as an error (paper, 4.2.1: about the lowest quarter). */
const LOW_F1 = 0.2;

/** Tolerance for rounding: an F1 of exactly one fifth (precision 1/9, full recall) may come out slightly lower, and is not an error. */
const ROUNDING = 1e-9;

/**
 * Samples the inferences whose errors are classified: n per cell of those with an F1 below 0.2, or all if there are fewer. Only scored ones
 * qualify, because others have no inference to look at. The sample depends on the seed and the rows, not on the order of the rows.
 */
export function sampleLowF1<Row extends ScoreRow>(
  rows: readonly Row[],
  n: number,
  seed: number,
  cohorts: Cohorts = new Map(),
): Row[] {
  const low = rows.filter(
    ({ task, state, f1 }) =>
      task === 'inference' && state === 'scored' && f1 !== null && f1 < LOW_F1 - ROUNDING,
  );
  return groupRows(low, getCellKey).flatMap((cell) => {
    const { model, context, evaluator, evaluator_form, decomposer } = cell.name;
    const parts = [model, context, evaluator, evaluator_form, decomposer ?? ''];
    return sortByKey(drawByCohort(cell.rows, cohorts, n, seed, 'low F1', ...parts));
  });
}

/** A sampled inference with its type of error; null if the labeler gave none. */
type LabelledError = ScoreRow & { readonly type: ErrorType | null };

/** Returns the table of error types, a row for each cell. */
export function computeErrorShares(errors: readonly LabelledError[]): ErrorShares[] {
  return groupRows(errors, getCellKey).map(({ name, rows }) => ({
    ...name,
    ...computeShares(rows.map(({ type }) => type)),
  }));
}

function computeShares(
  errorTypes: readonly (ErrorType | null)[],
): Pick<ErrorShares, 'n_labeled' | 'n_missing' | 'types'> {
  const n_labeled = errorTypes.filter((type) => type !== null).length;
  return {
    n_labeled,
    n_missing: errorTypes.length - n_labeled,
    types: ERROR_TYPES.map((type) => {
      const count = errorTypes.filter((candidate) => candidate === type).length;
      return { type, count, share: n_labeled === 0 ? null : count / n_labeled };
    }),
  };
}
