import { WORLDS } from './vocabulary/worlds';
import { OCCUPATION_MODIFIERS } from './vocabulary/modifiers';
import type { World } from './vocabulary/world';

export interface Occupation {
  /** With what stands before it and belongs to it: `bankruptcy judge`. */
  readonly title: string;
  readonly world: World;
}

/** The first occupation that a text speaks of; where it speaks of none that is known, something general. */
export function findOccupation(text: string): Occupation {
  return knownOccupation(text) ?? { title: guessed(text), world: GENERAL_WORLD };
}

/** The first occupation that a text speaks of, if it is a known one. */
export function knownOccupation(text: string): Occupation | undefined {
  const words = text.toLowerCase().match(/\p{L}[\p{L}'’-]*/gu) ?? [];
  return firstKnown(words, SPECIFIC) ?? firstKnown(words, GENERAL);
}

/** Words that are an occupation now and then and something else more often. */
const VAGUE: ReadonlySet<string> = new Set([
  'assistant',
  'manager',
  'student',
  'driver',
  'trainer',
  'director',
  'producer',
  'writer',
  'instructor',
  'planner',
  'professional',
  'singer',
  'painter',
  'cook',
  'tester',
  'builder',
  'soldier',
  'sailor',
  'doctor',
]);

const ALL = WORLDS.flatMap((world) => world.occupations.map((title) => ({ title, world })));
const SPECIFIC = new Map(
  ALL.filter(({ title }) => !VAGUE.has(title)).map((known) => [known.title, known.world]),
);
const GENERAL = new Map(
  ALL.filter(({ title }) => VAGUE.has(title)).map((known) => [known.title, known.world]),
);
const GENERAL_WORLD =
  WORLDS.find(({ occupations }) => occupations.includes('professional')) ?? WORLDS[0] ?? fail();
const MODIFIERS: ReadonlySet<string> = new Set(OCCUPATION_MODIFIERS);

function firstKnown(words: readonly string[], known: ReadonlyMap<string, World>): Occupation | undefined {
  for (const [place, word] of words.entries()) {
    const before = words[place - 1] ?? '';
    const two = known.get(`${before} ${word}`);
    if (two !== undefined) return { title: `${before} ${word}`, world: two };
    const world = known.get(word);
    if (world !== undefined) return { title: MODIFIERS.has(before) ? `${before} ${word}` : word, world };
  }
  return undefined;
}

/** Seeds of one's own may speak of any trade: its name follows an article and mostly has one of these endings. */
function guessed(text: string): string {
  const phrases = [...text.matchAll(/\b(?:an?|this) ((?:[\p{Ll}-]+ ?){1,3})/giu)].map(
    ([, phrase = '']) => phrase,
  );
  const trades = phrases.flatMap((phrase) => phrase.split(' ')).filter((word) => TRADE.test(word));
  return trades.find((word) => !NOT_TRADES.has(word)) ?? 'professional';
}

const TRADE =
  /^\p{Ll}{3,}(?:ologist|ographer|ician|smith|keeper|maker|monger|worker|wright|ist|eur|ant|er|or)$/u;

const NOT_TRADES: ReadonlySet<string> = new Set(
  'former other never older younger elder father mother brother sister daughter winter summer river water paper number master minor major junior senior corner dinner letter elegant important constant'.split(
    ' ',
  ),
);

function fail(): never {
  throw new Error('The simulated model has no worlds.');
}
