import type { Instance, PriorInteraction } from '../../schemas/dataset/instance';
import type { HistoryForm } from '../../schemas/evaluation/context';
import { isRelevant } from './relevance';

/** Returns the prior sessions whose dialogues a context shows; undefined if it shows other texts about them. */
export function findShownSessions(instance: Instance, context: HistoryForm): PriorInteraction[] | undefined {
  const shows = SHOWS[context];
  return shows && instance.prior_interactions.filter((session) => shows(session, instance));
}

const SHOWS: Readonly<Record<HistoryForm, typeof isRelevant | undefined>> = {
  full: () => true,
  oracle: isRelevant,
  none: () => false,
  preference: () => false,
  summary: undefined,
  memory: undefined,
};
