import { checkFactors } from '../../rules/answers/synthesis/factors';
import type { ContextFactor } from '../../schemas/dataset/factor';
import { mapValues } from '../../schemas/map-values';
import { askModel, type CheckedAnswer } from '../ask-model';
import type { PersonaRefs, Place } from './inputs';
import { buildPromptQuestion } from '../prompt-question';
import { buildStepQuestion, caches, readPersona } from './read-run';
import type { SynthesisWorld } from './files';

/** Generates a persona's context factors, the contrastive pair last (paper, B.2). */
export async function generateFactors(
  world: SynthesisWorld,
  input: Place & PersonaRefs,
): Promise<CheckedAnswer<ContextFactor[]>> {
  const run = await world.run(input.run);
  const persona = await readPersona(run, input);
  const { nFactors, taxonomy } = run.settings;
  const values = {
    n_factors: String(nFactors),
    user_persona: persona.description,
    // The prompt has them already; the simulated model reads values only.
    ...(taxonomy === undefined ? {} : mapValues(taxonomy, (types) => types.join('\n'))),
  };
  return askModel(world, run, {
    ...buildStepQuestion(run, 'factors', input, [input.persona]),
    turn: 0,
    ...buildPromptQuestion(run, 'synthesis/context_factors_generator', values),
    check: (text) => checkFactors(text, run.settings),
    remember: caches.factors.remember,
  });
}
