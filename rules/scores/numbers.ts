import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { Numbers } from '../../schemas/evaluation/results/figures';
import { getRowResult } from '../../schemas/evaluation/measure';
import { computeAggregate } from './aggregate';
import { getNumber, isCounted } from './counted-instances';

/**
 * Computes the numbers of rows of one cell.
 * @throws Error that names the row and the column when a row that counts lacks a number.
 */
export function computeNumbers(rows: readonly ScoreRow[]): Numbers {
  const { inference, generation, choice } = computeAggregate(rows);
  return {
    n_instances: inference?.n_instances ?? generation?.n_instances ?? choice?.n_instances ?? 0,
    precision: inference?.precision ?? null,
    recall: inference?.recall ?? null,
    f1: inference?.f1 ?? null,
    macro_f1: inference?.macro.f1 ?? null,
    average_score: generation?.average_score ?? null,
    accuracy: choice?.accuracy ?? null,
    paired_accuracy: choice?.paired_accuracy ?? null,
  };
}

/**
 * Returns the F1 of an inference, the score of a response, or 1 for a right choice; null for a row that does not count.
 * @throws Error that names the row and the column when a row that counts lacks the number.
 */
export function getResult(row: ScoreRow): number | null {
  if (!isCounted(row)) return null;
  return row.task === 'choice'
    ? getRowResult(row)
    : getNumber(row, row.task === 'inference' ? 'f1' : 'score');
}

/** Returns the rows that count and whose instances also count among the others. */
export function listShared(otherRows: readonly ScoreRow[], rows: readonly ScoreRow[]): ScoreRow[] {
  const instances = new Set(otherRows.filter(isCounted).map(buildInstanceKey));
  return rows.filter((row) => isCounted(row) && instances.has(buildInstanceKey(row)));
}
