import type { MatchLabel } from '../evaluation/evaluation';

/** Labels of an item, as raters see them. */
export const LABEL_TEXTS: Readonly<Record<MatchLabel, string>> = {
  'Fully Covered': 'fully',
  'Partially Covered': 'in part',
  'Not Covered': 'not at all',
};
