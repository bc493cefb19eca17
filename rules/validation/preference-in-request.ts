import { splitIntoWords } from './words';

/**
 * From this share on a request is noticed for giving its preference away. Of 2,028 pairs of a request and a preference of one
 * simulated persona that have nothing to do with each other, four have a share as high as 0.33 and none a higher one, 0.018 on the
 * average; requests that were written to state their preference have 1. Between these lie real requests, whose matter has words in
 * common with what is preferred in it: at one half, somebody should look.
 */
export const TELLING_SHARE = 0.5;

/**
 * The share (0..1) of the preference's content words that the request has as well; 1 when the preference, or five of its content words
 * in a row, stand in it word for word. Words of the context factor do not count: the request must name that.
 */
export function computePreferenceShare(request: string, preference: string, contextFactor: string): number {
  const named = new Set(splitIntoWords(contextFactor).map(stem));
  const words = contentWords(request, named);
  const kept = contentWords(preference, named);
  if (standsIn(splitIntoWords(preference), splitIntoWords(request))) return 1;
  if (kept.length === 0) return 0;
  const runs = kept.slice(0, kept.length - QUOTED_RUN + 1).map((_, at) => kept.slice(at, at + QUOTED_RUN));
  if (runs.some((run) => standsIn(run, words))) return 1;
  const said = new Set(words);
  const different = new Set(kept);
  return [...different].filter((word) => said.has(word)).length / different.size;
}

/** So many content words in a row are no accident. */
const QUOTED_RUN = 5;

function contentWords(text: string, named: ReadonlySet<string>): string[] {
  return splitIntoWords(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stem)
    .filter((word) => !named.has(word));
}

function standsIn(run: readonly string[], words: readonly string[]): boolean {
  return run.length > 0 && words.some((_, at) => run.every((word, further) => words[at + further] === word));
}

/** The word without the endings that number, tense and manner put to it; the same for all of its forms is all that matters. */
function stem(word: string): string {
  const singular = word
    .replace(/'s?$/, '')
    .replace(/(?<=.{3})ies$/, 'y')
    .replace(/(?<=.{2}[^aeious])s$|(?<=.{2}e)s$/, '');
  const bare = singular.replace(/(?<=.{3})(?:ing|ed|ly)$/, '');
  // `stopped`, `stopping` and `stop`; `cited`, `citing` and `cite`.
  return bare.replace(/([b-df-hj-kmnp-rtvz])\1$/, '$1').replace(/(?<=.{2})e$/, '');
}

/**
 * English words that say nothing about what is preferred: those that hold sentences together, and those that any request
 * and any preference is put in.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again all also always an and any anything are as at be because been before being but by can cannot could did do does
  doing done each either else etc even every for from get had has have having he her here hers him his how however i i'm i've if in into
  is it its it's itself just let like lot made make makes making may me might more most much must my need needs needed never no nor not
  nothing now of off on once one only onto or other others ought our ours out over own per perhaps rather shall she should since so some
  something such than that the their theirs them then there these they this those through thus to too toward towards under until up upon
  us use used using very via want wants was we were what when where whether which while who whom whose why will with within without would
  yet you your yours
  ai answer answers assistant expect expects give given gives giving help helpful helping ideally kind kindly please prefer
  preferred preferably prefers provide provided provides providing request requests response responses thank thanks`.split(
    /\s+/,
  ),
);
