import type { Message } from '../schemas/dataset/message';
import type { Provider } from '../schemas/model/provider';

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

/** The messages, with the opening before them when they begin with the assistant. */
export function ensureUserOpening(messages: readonly Message[]): readonly Message[] {
  return messages[0]?.role === 'assistant' ? [OPENING_MESSAGE, ...messages] : messages;
}
