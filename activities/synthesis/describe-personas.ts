import { templateLines } from '../../prompts/values';
import { checkDescriptions } from '../../rules/answers/synthesis/describe';
import type { PersonaDescription } from '../../schemas/persona';
import { askModel, type Asked } from '../ask-model';
import type { Place } from './inputs';
import { prompted } from '../prompt-question';
import { templateOf } from './read-run';
import { askedAs, type SynthesisWorld } from './files';

/** Describes a batch of personas, in the order of their templates (paper, B.1). */
export async function describePersonas(
  world: SynthesisWorld,
  input: Place & { readonly first: number; readonly count: number },
): Promise<Asked<PersonaDescription[]>> {
  const run = await world.run(input.run);
  const templates = Array.from({ length: input.count }, (_, index) => templateOf(run, input.first + index));
  const values = { seed_descriptions: templateLines(templates) };
  return askModel(world, run, {
    ...askedAs(run, 'describe', input, []),
    turn: input.first,
    ...prompted(run, 'synthesis/persona_generator', values),
    check: (text) => checkDescriptions(text, input.count),
  });
}
