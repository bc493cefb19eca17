import { derivePlace, countRestarts, type RestartableCall } from '../../journal/revisions';
import type { Restart } from '../../schemas/restart';
import type { SynthesisSettings } from '../../schemas/settings';
import type { QuestionPlace } from '../ask';

/** How a call of synthesis is asked, given what is done over; `place` is what its activity is given of that. */
export function placeCall(
  settings: SynthesisSettings,
  restarts: readonly Restart[] = [],
  call: RestartableCall & Omit<QuestionPlace, 'generation'>,
) {
  const place = derivePlace(restarts, call, settings.models);
  return { asker: { ...call, generation: place.generation }, place };
}

/** How often a persona's work was restarted; nothing for never. */
export function getRevision(restarts: readonly Restart[] = [], persona: number): { generation?: number } {
  const generation = countRestarts(restarts, persona);
  return generation === 0 ? {} : { generation };
}
