import type { MessageForm } from '../../schemas/dataset/message';
import { hasQuotation } from '../texts/compare-texts';

/**
 * Returns the indexes, from 0, of the user's messages that state what the assistant has to find out. These repeat six successive words of the
 * preference or of a checklist item. A message should only allude to an item (paper, B.4 and figure 19).
 */
export function listQuotingMessages(messages: readonly MessageForm[], sources: readonly string[]): number[] {
  return messages.flatMap(({ role, content }, index) =>
    // The first message is the request, which has a rule of its own.
    index > 0 &&
    role === 'user' &&
    content !== null &&
    sources.some((source) => hasQuotation(content, source))
      ? [index]
      : [],
  );
}
