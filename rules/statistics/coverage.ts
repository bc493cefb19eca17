import type { MessageForm } from '../../schemas/dataset/message';
import { listContentWords } from '../texts/words';

/** Minimum share of an item's words in the feedback. Feedback paraphrases, so it has only some of them. */
const TOUCHED_SHARE = 1 / 3;

/**
 * Lists the checklist items to which the user's messages after the request refer, in one of these dialogues (paper, appendix E: each item is
 * mentioned at least once in a dialogue). They must have a third of the item's words that occur neither in the request nor in the factor. A
 * paraphrase without a common word is not recognized.
 */
export function listTouchedItems(
  items: readonly string[],
  dialogues: readonly (readonly MessageForm[])[],
  factor: string,
): string[] {
  const feedback = dialogues.map(([request, ...replies]) => ({
    known: new Set(listContentWords(`${request?.content ?? ''} ${factor}`)),
    said: new Set(
      replies.flatMap(({ role, content }) => (role === 'user' ? listContentWords(content ?? '') : [])),
    ),
  }));
  return items.filter((item) => {
    const itemWords = [...new Set(listContentWords(item))];
    return feedback.some(({ known, said }) => {
      const newWords = itemWords.filter((word) => !known.has(word));
      const words = newWords.length === 0 ? itemWords : newWords;
      return words.filter((word) => said.has(word)).length >= Math.max(1, words.length * TOUCHED_SHARE);
    });
  });
}
