import type { Message } from '../schemas/dataset/message';
import type { ModelFacts } from '../schemas/model/model-table';
import type { Provider } from '../schemas/model/provider';
import type { ModelRequest } from './model';

/**
 * What stands before a conversation that begins with the assistant (the user simulator's does), for the providers that
 * refuse one. It is no part of the request's identity nor of any dialogue; the data sets' cards say that it was sent.
 */
export const OPENING_MESSAGE: Message = { role: 'user', content: 'Please begin.' };

/**
 * Providers that want the first message from the user: Bedrock's Converse and Anthropic's Messages say so ("first
 * message must use the user role"), Gemini answers "ensure that multiturn requests alternate between user and model".
 */
export const OPENED_PROVIDERS: ReadonlySet<Provider> = new Set(['bedrock', 'anthropic', 'gemini']);

/** Returns the messages, with the opening before them when they begin with the assistant. */
export function ensureUserOpening(messages: readonly Message[]): readonly Message[] {
  return messages[0]?.role === 'assistant' ? [OPENING_MESSAGE, ...messages] : messages;
}

/**
 * Returns the request in the form that its model's chat template takes, and in Unicode that every server takes: a lone surrogate, which one answer
 * may hold, would make every later request invalid that quotes it.
 */
export function fitTemplate(
  request: ModelRequest,
  { assistantFirst, systemRole }: Pick<ModelFacts, 'assistantFirst' | 'systemRole'>,
): ModelRequest {
  const system = request.system.toWellFormed();
  const messages = request.messages.map(({ role, content }) => ({ role, content: content.toWellFormed() }));
  if (system !== '' && systemRole === 'rejected') {
    const [first, ...others] = ensureUserOpening(messages);
    const content = `${system}\n\n${first?.content ?? ''}`;
    return { ...request, system: '', messages: [{ role: 'user', content }, ...others] };
  }
  return {
    ...request,
    system,
    messages: assistantFirst === 'rejected' ? ensureUserOpening(messages) : messages,
  };
}
