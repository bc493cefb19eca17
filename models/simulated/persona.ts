import type { Random } from '../../rules/sampling/random';
import { NAMES, WORLDS, type NameOrigin, type SimulatedWorld } from './vocabulary';

type Pronouns = 'she' | 'he' | 'they';

/** The simulated model's knowledge of a persona. */
export interface SimulatedPersona {
  readonly world: SimulatedWorld;
  /** Origin of names that fit the people around the persona; any if the persona's own name is unknown. */
  readonly origin: NameOrigin | undefined;
  readonly slots: Readonly<Record<string, string>>;
}

/** Reads name, pronouns and occupation from a description of any model. */
export function readPersona(description: string): SimulatedPersona {
  const [firstName = 'The user', surname = ''] = description.match(/\p{L}[\p{L}'’-]*/gu) ?? [];
  const [first = ''] = description.split(/(?<=\.)\s/);
  const origin = NAMES.origins.find(
    ({ she, he, surnames }) =>
      she.includes(firstName) || he.includes(firstName) || surnames.includes(surname),
  );
  return {
    // The occupation is in the first sentence; later ones may be about others.
    world: (findKnownOccupation(first) ?? findOccupation(description)).world,
    origin: origin && { ...origin, surnames: origin.surnames.filter((name) => name !== surname) },
    slots: buildSlots(firstName, findPronouns(description) ?? 'they'),
  };
}

/** For users' own seed sentences, which may mention any other occupation. */
const FALLBACK = 'professional';

interface Occupation {
  readonly title: string;
  readonly world: SimulatedWorld;
}

/** Returns the first occupation in a text; `professional` if there is none. */
export function findOccupation(text: string): Occupation {
  return findKnownOccupation(text) ?? { title: FALLBACK, world: findWorld(FALLBACK) };
}

/** Picks an origin of names that fits a place in the seed sentence; any if it mentions none. */
export function pickOrigin(seed: string, random: Random): NameOrigin {
  const words = new Set(seed.match(/\p{Lu}\p{L}+/gu));
  const near = NAMES.origins.filter(({ places }) => places.some((place) => words.has(place)));
  return random.pick(near.length > 0 ? near : NAMES.origins);
}

/** Returns the pronouns that a text uses first, or that its words suggest; undefined if it leaves them open. */
export function findPronouns(text: string): Pronouns | undefined {
  const [match, pluralMatch, feminineMatch] =
    /\b(?:(they\/them)|(she|hers?|herself|\w*woman|widow|mother|nun)|he|him|his|himself|\w*man|widower|father|monk)\b/i.exec(
      text,
    ) ?? [];
  if (match === undefined) return undefined;
  return pluralMatch !== undefined ? 'they' : feminineMatch !== undefined ? 'she' : 'he';
}

/** Returns the slots for a person. `{who}` takes a verb in the singular: she, he, or the name. */
export function buildSlots(name: string, pronouns: Pronouns): Readonly<Record<string, string>> {
  const forms = {
    she: { who: 'she', their: 'her', them: 'her' },
    he: { who: 'he', their: 'his', them: 'him' },
    they: { who: name, their: 'their', them: 'them' },
  };
  return { name, ...forms[pronouns] };
}

/** Returns the name of a context factor as used within a sentence, with an article if it takes one. */
export function addArticle(factor: string): string {
  const last = factor.split(' ').at(-1) ?? factor;
  const takesArticle =
    NOUNS_WITH_ARTICLE.has(last) &&
    !NAMES_WITHOUT_ARTICLE.has(factor) &&
    !/^(?:the|an?|my|our)\b/i.test(factor);
  return takesArticle ? `the ${factor}` : factor;
}

function findKnownOccupation(text: string): Occupation | undefined {
  const title = OCCUPATIONS.exec(text)?.[0].toLowerCase();
  return title === undefined ? undefined : { title, world: findWorld(title) };
}

function findWorld(title: string): SimulatedWorld {
  const world = WORLDS.find(({ occupations }) => occupations.includes(title));
  if (world === undefined) throw new Error(`The vocabulary lacks the occupation ${title}.`);
  return world;
}

/** Former occupations do not count. */
const OCCUPATIONS = new RegExp(
  `(?<!\\bformer(?:ly a)? (?:[\\w-]+ )?)\\b(?:${WORLDS.flatMap(({ occupations }) => occupations)
    .filter((title) => title !== FALLBACK)
    .join('|')})\\b`,
  'i',
);

const FACTOR_NAMES = WORLDS.flatMap(({ factors }) => Object.values(factors).flat());
const NOUNS_WITH_ARTICLE = new Set(
  FACTOR_NAMES.filter((name) => name.startsWith('the ')).map((name) => name.split(' ').at(-1)),
);
const NAMES_WITHOUT_ARTICLE = new Set(FACTOR_NAMES.filter((name) => !name.startsWith('the ')));
