import type { Random } from '../../rules/sampling/random';
import { PREFERENCE_TYPES } from '../../schemas/dataset/factor';
import { capitalize, enumerate, uncapitalize } from './text';
import { PREFERENCES } from './vocabulary';

/** One side of a choice about responses. */
export interface Side {
  readonly type: (typeof PREFERENCE_TYPES)[number];
  /** Identifies the choice; the same for both of its sides. */
  readonly choice: string;
  readonly rules: readonly string[];
  readonly critiques: readonly string[];
  readonly asks: readonly string[];
  readonly praise: readonly string[];
  readonly shows: string;
}

/** One expectation of a preference; the side is known if the words are from the vocabulary. */
export interface Expectation {
  /** A verb phrase that follows "must". */
  readonly words: string;
  readonly side?: Side;
}

export interface Preference {
  readonly type: (typeof PREFERENCE_TYPES)[number];
  readonly text: string;
}

/** All sides, the two of each choice one after the other. */
export const SIDES: readonly Side[] = PREFERENCE_TYPES.flatMap((type) =>
  PREFERENCES.types[type].flatMap((sides, place) =>
    sides.map((side): Side => ({ ...side, type, choice: `${type} ${place}` })),
  ),
);

/** Composes a preference of one to four expectations (2.9 on average, as in the published data), the first of the given type. */
export function composePreference(random: Random, type: Side['type']): Preference {
  const first = random.pick(SIDES.filter((side) => side.type === type));
  return buildPreference(random, [first, ...drawSides(random, [first], countExpectations(random) - 1)]);
}

/** Composes a preference that nothing can satisfy together with the given one: it takes the opposite side of up to two choices (paper, B.3). */
export function contradictPreference(random: Random, preference: string): Preference {
  const sides = findSides(preference);
  if (sides.length === 0) return composePreference(random, random.pick(PREFERENCE_TYPES));
  const opposites = random.sample(sides, Math.min(2, sides.length)).map(findOpposite);
  const count = Math.max(countExpectations(random) - opposites.length, 0);
  return buildPreference(random, [...opposites, ...drawSides(random, sides, count)]);
}

/** Returns the sides whose rules a text contains, in the order of the text. */
export function findSides(text: string): Side[] {
  return findRules(text).map(({ side }) => side);
}

/** Returns the expectations of a preference, in order; none if it has no words. */
export function readExpectations(preference: string): Expectation[] {
  const rules = findRules(preference);
  if (rules.length > 0) return rules.map(({ rule, side }) => ({ words: rule, side }));
  const rule = /\b(?:must|should|has to|have to|needs? to)\b(.*)$/is.exec(preference)?.[1] ?? preference;
  return rule
    .replaceAll(/\s+/g, ' ')
    .split(/,\s*(?:and\s+)?|;\s*|\s+(?:and|while|but)\s+/)
    .map((part) => uncapitalize(part.trim().replace(/[.\s]+$/, '')))
    .filter((part) => part !== '')
    .map((words) => ({ words }));
}

/** Draws sides of different types, none of which is a type of the given sides. */
export function drawSides(random: Random, excluded: readonly Side[], count: number): Side[] {
  const types = PREFERENCE_TYPES.filter((type) => excluded.every((side) => side.type !== type));
  return random.sample(types, count).map((type) => random.pick(SIDES.filter((side) => side.type === type)));
}

export function statePreference(random: Random, rules: readonly string[]): string {
  return `${random.pick(PREFERENCES.subjects)} ${random.pick(['must', 'must', 'should'])} ${enumerate(rules)}.`;
}

/** Returns true for the two sides of one choice. */
export function isContrary(a: Side, b: Side): boolean {
  return a.choice === b.choice && a !== b;
}

function findOpposite(side: Side): Side {
  return SIDES.find((opposite) => isContrary(side, opposite)) ?? side;
}

function buildPreference(random: Random, sides: readonly Side[]): Preference {
  const rules = sides.map((side) => random.pick(side.rules));
  return { type: sides[0]?.type ?? 'Relevance', text: capitalize(statePreference(random, rules)) };
}

function countExpectations(random: Random): number {
  const draw = random.integer(100);
  if (draw < 4) return 1;
  if (draw < 24) return 2;
  return draw < 84 ? 3 : 4;
}

function findRules(text: string): { rule: string; side: Side }[] {
  const lower = text.toLowerCase();
  return RULES.filter(({ rule }) => lower.includes(rule))
    .map((match) => ({ ...match, place: lower.indexOf(match.rule) }))
    .toSorted((a, b) => a.place - b.place);
}

const RULES = SIDES.flatMap((side) => side.rules.map((rule) => ({ rule: rule.toLowerCase(), side })));
