import { renderTemplates } from '../../prompts/values';
import { checkDescriptions } from '../../rules/answers/synthesis/describe';
import { isDescribed, isTemplate, type PersonaDescription } from '../../schemas/dataset/persona';
import { buildJournalKey } from '../../journal/key';
import { accept } from '../../rules/answers/form/checks';
import { askModel, type CheckedAnswer } from '../ask-model';
import type { Place } from './inputs';
import { buildPromptQuestion } from '../prompt-question';
import { buildStepQuestion, getTemplate } from './read-run';
import type { SynthesisWorld } from './files';

/**
 * Describes a batch of personas, in the order of their templates (paper, B.1). Of descriptions that were given to the run, no model is
 * asked.
 */
export async function describePersonas(
  world: SynthesisWorld,
  input: Place & { readonly first: number; readonly count: number },
): Promise<CheckedAnswer<PersonaDescription[]>> {
  const run = await world.run(input.run);
  const templates = Array.from({ length: input.count }, (_, index) => getTemplate(run, input.first + index));
  const question = { ...buildStepQuestion(run, 'describe', input, []), turn: input.first };
  const ready = templates.filter(isDescribed);
  if (ready.length > 0) {
    const value = ready.map(({ description, occupation }) => ({ description, occupation }));
    return { key: buildJournalKey(question), ...accept(value) };
  }
  const values = { seed_descriptions: renderTemplates(templates.filter(isTemplate)) };
  return askModel(world, run, {
    ...question,
    ...buildPromptQuestion(run, 'synthesis/persona_generator', values),
    check: (text) => checkDescriptions(text, { count: input.count, quality: run.settings.quality }),
  });
}
