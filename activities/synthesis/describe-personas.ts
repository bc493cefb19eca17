import { renderTemplates } from '../../prompts/values';
import { checkDescriptions } from '../../rules/answers/synthesis/describe';
import type { PersonaDescription } from '../../schemas/dataset/persona';
import { askModel, type CheckedAnswer } from '../ask-model';
import type { Place } from './inputs';
import { buildPromptQuestion } from '../prompt-question';
import { buildStepQuestion, getTemplate } from './read-run';
import type { SynthesisWorld } from './files';

/** Describes a batch of personas, in the order of their templates (paper, B.1). */
export async function describePersonas(
  world: SynthesisWorld,
  input: Place & { readonly first: number; readonly count: number },
): Promise<CheckedAnswer<PersonaDescription[]>> {
  const run = await world.run(input.run);
  const templates = Array.from({ length: input.count }, (_, index) => getTemplate(run, input.first + index));
  const values = { seed_descriptions: renderTemplates(templates) };
  return askModel(world, run, {
    ...buildStepQuestion(run, 'describe', input, []),
    turn: input.first,
    ...buildPromptQuestion(run, 'synthesis/persona_generator', values),
    check: (text) => checkDescriptions(text, { count: input.count, quality: run.settings.quality }),
  });
}
