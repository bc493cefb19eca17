import type { PromptName } from '../../data/prompts/files';
import { parseTemplate } from '../../data/prompts/render';
import type { PromptPack } from '../../schemas/run/prompts';

/** Counts the characters of a prompt's two texts without placeholders. */
export function countPromptCharacters({ prompts }: PromptPack, name: PromptName): number {
  const { system_prompt: system = '', user_prompt: user = '' } = prompts[name] ?? {};
  return [system, user]
    .flatMap((template) => parseTemplate(template).parts)
    .reduce((all, part) => all + ('text' in part ? part.text.length : 0), 0);
}
