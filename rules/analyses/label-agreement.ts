import { MATCH_LABELS, type MatchLabel } from '../../schemas/evaluation/evaluation';
import { computeKrippendorffAlpha } from './agreement';

/** Krippendorff's alpha of match labels, as categories and as an order; null where it is not defined. */
export interface LabelAgreement {
  nominal: number | null;
  ordinal: number | null;
}

/** How far those who labelled agree; for each checklist entry all labels it was given. */
export function computeLabelAgreement(entries: readonly (readonly MatchLabel[])[]): LabelAgreement {
  // Only the order of the numbers matters.
  const ranks = entries.map((labels) => labels.map((label) => MATCH_LABELS.indexOf(label)));
  return {
    nominal: computeKrippendorffAlpha(ranks, 'nominal'),
    ordinal: computeKrippendorffAlpha(ranks, 'ordinal'),
  };
}
