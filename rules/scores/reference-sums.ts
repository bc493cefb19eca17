import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { InferenceAverages, ReferenceSums } from '../../schemas/evaluation/results/summary';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { computeAggregate } from './aggregate';
import { getNumber } from './counted-instances';

/**
 * Returns the sums of the reference program over the rows of one inference cell and of its generation cell; either may be empty. They treat
 * missing rows differently from ours:
 * - a failed match counts, with the entries of both checklists and none matched: the row has `n_predicted` and `n_true` although its state is
 *   missing;
 * - a failed judge counts as score 0;
 * - any other failure, and an open call, drops the instance from both tasks.
 * @throws Error that names the row and the column when one of those numbers is empty.
 */
export function computeReferenceSums(
  inferenceRows: readonly ScoreRow[],
  generationRows: readonly ScoreRow[],
): ReferenceSums {
  const dropped = new Set([...inferenceRows, ...generationRows].filter(isDropped).map(buildInstanceKey));
  const isKept = (row: ScoreRow) => !dropped.has(buildInstanceKey(row));
  const { inference, generation } = computeAggregate([
    ...inferenceRows.filter(isKept).map(withFailedMatch),
    ...generationRows.filter(isKept).map(withFailedJudge),
  ]);
  return { inference: inference && removeMacro(inference), generation, n_dropped: dropped.size };
}

function removeMacro(averages: InferenceAverages): ReferenceSums['inference'] {
  const { macro: _, ...sums } = averages;
  return sums;
}

function isDropped({ task, state, missing_step }: ScoreRow): boolean {
  if (state === 'open') return true;
  const countsAllTheSame = task === 'inference' ? 'match' : 'judge';
  return state === 'missing' && missing_step !== countsAllTheSame;
}

function withFailedMatch(row: ScoreRow): ScoreRow {
  if (row.state !== 'missing') return row;
  return {
    ...row,
    n_predicted: getNumber(row, 'n_predicted'),
    n_true: getNumber(row, 'n_true'),
    state: 'scored',
    n_predicted_matched: 0,
    n_true_matched: 0,
    precision: 0,
    recall: 0,
    f1: 0,
  };
}

function withFailedJudge(row: ScoreRow): ScoreRow {
  return row.state === 'missing' ? { ...row, state: 'scored', score: 0 } : row;
}
