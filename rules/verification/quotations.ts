import type { Message } from '../../schemas/dataset/message';
import { joinWords } from '../texts/words';

/** Shorter passages occur in any message by chance. */
const LEAST_WORDS = 3;
const LEAST_CHARACTERS = 12;

/**
 * Returns true for a passage of one of the user's messages, ignoring case, punctuation and spaces; an ellipsis stands for any text. Models invent
 * some quotations; these prove nothing about the dialogue.
 */
export function isQuotation(quotation: string, messages: readonly Message[]): boolean {
  const parts = quotation
    .split(/…|\.\.\.|\[…\]/)
    .map(joinWords)
    .filter((part) => part !== '');
  return messages.some(({ role, content }) => {
    if (role !== 'user') return false;
    const message = joinWords(content);
    return (
      parts.some((part) => isLong(part) || part === message) && parts.every((part) => message.includes(part))
    );
  });
}

/** Returns true if a passage is long enough, counted in characters for scripts without spaces. */
function isLong(text: string): boolean {
  return text.length >= LEAST_CHARACTERS || text.split(' ').length >= LEAST_WORDS;
}
