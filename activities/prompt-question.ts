import type { PromptName } from '../prompts/files';
import { renderPrompt } from '../prompts/render';
import type { Message } from '../schemas/message';
import type { RunFiles } from './world';

/** What a step asks that is one rendered prompt and no conversation: to be spread into its question. */
export function buildPromptQuestion(
  run: RunFiles,
  name: PromptName,
  values: Readonly<Record<string, string>>,
): {
  readonly form: 'prompt';
  readonly system: string;
  readonly messages: readonly Message[];
  readonly values: Readonly<Record<string, string>>;
  readonly tellsReason: true;
} {
  const { system, user = '' } = renderPrompt(run.prompts, name, values);
  return { form: 'prompt', system, messages: [{ role: 'user', content: user }], values, tellsReason: true };
}
