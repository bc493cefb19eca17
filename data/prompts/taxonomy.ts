import { PREFERENCE_GROUPS } from '../../schemas/dataset/factor';
import { PAPER_TAXONOMY, type Taxonomy } from '../../schemas/dataset/taxonomy';
import type { Prompt } from '../../schemas/run/prompts';
import { TAXONOMY_PLACEHOLDERS, type PromptName } from './files';
import { listPlaceholders, parseTemplate } from './render';

/** Returns the prompt with the taxonomy's types in their placeholders; without a taxonomy, the types of the paper's table 7. */
export function fillTaxonomy(name: PromptName, prompt: Prompt, taxonomy: Taxonomy | undefined): Prompt {
  if (TAXONOMY_PLACEHOLDERS[name] === undefined) return prompt;
  const values = taxonomy === undefined ? PAPER_VALUES : renderTaxonomy(taxonomy);
  const fill = (template: string) =>
    Object.entries(values).reduce(
      (text, [placeholder, value]) => text.replaceAll(`{${placeholder}}`, () => value),
      template,
    );
  return {
    system_prompt: fill(prompt.system_prompt),
    ...(prompt.user_prompt === undefined ? {} : { user_prompt: fill(prompt.user_prompt) }),
  };
}

/** Lists the placeholders for types that a prompt lacks for a taxonomy. */
export function listMissingTypes(name: PromptName, prompt: Prompt): string[] {
  const requiredPlaceholders: readonly string[] = TAXONOMY_PLACEHOLDERS[name] === undefined ? [] : REQUIRED;
  const usedPlaceholders = [prompt.system_prompt, prompt.user_prompt ?? ''].flatMap((template) =>
    listPlaceholders(parseTemplate(template).parts),
  );
  return requiredPlaceholders.filter((placeholder) => !usedPlaceholders.includes(placeholder));
}

const REQUIRED = ['factor_types', 'task_types', 'preference_types'] as const;

type TaxonomyValues = Readonly<Record<(typeof REQUIRED)[number] | 'example_types', string>>;

const PAPER_VALUES: TaxonomyValues = {
  factor_types: renderList(PAPER_TAXONOMY.factor_types),
  task_types: renderList(PAPER_TAXONOMY.task_types),
  preference_types: `The three groups are only for orientation; the answer names the type, never the group.

${Object.entries(PREFERENCE_GROUPS)
  .map(([group, types]) => `- ${group}: ${types.join(', ')}`)
  .join('\n')}`,
  example_types: '',
};

function renderTaxonomy({ factor_types, task_types, preference_types }: Taxonomy): TaxonomyValues {
  return {
    factor_types: renderList(factor_types),
    task_types: renderList(task_types),
    preference_types: `The answer copies the type exactly.\n\n${renderList(preference_types)}`,
    example_types: ' Its types are from other lists: take yours from the lists above.',
  };
}

function renderList(types: readonly string[]): string {
  return types.map((type) => `- ${type}`).join('\n');
}
