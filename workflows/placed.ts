import { generationOf, modelOf, restartsOf, type RestartableCall } from '../rules/generations';
import { ROLE_OF } from '../rules/model-roles';
import type { Restart } from '../schemas/restart';
import type { SynthesisSettings } from '../schemas/settings';
import type { Asker } from './ask';
import { asking } from './options';

/**
 * How a call of synthesis is asked, given what is done over: as which generation, and of which model.
 * `place` is what its activity is told of that.
 */
export function placed(
  run: string,
  settings: SynthesisSettings,
  restarts: readonly Restart[] = [],
  call: RestartableCall & Omit<Asker, 'generation'>,
) {
  const generation = generationOf(restarts, call);
  const spec = modelOf(restarts, call, settings.models);
  const usual = settings.models[ROLE_OF[call.step]];
  return {
    asker: { ...call, generation },
    asking: asking(run),
    place: { generation, ...(spec === usual ? {} : { spec }) },
  };
}

/** How often a persona's work was restarted; nothing for never. */
export function restarted(restarts: readonly Restart[] = [], persona: number): { generation?: number } {
  const generation = restartsOf(restarts, persona);
  return generation === 0 ? {} : { generation };
}
