import type { PromptName } from '../prompts/files';
import { renderPrompt } from '../prompts/render';
import type { Question } from './ask-model';
import type { RunFiles } from './world';

/** What a step asks that is one rendered prompt and no conversation: to be spread into its question. */
export function buildPromptQuestion(
  run: RunFiles,
  name: PromptName,
  values: Readonly<Record<string, string>>,
): Pick<Question<unknown>, 'form' | 'system' | 'messages' | 'values' | 'tellsReason'> {
  const { system, user = '' } = renderPrompt(run.prompts, name, values);
  return { form: 'prompt', system, messages: [{ role: 'user', content: user }], values, tellsReason: true };
}
