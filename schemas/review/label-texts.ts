import type { MatchLabel } from '../matching/match-label';

/** Labels of an item, as raters see them. */
export const LABEL_TEXTS: Readonly<Record<MatchLabel, string>> = {
  'Fully Covered': 'fully',
  'Partially Covered': 'in part',
  'Not Covered': 'not at all',
};

export const LABELLED_STATES = ['accepted', 'rejected', 'open', 'none', 'differ'] as const;

/** States of an instance in a review by people, so far. In each of the others, the labels of raters may also differ. */
export const LABELLED_STATE_TEXTS: Readonly<Record<(typeof LABELLED_STATES)[number], string>> = {
  accepted: 'accepted',
  rejected: 'rejected',
  open: 'not decided',
  none: 'not labeled',
  differ: 'raters differ',
};
