import type { ContextFactor } from '../schemas/factor';
import type { Random } from '../rules/sampling/random';
import { NAME_STOCKS, SMALL_PLACES } from './vocabulary/names';
import type { World } from './vocabulary/world';
import { WORLDS } from './vocabulary/worlds';
import { fill } from './words';

const ARTICLE = 'the ';

/** New names of factors of a type out of a world, none of them taken. */
export function nameFactors(
  random: Random,
  about: { world: World; type: ContextFactor['factor_type']; count: number; taken: ReadonlySet<string> },
): string[] {
  const { world, type, count, taken } = about;
  const names = new Set<string>();
  while (names.size < count) {
    const name = factorName(random, random.pick(world.factors[type]));
    if (!taken.has(name)) names.add(name);
  }
  return [...names];
}

/** The name as it stands within a sentence: with an article where it takes one. */
export function namedInSentence(factor: string): string {
  const last = factor.split(' ').at(-1) ?? factor;
  return TAKES_ARTICLE.has(last) && !/^(?:the|a|an|my|our)\b/i.test(factor) && !SINGLE.has(factor)
    ? `the ${factor}`
    : factor;
}

function factorName(random: Random, template: string): string {
  const stock = random.pick(NAME_STOCKS);
  const surname = random.pick(stock.surnames);
  const plain = template.startsWith(ARTICLE) ? template.slice(ARTICLE.length) : template;
  const local = plain !== template && !plain.includes('{') && random.integer(100) < LOCAL_PERCENT;
  return fill(local ? `{place} ${plain}` : plain, {
    surname,
    full: `${random.pick([...stock.she, ...stock.he])} ${surname}`,
    place: random.pick(SMALL_PLACES),
  });
}

/** How many of the names that hold no name of a person or place get one, so that not every nurse knows the same whiteboard. */
const LOCAL_PERCENT = 55;

const TEMPLATES = WORLDS.flatMap(({ factors }) => Object.values(factors).flat());
const TAKES_ARTICLE: ReadonlySet<string> = new Set(
  TEMPLATES.filter((template) => template.startsWith(ARTICLE)).map(
    (template) => template.split(' ').at(-1) ?? '',
  ),
);
const SINGLE: ReadonlySet<string> = new Set(TEMPLATES.filter((template) => !template.startsWith(ARTICLE)));
