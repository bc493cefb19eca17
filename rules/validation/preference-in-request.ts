import { containsRun, listContentWords, stemWord, splitIntoWords } from './words';

/**
 * From this share on a request is noticed for giving its preference away. Of 2,028 pairs of a request and a preference of one
 * simulated persona that have nothing to do with each other, four have a share as high as 0.33 and none a higher one, 0.018 on the
 * average; requests that were written to state their preference have 1. Between these lie real requests, whose matter has words in
 * common with what is preferred in it: at one half, a person should look.
 */
export const TELLING_SHARE = 0.5;

/**
 * The share (0..1) of the preference's content words that the request has as well; 1 when the preference, or five of its content words
 * in a row, stand in it word for word. Words of the context factor do not count: the request must name that.
 */
export function computePreferenceShare(request: string, preference: string, contextFactor: string): number {
  const named = new Set(splitIntoWords(contextFactor).map(stemWord));
  const words = listContentWords(request).filter((word) => !named.has(word));
  const kept = listContentWords(preference).filter((word) => !named.has(word));
  if (containsRun(splitIntoWords(request), splitIntoWords(preference))) return 1;
  if (kept.length === 0) return 0;
  const runs = kept.slice(0, kept.length - QUOTED_RUN + 1).map((_, at) => kept.slice(at, at + QUOTED_RUN));
  if (runs.some((run) => containsRun(words, run))) return 1;
  const said = new Set(words);
  const different = new Set(kept);
  return [...different].filter((word) => said.has(word)).length / different.size;
}

/** So many content words in a row are no accident. */
const QUOTED_RUN = 5;
