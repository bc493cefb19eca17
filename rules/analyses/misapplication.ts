import { mean } from 'simple-statistics';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { Misapplication } from '../../schemas/evaluation/results/studies';
import { computeShare } from '../statistics/share';
import { getCellKey, groupRows } from './groups';
import { LEAST_ACCEPTED } from './stress';

/** A response to a contrastive row, and its score on the preference of the contrastive context; null without a usable one. */
export type MisappliedRow = ScoreRow & { readonly misapplied: number | null };

/** Computes the misapplication of each column of generation. */
export function computeMisapplication(rows: readonly MisappliedRow[]): Misapplication[] {
  return groupRows(rows, getCellKey).map(({ name, rows: cellRows }) => {
    const judgements = cellRows.flatMap(({ persona_id, misapplied, score }) =>
      misapplied === null || score === null ? [] : [{ persona_id, misapplied, score }],
    );
    return {
      ...name,
      n_responses: judgements.length,
      n_missing: cellRows.length - judgements.length,
      rate: computeShare(judgements, ({ misapplied }) => misapplied >= LEAST_ACCEPTED.score),
      mean: judgements.length === 0 ? null : mean(judgements.map(({ misapplied }) => misapplied)),
      true_mean: judgements.length === 0 ? null : mean(judgements.map(({ score }) => score)),
    };
  });
}
