import { clausePlacesIn, type Clause } from './preference';
import { uncapitalised } from './words';

/** One thing that a preference asks for, in this model's vocabulary where it has the words, else in another's. */
export interface Expectation {
  /** A verb phrase that follows "must". */
  readonly words: string;
  readonly clause?: Clause;
}

/** What a preference asks for, in its order; nothing when it says nothing. */
export function expectationsIn(preference: string): Expectation[] {
  const known = clausePlacesIn(preference);
  // Known words may hold commas and conjunctions of their own: a mark stands for them while the others are taken apart.
  const marked = known.reduceRight(
    (text, { place, end }, number) => `${text.slice(0, place)}${MARK}${number}${MARK}${text.slice(end)}`,
    preference,
  );
  return partsOf(marked).flatMap((part) => {
    const numbers = [...part.matchAll(MARKED)].map(([, number]) => Number(number));
    if (numbers.length === 0) return [{ words: part }];
    return numbers.flatMap((number) =>
      known.slice(number, number + 1).map(({ clause }) => expectationOf(clause)),
    );
  });
}

export function expectationOf(clause: Clause): Expectation {
  return { words: clause.rule, clause };
}

/** A character for private use: texts hold none. */
const MARK = '\ue000';
const MARKED = new RegExp(`${MARK}(\\d+)${MARK}`, 'g');

/** What follows the preference's verb, split where verb phrases are joined. */
function partsOf(preference: string): string[] {
  const rule = /\b(?:must|should|has to|have to|needs? to)\b(.*)$/is.exec(preference)?.[1] ?? preference;
  return rule
    .replaceAll(/\s+/g, ' ')
    .split(/,\s*(?:and\s+)?|;\s*|\s+(?:and|while|but)\s+/)
    .map((part) => uncapitalised(part.trim().replace(/[.\s]+$/, '')))
    .filter((part) => part !== '');
}
