import type { Instance, PriorInteraction } from '../schemas/instance';

/** True for a prior session with the current context factor and preference (paper, 4.1: the oracle setting). */
export function isRelevant(session: PriorInteraction, instance: Instance): boolean {
  return (
    session.context_factor === instance.current_context_factor &&
    session.contextual_preference === instance.current_contextual_preference
  );
}

/** Mean position, from 1, of the relevant sessions (paper, figure 3); null when there are none. */
export function relevantPosition(instance: Instance): number | null {
  const positions = instance.prior_interactions.flatMap((session, at) =>
    isRelevant(session, instance) ? [at + 1] : [],
  );
  if (positions.length === 0) return null;
  return positions.reduce((sum, position) => sum + position, 0) / positions.length;
}
