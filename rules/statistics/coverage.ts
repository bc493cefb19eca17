import { listContentWords } from '../validation/words';

/** Minimum share of an item's words in the feedback. Feedback paraphrases, so it has only some of them. */
const TOUCHED_SHARE = 1 / 3;

/**
 * Returns true if the user's messages after the request refer to a checklist item (paper, appendix E: each item is mentioned at least once in a
 * dialogue). They must have a third of the item's words that occur neither in the request nor in the factor. A paraphrase without a common word is
 * not recognized.
 */
export function isTouchedOn(
  item: string,
  dialogue: readonly { readonly role: string; readonly content: string | null }[],
  factor: string,
): boolean {
  const [request, ...others] = dialogue;
  const known = new Set(listContentWords(`${request?.content ?? ''} ${factor}`));
  const all = [...new Set(listContentWords(item))];
  const own = all.filter((word) => !known.has(word));
  const words = own.length === 0 ? all : own;
  const said = new Set(
    others.flatMap(({ role, content }) => (role === 'user' ? listContentWords(content ?? '') : [])),
  );
  return words.filter((word) => said.has(word)).length >= Math.max(1, words.length * TOUCHED_SHARE);
}
