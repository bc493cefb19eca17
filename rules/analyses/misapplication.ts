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
  return groupRows(rows, getCellKey).map(({ name, rows: own }) => {
    const judged = own.flatMap(({ persona_id, misapplied, score }) =>
      misapplied === null || score === null ? [] : [{ persona_id, misapplied, score }],
    );
    return {
      ...name,
      n: judged.length,
      n_missing: own.length - judged.length,
      rate: computeShare(judged, ({ misapplied }) => misapplied >= LEAST_ACCEPTED.score),
      mean: judged.length === 0 ? null : mean(judged.map(({ misapplied }) => misapplied)),
      true_mean: judged.length === 0 ? null : mean(judged.map(({ score }) => score)),
    };
  });
}
