import { placeOf, restartsOf, type RestartableCall } from '../../journal/revisions';
import type { Restart } from '../../schemas/restart';
import type { SynthesisSettings } from '../../schemas/settings';
import type { Asker } from '../ask';

/** How a call of synthesis is asked, given what is done over; `place` is what its activity is given of that. */
export function placed(
  settings: SynthesisSettings,
  restarts: readonly Restart[] = [],
  call: RestartableCall & Omit<Asker, 'generation'>,
) {
  const place = placeOf(restarts, call, settings.models);
  return { asker: { ...call, generation: place.generation }, place };
}

/** How often a persona's work was restarted; nothing for never. */
export function restarted(restarts: readonly Restart[] = [], persona: number): { generation?: number } {
  const generation = restartsOf(restarts, persona);
  return generation === 0 ? {} : { generation };
}
