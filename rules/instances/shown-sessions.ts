import type { Instance, PriorInteraction } from '../../schemas/dataset/instance';
import type { ContextForm } from '../../schemas/evaluation/context';
import { isRelevant } from './relevance';

/** Returns the prior sessions whose dialogues a form of the history shows; undefined if it shows other texts about them. */
export function findShownSessions(
  instance: Instance,
  form: ContextForm | 'preference',
): PriorInteraction[] | undefined {
  const shows = SHOWS[form];
  return shows && instance.prior_interactions.filter((session) => shows(session, instance));
}

const SHOWS: Readonly<Record<ContextForm | 'preference', typeof isRelevant | undefined>> = {
  full: () => true,
  oracle: isRelevant,
  none: () => false,
  preference: () => false,
  summary: undefined,
  memory: undefined,
};
