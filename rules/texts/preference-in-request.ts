import { containsAnyRun, containsRun, listContentWords, stemWord, splitIntoWords } from './words';

/**
 * Share from which a request is reported because it reveals its preference. Of 2,028 unrelated pairs of request and preference within a
 * simulated persona, four reach 0.33 and none exceeds it; the mean is 0.018. Requests written to state their preference have 1. Real
 * requests lie between, because they share words with their preference: at one half, a person should look.
 */
export const TELLING_SHARE = 0.5;

/**
 * Returns the share (0..1) of the preference's content words that the request repeats. It is 1 for a literal quotation of the preference,
 * or of five of its content words in a row. Words of the context factor do not count, because the request must name that.
 */
export function computePreferenceShare(request: string, preference: string, contextFactor: string): number {
  const factorWords = new Set(splitIntoWords(contextFactor).map(stemWord));
  const words = listContentWords(request).filter((word) => !factorWords.has(word));
  const preferenceWords = listContentWords(preference).filter((word) => !factorWords.has(word));
  if (containsRun(splitIntoWords(request), splitIntoWords(preference))) return 1;
  if (preferenceWords.length === 0) return 0;
  if (containsAnyRun(words, preferenceWords, QUOTED_RUN)) return 1;
  const requestWords = new Set(words);
  const different = new Set(preferenceWords);
  return [...different].filter((word) => requestWords.has(word)).length / different.size;
}

/** So many content words in a row are no accident. */
const QUOTED_RUN = 5;
