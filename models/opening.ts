import type { Message } from '../schemas/dataset/message';
import { trimText } from '../schemas/model/answer-text';
import type { ModelFacts } from '../schemas/model/model-table';
import type { Provider } from '../schemas/model/provider';
import type { ModelRequest } from './model';

/**
 * First message for providers that reject conversations beginning with the assistant, as the user simulator's do. It belongs neither to the
 * request's identity nor to any dialogue; the data sets' cards mention it.
 */
export const OPENING_MESSAGE: Message = { role: 'user', content: 'Please begin.' };

/**
 * Providers that require the first message to be the user's. Bedrock's Converse and Anthropic's Messages say so ("first message must use the user
 * role"). Gemini answers "ensure that multiturn requests alternate between user and model".
 */
export const OPENED_PROVIDERS: ReadonlySet<Provider> = new Set(['bedrock', 'anthropic', 'gemini']);

/** Returns the messages, after the opening message if they begin with the assistant. */
export function ensureUserOpening(messages: readonly Message[]): readonly Message[] {
  return messages[0]?.role === 'assistant' ? [OPENING_MESSAGE, ...messages] : messages;
}

/**
 * Converts the request to a form that its model accepts, and to valid Unicode. A lone surrogate, which an answer may contain, would make every
 * later request that quotes it invalid. A blank system text is left out, because Anthropic and Bedrock reject it.
 */
export function fitTemplate(
  request: ModelRequest,
  { assistantFirst, systemRole }: Pick<ModelFacts, 'assistantFirst' | 'systemRole'>,
): ModelRequest {
  const system = trimText(request.system) === '' ? '' : request.system.toWellFormed();
  const messages = request.messages.map(({ role, content }) => ({ role, content: content.toWellFormed() }));
  if (system !== '' && systemRole === 'rejected') {
    const [first, ...laterMessages] = ensureUserOpening(messages);
    const content = `${system}\n\n${first?.content ?? ''}`;
    return { ...request, system: '', messages: [{ role: 'user', content }, ...laterMessages] };
  }
  return {
    ...request,
    system,
    messages: assistantFirst === 'rejected' ? ensureUserOpening(messages) : messages,
  };
}
