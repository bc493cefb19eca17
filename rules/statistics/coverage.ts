import { listContentWords } from '../validation/words';

/** Feedback paraphrases, so it has some of an item's words at best: this share of them. */
const TOUCHED_SHARE = 1 / 3;

/**
 * Returns whether the user's messages after the request touch on an item of the checklist (paper, appendix E: every item is mentioned at least once
 * in a dialogue), by their words: at least a third of those of the item that neither the request nor the factor has. A paraphrase without
 * a common word is not seen.
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
