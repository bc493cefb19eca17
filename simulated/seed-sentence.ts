import type { Random } from '../rules/sampling/random';
import { NAME_STOCKS, type NameStock } from './vocabulary/names';
import type { Pronouns } from './words';

/** Names that fit a place the sentence mentions; any where it mentions none. */
export function likelyNames(seed: string, random: Random): NameStock {
  const words = new Set(seed.match(/\p{L}[\p{L}'-]*/gu) ?? []);
  const near = NAME_STOCKS.filter(({ places }) => places.some((place) => words.has(place)));
  return random.pick(near.length > 0 ? near : NAME_STOCKS);
}

/** The pronouns that the sentence uses or suggests; drawn where it leaves them open. */
export function likelyPronouns(seed: string, random: Random): Pronouns {
  for (const { she, he } of GENDERED) {
    if (she.test(seed) !== he.test(seed)) return she.test(seed) ? 'she' : 'he';
  }
  return random.pick(['she', 'he', 'she', 'he', 'she', 'he', 'they'] as const);
}

/** The age that the sentence tells in words, if it does. */
export function toldAge(seed: string): number | undefined {
  const told = AGE.exec(seed);
  const tens = TENS.indexOf((told?.[1] ?? told?.[3] ?? '').toLowerCase());
  if (tens < 0) return undefined;
  return (tens + 2) * 10 + Math.max(UNITS.indexOf((told?.[2] ?? told?.[4] ?? '').toLowerCase()), 0);
}

export function isRetired(seed: string): boolean {
  return /\b(?:semi-)?retired\b|\bretirement\b|\bpensioner\b/i.test(seed);
}

/** The place that the sentence puts its person in, if it names one with a capital letter. */
export function toldPlace(seed: string): string | undefined {
  return / (?:in|near|outside|from) ((?:the )?\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?)(?=[ ,.])/u.exec(seed)?.[1];
}

/** What speaks of the person itself comes before what may speak of a relative. */
const GENDERED: readonly { readonly she: RegExp; readonly he: RegExp }[] = [
  { she: /\b(?:she|herself|hers)\b/i, he: /\b(?:he|himself)\b/i },
  {
    she: /\b(?:her|woman|policewoman|postwoman|widow|mother of|nun)\b/i,
    he: /\b(?:his|him|man|policeman|postman|widower|father of|monk)\b/i,
  },
  { she: /\b(?:husband|grandmother)\b/i, he: /\b(?:wife|grandfather)\b/i },
];

const TENS: readonly string[] = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty'];
const UNITS: readonly string[] = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const NUMBER = `(${TENS.join('|')})(?:-(${UNITS.slice(1).join('|')}))?`;
const AGE = new RegExp(`\\b(?:(?:at|aged|turned) ${NUMBER}\\b|${NUMBER}-year-old)`, 'i');
