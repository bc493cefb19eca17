import { renderFactorsYaml, renderStructure } from '../../prompts/values';
import { checkJourney, type Journey } from '../../rules/answers/synthesis/journey';
import { NO_RELATED_FACTOR } from '../../schemas/dataset/factor';
import { askModel, type CheckedAnswer } from '../ask-model';
import type { PersonaRefs, Place } from './inputs';
import { buildPromptQuestion } from '../prompt-question';
import { buildStepQuestion, caches, readFactors, readPersona, getStructure } from './read-run';
import type { SynthesisWorld } from './files';

/** Plans a persona's chronological sessions on the structure drawn for it (paper, B.3). */
export async function generateJourney(
  world: SynthesisWorld,
  input: Place & PersonaRefs & { readonly factors: string },
): Promise<CheckedAnswer<Journey>> {
  const run = await world.run(input.run);
  const persona = await readPersona(run, input);
  const factors = await readFactors(run, input);
  const structure = getStructure(run, input.persona);
  const { quality, taxonomy } = run.settings;
  const [first, second] = factors.filter((factor) => factor.related_factor !== NO_RELATED_FACTOR);
  const values = {
    n_sessions: String(structure.length),
    series_structure: renderStructure(structure),
    first_factor: first?.factor ?? '',
    second_factor: second?.factor ?? '',
    user_persona: persona.description,
    context_factors: renderFactorsYaml(factors),
  };
  return askModel(world, run, {
    ...buildStepQuestion(run, 'journey', input, [input.persona]),
    turn: 0,
    ...buildPromptQuestion(run, 'synthesis/sessions_generator', values),
    check: (text) => checkJourney(text, { structure, factors, quality, taxonomy }),
    remember: caches.journeys.remember,
  });
}
