import type { Instance, PriorInteraction } from '../../schemas/dataset/instance';
import { normalizeSpelling } from '../answers/form/checks';

type PriorSession = Pick<PriorInteraction, 'context_factor' | 'contextual_preference'>;
type CurrentSession = Pick<Instance, 'current_context_factor' | 'current_contextual_preference'>;

/**
 * Returns true for a prior session with the current context factor and preference (paper, 4.1: the oracle setting). Spaces around them and a final
 * full stop do not count, as in the reference.
 */
export function isRelevant(session: PriorSession, instance: CurrentSession): boolean {
  return (
    normalizeSpelling(session.context_factor) === normalizeSpelling(instance.current_context_factor) &&
    normalizeSpelling(session.contextual_preference) ===
      normalizeSpelling(instance.current_contextual_preference)
  );
}

/** Returns the mean position, from 1, of the relevant sessions (paper, figure 3); null without any. */
export function computeRelevantPosition(
  instance: CurrentSession & { readonly prior_interactions: readonly PriorSession[] },
): number | null {
  const positions = instance.prior_interactions.flatMap((session, at) =>
    isRelevant(session, instance) ? [at + 1] : [],
  );
  if (positions.length === 0) return null;
  return positions.reduce((sum, position) => sum + position, 0) / positions.length;
}
