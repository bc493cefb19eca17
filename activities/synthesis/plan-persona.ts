import type { Journey } from '../../rules/answers/synthesis/journey';
import { listDistinctPreferences } from '../../rules/journey/preferences';
import type { ContextFactor } from '../../schemas/dataset/factor';
import type { Restart } from '../../schemas/run/restart';
import type { Checklist } from '../../schemas/dataset/session';
import type { CallOutcome } from '../ask-model';
import { awaitAll } from '../activity';
import { decomposePreference } from './decompose-preference';
import type { SynthesisWorld } from './files';
import { generateFactors } from './generate-factors';
import { generateJourney } from './generate-journey';
import type { PersonaRefs } from './inputs';
import { createFirstCaller } from './read-run';

/** What the first calls of a persona's plan came to; those after one that was not answered well at once are not made. */
export interface PersonaPlanOutcomes {
  readonly factors: CallOutcome<ContextFactor[]>;
  readonly journey?: CallOutcome<Journey>;
  /** By the position of their preferences in the journey. */
  readonly checklists?: readonly CallOutcome<Checklist>[];
}

/**
 * Plans a persona: factors, then the journey, then the checklists of its preferences side by side, for as long as every answer is good
 * at once. Each call is journaled by itself, and whatever has to be decided is left to the workflow, as when a dialogue is carried on.
 */
export async function planPersona(
  world: SynthesisWorld,
  input: PersonaRefs & { readonly restarts?: readonly Restart[] },
): Promise<PersonaPlanOutcomes> {
  const { restarts, ...refs } = input;
  const call = createFirstCaller(world, await world.run(refs.run), refs, restarts);

  const factors = await call('factors', 0, (place) => generateFactors(world, { ...refs, ...place }));
  if (factors.good === undefined) return { factors: factors.outcome };
  const listed = { ...refs, factors: factors.good.ref };
  const journey = await call('journey', 0, (place) => generateJourney(world, { ...listed, ...place }));
  if (journey.good === undefined) return { factors: factors.outcome, journey: journey.outcome };
  const planned = { ...listed, journey: journey.good.ref };
  const preferences = listDistinctPreferences(journey.good.value.sessions);
  const checklists = await awaitAll(
    preferences.map((_, position) => {
      const index = position + 1;
      return call('checklist', index, (place) => decomposePreference(world, { ...planned, ...place, index }));
    }),
  );
  return {
    factors: factors.outcome,
    journey: journey.outcome,
    checklists: checklists.map(({ outcome }) => outcome),
  };
}
