import { checkChecklist } from '../../rules/answers/synthesis/checklist';
import { listDistinctPreferences } from '../../rules/journey/preferences';
import type { Checklist } from '../../schemas/dataset/session';
import { askModel, type CheckedAnswer } from '../ask-model';
import type { JourneyRefs, Place } from './inputs';
import { buildPromptQuestion } from '../prompt-question';
import { buildStepQuestion, caches, readJourney } from './read-run';
import type { SynthesisWorld } from './files';

/** Decomposes one of a journey's distinct preferences, by its position from 1, into a checklist (paper, 2.3). */
export async function decomposePreference(
  world: SynthesisWorld,
  input: Place & JourneyRefs & { readonly index: number },
): Promise<CheckedAnswer<Checklist>> {
  const run = await world.run(input.run);
  const journey = await readJourney(run, input);
  const preference = listDistinctPreferences(journey.sessions)[input.index - 1];
  if (preference === undefined) throw new Error(`The journey has no preference number ${input.index}.`);
  const values = { preferences: preference };
  return askModel(world, run, {
    ...buildStepQuestion(run, 'checklist', input, [input.persona]),
    turn: input.index,
    ...buildPromptQuestion(run, 'synthesis/preference_decomposer', values),
    check: checkChecklist,
    remember: caches.checklists.remember,
  });
}
