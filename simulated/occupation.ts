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
  const words = text.toLowerCase().match(/[\p{L}][\p{L}'’-]*/gu) ?? [];
  return (
    firstKnown(words, SPECIFIC) ??
    firstKnown(words, GENERAL) ?? { title: guessed(text), world: GENERAL_WORLD }
  );
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

/** Seeds of one's own may speak of any trade: its name mostly has one of these endings. */
function guessed(text: string): string {
  const trade =
    /\b\p{Ll}{3,}(?:ologist|ographer|ician|smith|keeper|maker|monger|worker|wright|ist|eur|ant|er|or)\b/u.exec(
      text,
    );
  return trade === null ? 'professional' : trade[0];
}

function fail(): never {
  throw new Error('The simulated model has no worlds.');
}
