import { HISTORY_TOKENS, type HistoryTier } from '../../schemas/evaluation/context';
import { formatNumber } from '../../schemas/text/count-text';
import { formatCode } from './markdown';

/** How the histories of an export were extended. */
export interface DrawnHistory {
  readonly tier: HistoryTier;
  readonly seed: number;
}

/** Describes extended histories, and what they cannot show. */
export function describeHistory({ tier, seed }: DrawnHistory): string {
  return (
    `Sessions of other personas extend every history to at most ${formatNumber(HISTORY_TOKENS[tier])} tokens of o200k_base. They were drawn with seed ${seed}, as by ${formatCode(`cupid eval --history ${tier}`)}, and all rows of a persona have the same ones. ` +
    "They are other people's conversations: an easier distraction than one's own past."
  );
}
