import { hasQuotation } from './compare-texts';

/**
 * Returns the user's messages that state what the assistant has to find out: those with six words in a row of the preference or of an item of the
 * checklist (paper, B.4 and figure 19: a message alludes to an item, and never describes it word by word). Indexes of the messages, from 0.
 */
export function listQuotingMessages(
  messages: readonly { readonly role: string; readonly content: string | null }[],
  sources: readonly string[],
): number[] {
  return messages.flatMap(({ role, content }, index) =>
    // The first is the request, which has a rule of its own.
    index > 0 &&
    role === 'user' &&
    content !== null &&
    sources.some((source) => hasQuotation(content, source))
      ? [index]
      : [],
  );
}
