import type { Filler } from '../../schemas/evaluation/filler';
import { isSamePreference, listNameWords } from '../texts/compare-texts';
import { computeShingleLikeness, computeShingles, NEAR_DUPLICATE_LIKENESS } from '../texts/near-duplicates';
import { hashText } from '../texts/text-hash';
import { containsRun, splitIntoWords } from '../texts/words';
import type { Instance, PriorInteraction } from '../../schemas/dataset/instance';
import { createRandom } from '../sampling/random';

/** A session that may extend the histories of other personas, with what decides whose. */
export interface FillerCandidate extends Filler {
  readonly personaId: string;
  readonly preference: string;
  /** Hashed words of the factor's name, without an article, and of the dialogue, in order: the texts of a large data set do not fit in memory. */
  readonly name: Uint32Array;
  readonly words: Uint32Array;
  readonly requestShingles: Uint32Array;
}

/** Why a session of another persona does not extend a history. */
export const EXCLUSIONS = ['length', 'occupation', 'factor', 'preference', 'request'] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

/** Fillers of a persona, with the number of sessions that were left out for each reason. */
export interface DrawnFillers {
  readonly fillers: readonly Filler[];
  readonly excluded: Readonly<Record<Exclusion, number>>;
}

/** Builds a candidate of a prior session. @param tokens of the session in the interaction log */
export function buildCandidate(
  personaId: string,
  { context_factor, contextual_preference, dialogue }: PriorInteraction,
  place: Filler,
): FillerCandidate {
  return {
    ...place,
    personaId,
    preference: contextual_preference,
    name: hashWords(listNameWords(context_factor)),
    words: hashWords(splitIntoWords(dialogue.map(({ content }) => content).join('\n'))),
    requestShingles: computeShingles(dialogue[0]?.content ?? ''),
  };
}

/**
 * Draws the sessions that extend a persona's histories, in the order in which they are added. A shorter history has the first of a longer one's.
 * @param rows every row of the persona
 * @param blocks candidates of the whole data set, by the files in which they are stored, so that a history is read from few files
 * @param options.tokens length that the history must exceed with the last filler
 * @param options.earlier fillers that were drawn before, which stay
 */
export function drawFillers(
  rows: readonly Instance[],
  blocks: readonly (readonly FillerCandidate[])[],
  {
    seed,
    tokens,
    earlier,
  }: { readonly seed: number; readonly tokens: number; readonly earlier: readonly Filler[] },
): DrawnFillers {
  const personaId = rows[0]?.persona_id ?? '';
  const explainExclusion = createFilter(rows);
  const random = createRandom(seed, 'fillers', personaId);
  const fillers = [...earlier];
  const takenPlaces = new Set(earlier.map(buildPlaceKey));
  const excluded = { length: 0, occupation: 0, factor: 0, preference: 0, request: 0 };
  let length = earlier.reduce((sum, filler) => sum + filler.tokens, 0);
  for (const block of random.shuffle(blocks)) {
    for (const candidate of random.shuffle(block)) {
      if (length > tokens) return { fillers, excluded };
      if (candidate.personaId === personaId || takenPlaces.has(buildPlaceKey(candidate))) continue;
      const exclusion = explainExclusion(candidate);
      if (exclusion !== undefined) {
        excluded[exclusion] += 1;
        continue;
      }
      const { row, session, tokens: size } = candidate;
      fillers.push({ row, session, tokens: size });
      length += size;
    }
  }
  return { fillers, excluded };
}

/**
 * Most tokens of a filler. A longer one would end the shortest history while much room is left: no later filler can follow, because a longer history
 * has the same first ones.
 */
export const MOST_TOKENS = 4_000;

/** Creates a function that returns why a session may not extend the histories of a persona; undefined if it may. */
function createFilter(rows: readonly Instance[]): (candidate: FillerCandidate) => Exclusion | undefined {
  const sessions = rows.flatMap(({ prior_interactions }) => prior_interactions);
  const factors = listDistinct([
    ...rows.map((row) => row.current_context_factor),
    ...sessions.map(({ context_factor }) => context_factor),
  ]);
  const names = factors.map((factor) => hashWords(listNameWords(factor)));
  const preferences = listDistinct([
    ...rows.map((row) => row.current_contextual_preference),
    ...sessions.map(({ contextual_preference }) => contextual_preference),
  ]);
  const requests = listDistinct([
    ...rows.map((row) => row.current_request),
    ...sessions.map(({ dialogue }) => dialogue[0]?.content ?? ''),
  ]).map(computeShingles);
  const occupation = findOccupation(rows[0]?.persona_id ?? '');
  return ({ personaId, preference, name: candidateName, words, requestShingles, tokens }) => {
    if (tokens > MOST_TOKENS) return 'length';
    if (occupation !== undefined && findOccupation(personaId) === occupation) return 'occupation';
    const isNamed = names.some(
      (name) =>
        containsRun(words, name) || containsRun(candidateName, name) || containsRun(name, candidateName),
    );
    if (isNamed) return 'factor';
    if (preferences.some((personaPreference) => isSamePreference(personaPreference, preference)))
      return 'preference';
    const isRepeated = requests.some(
      (shingles) => computeShingleLikeness(shingles, requestShingles) >= NEAR_DUPLICATE_LIKENESS,
    );
    return isRepeated ? 'request' : undefined;
  };
}

function listDistinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** Returns the occupation in a persona's id, such as `148+real_estate_developer`; undefined for an id of another form. */
function findOccupation(personaId: string): string | undefined {
  const at = personaId.indexOf('+');
  return at < 0 ? undefined : personaId.slice(at + 1);
}

function hashWords(words: readonly string[]): Uint32Array {
  return Uint32Array.from(words, (word) => hashText(word));
}

function buildPlaceKey({ row, session }: Filler): string {
  return `${row}/${session}`;
}
