import type { LoggedSession } from './log';
import { tellingWords } from './word-overlap';

/**
 * The places, from 0, of the sessions that share a request's context as far as words tell: going by the names in the request,
 * or, where none of them comes up, by its other words. Words that few sessions hold weigh more.
 */
export function relevantSessions(request: string, sessions: readonly LoggedSession[]): number[] {
  const held = sessions.map(({ about }) => tellingWords(about));
  const byName = closest(tellingWords(namesIn(request).join(' ')), held);
  return byName.length > 0 ? byName : closest(tellingWords(request), held);
}

/** Words with a capital letter within a sentence. */
function namesIn(request: string): string[] {
  return request.match(/(?<=[\p{L}\d,;:'’"“(-] ?)\b\p{Lu}[\p{L}\d’'-]+/gu) ?? [];
}

/** Those that come at least half as close as the closest does. */
function closest(words: ReadonlySet<string>, held: readonly ReadonlySet<string>[]): number[] {
  const weights = new Map(
    [...words].map((word) => {
      const holders = held.filter((others) => others.has(word)).length;
      return [word, Math.log((held.length + 1) / (holders + 0.5))];
    }),
  );
  const scores = held.map((others) =>
    [...weights].reduce((sum, [word, weight]) => sum + (others.has(word) ? weight : 0), 0),
  );
  const best = Math.max(0, ...scores);
  return scores.flatMap((score, place) => (score > 0 && score >= best / 2 ? [place] : []));
}
