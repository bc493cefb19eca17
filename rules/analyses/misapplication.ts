import { mean } from 'simple-statistics';
import type { ShareFigure } from '../../schemas/dataset/data-figures';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { CellKey } from '../scores/cells';
import { computeShare } from '../statistics/share';
import { getCellKey, groupRows } from './groups';
import { LEAST_ACCEPTED } from './stress';

/** A response to a contrastive row, and its score on the preference of the contrastive context; null without a usable one. */
export type MisappliedRow = ScoreRow & { readonly misapplied: number | null };

/** How far a model's responses follow a preference that belongs to another context. */
interface Misapplication extends CellKey {
  n: number;
  /** Responses without a usable score. */
  n_missing: number;
  /** Share of responses that a judge would accept on the preference that does not apply, with its interval by persona. */
  rate: ShareFigure | null;
  /** Mean scores of these responses, on the preference that does not apply and on the true one. */
  mean: number | null;
  true_mean: number | null;
}

/** Computes the misapplication of each column of generation. */
export function computeMisapplication(rows: readonly MisappliedRow[]): Misapplication[] {
  return groupRows(rows, getCellKey).map(({ name, rows: cellRows }) => {
    const judgements = cellRows.flatMap(({ persona_id, misapplied, score }) =>
      misapplied === null || score === null ? [] : [{ persona_id, misapplied, score }],
    );
    return {
      ...name,
      n: judgements.length,
      n_missing: cellRows.length - judgements.length,
      rate: computeShare(judgements, ({ misapplied }) => misapplied >= LEAST_ACCEPTED.score),
      mean: judgements.length === 0 ? null : mean(judgements.map(({ misapplied }) => misapplied)),
      true_mean: judgements.length === 0 ? null : mean(judgements.map(({ score }) => score)),
    };
  });
}
