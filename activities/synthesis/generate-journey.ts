import { factorsYaml, structureLines } from '../../prompts/values';
import { checkJourney, type Journey } from '../../rules/answers/synthesis/journey';
import { NO_RELATED_FACTOR } from '../../schemas/factor';
import { askModel, type Asked } from '../ask-model';
import type { PersonaRefs, Place } from './inputs';
import { prompted } from '../prompt-question';
import { readFactors, readPersona, structureOf, rememberJourney } from './read-run';
import { askedAs, type SynthesisWorld } from './files';

/** Plans a persona's chronological sessions on the structure drawn for it (paper, B.3). */
export async function generateJourney(
  world: SynthesisWorld,
  input: Place & PersonaRefs & { readonly factors: string },
): Promise<Asked<Journey>> {
  const run = await world.run(input.run);
  const persona = await readPersona(run, input);
  const factors = await readFactors(run, input);
  const structure = structureOf(run, input.persona);
  const [first, second] = factors.filter((factor) => factor.related_factor !== NO_RELATED_FACTOR);
  const values = {
    n_sessions: String(structure.length),
    series_structure: structureLines(structure),
    first_factor: first?.factor ?? '',
    second_factor: second?.factor ?? '',
    user_persona: persona.description,
    context_factors: factorsYaml(factors),
  };
  return askModel(world, run, {
    ...askedAs(run, 'journey', input, [input.persona]),
    turn: 0,
    ...prompted(run, 'synthesis/sessions_generator', values),
    check: (text) => checkJourney(text, { structure, factors }),
    remember: rememberJourney,
  });
}
