import type { ModelRequest } from '../../models/model';
import type { Random } from '../../rules/random';
import { findOccupation, type Occupation } from '../occupation';
import { readPythonLiteral, type PythonValue } from '../python-literal';
import {
  DECIDES,
  DUTIES,
  MEASURES,
  OTHERS,
  PAINS,
  PASTIMES,
  SAID_OF,
  SHOWS,
  THOUGHTS,
  WANTS,
} from '../vocabulary/lives';
import { NAME_STOCKS, OPEN_NAMES, type NameStock } from '../vocabulary/names';
import { fill, pronounSlots, PRONOUN_SETS, withArticle, type Pronouns } from '../words';

/** Describes each template of the batch in six sentences (paper, B.1). */
export function answerDescribe(request: ModelRequest, random: Random): string {
  const lines = (request.values['seed_descriptions'] ?? '').split('\n').filter((line) => line.trim() !== '');
  const personas = lines.map((line) => describe(readTemplate(line), random));
  return `\`\`\`json\n${JSON.stringify({ personas }, null, 2)}\n\`\`\``;
}

interface Template {
  readonly seed: string;
  readonly career: string;
  readonly traits: readonly string[];
  readonly values: readonly string[];
  readonly style: string;
}

/** A line `k. {…}`; anything else is taken as a seed sentence alone, because a prompt pack may lay templates out its own way. */
function readTemplate(line: string): Template {
  const text = line.replace(/^\s*(?:\d+\.|-)\s*/, '');
  if (!text.startsWith('{')) return { seed: text, career: '', traits: [], values: [], style: '' };
  const fields = readPythonLiteral(text);
  const field = (name: string) => (fields instanceof Map ? fields.get(name) : undefined) ?? '';
  return {
    seed: textOf(field('seed')),
    career: textOf(field('career_level')),
    traits: textsOf(field('personality_traits')),
    values: textsOf(field('personal_values')),
    style: textOf(field('decision_making_styles')),
  };
}

function textOf(value: PythonValue): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: PythonValue): string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

function describe(template: Template, random: Random): { description: string; occupation: string } {
  const occupation = findOccupation(template.seed);
  const stock = likelyStock(template.seed, random);
  const pronouns = likelyPronouns(template.seed, random);
  const given = random.pick(pronouns === 'they' ? OPEN_NAMES : stock[pronouns]);
  const full = `${given} ${random.pick(stock.surnames)}`;
  const [trouble = '', trouble2 = ''] = random.sample(occupation.world.troubles, 2);
  const topic = random.pick(occupation.world.topics);
  const slots = { ...pronounSlots(pronouns), name: given, trouble, trouble2, topic };
  const part = (text: string) => fill(text, slots);
  const sentences = [
    introduction({ template, occupation, full, pronouns, random }),
    gain(template, part, random),
    `${part(`{name} ${random.pick(PAINS)}`)}.`,
    inner(template, part, random),
    outer(template, part, random),
    doing(template, part, random),
  ];
  return { description: sentences.join(' '), occupation: occupation.title };
}

type Part = (text: string) => string;

function introduction(about: {
  template: Template;
  occupation: Occupation;
  full: string;
  pronouns: Pronouns;
  random: Random;
}): string {
  const { template, occupation, full, pronouns, random } = about;
  const level = template.career === '' ? '' : `${random.pick(template.career.split('/'))} `;
  const place = / (?:in|near|outside|from) ((?:the )?\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?)(?=[ ,.])/u.exec(
    template.seed,
  )?.[1];
  const years = 2 + random.integer(6);
  const settled = random.pick([
    place === undefined ? 'working in a town of middling size' : `living in ${place}`,
    `with ${years} people to work with and a view of the car park`,
    place === undefined ? 'the first of the family in that line' : `settled in ${place} for the time being`,
    `who came to the work by way of ${random.pick(DETOURS)}`,
    `${years} years into the present position`,
  ]);
  const age = ageOf(template, random);
  return `${full}, ${age}, ${PRONOUN_SETS[pronouns]}, is ${withArticle(`${level}${occupation.title}`)}, ${settled}.`;
}

const DETOURS: readonly string[] = [
  'a summer job',
  'a wrong turn after school',
  "an uncle's workshop",
  'three other trades',
  'a scholarship',
  'the night shift',
  'a small advertisement',
  'a lost bet',
  'the army',
  'a library book',
  'an illness in the family',
  'a closed-down factory',
];

function gain(template: Template, part: Part, random: Random): string {
  const wants = template.values.map((value) => random.pick(WANTS[value] ?? ['to do the work well']));
  const join = random.pick([' and ', ', and just as much ', ', but also ']);
  return `${part(`{name} wants ${wants.join(join) || 'to do the work well'}, and ${random.pick(MEASURES)}`)}.`;
}

function inner(template: Template, part: Part, random: Random): string {
  const [one = '', other = ''] = random.sample(THOUGHTS, 2);
  const shows = random.pick(SHOWS[template.traits[0] ?? ''] ?? ['keeps it to {themself}']);
  const opening = random.pick([
    'In quiet moments',
    'On the way home',
    'More than others would guess,',
    'Deep down',
  ]);
  return `${part(`${opening} {name} thinks about ${one} and about ${other}, and perhaps for that reason {name} ${shows}`)}.`;
}

function outer(template: Template, part: Part, random: Random): string {
  const seed = `“${template.seed.trim().replace(/[.\s]+$/, '')}”`;
  const shows = random.pick(SHOWS[template.traits[1] ?? ''] ?? ['is good company']);
  const said = random.pick(SAID_OF).replace('{seed}', () => '\u0000');
  const others = random.pick(OTHERS).replace('{shows}', () => shows);
  return `${part(`${said}, ${others}`).replace('\u0000', () => seed)}.`;
}

function doing(template: Template, part: Part, random: Random): string {
  const decides = random.pick(DECIDES[template.style] ?? ['takes {their} time']);
  return part(
    `In a usual week {name} ${random.pick(DUTIES)}; when there is a choice to make, {name} ${decides}; and after hours {name} ${random.pick(PASTIMES)}.`,
  );
}

function likelyStock(seed: string, random: Random): NameStock {
  const words = new Set(seed.match(/[\p{L}][\p{L}'-]*/gu) ?? []);
  const near = NAME_STOCKS.filter(({ places }) => places.some((place) => words.has(place)));
  return random.pick(near.length > 0 ? near : NAME_STOCKS);
}

const SHE =
  /\b(?:she|her|hers|herself|woman|mother|daughter|sister|aunt|widow|grandmother|policewoman|wife of|girl|queen|nun)\b/i;
const HE = /\b(?:he|his|him|himself|man|father|son|brother|uncle|widower|grandfather|postman|boy|monk)\b/i;
const SHE_ALONE = /\b(?:she|herself|hers)\b/i;
const HE_ALONE = /\b(?:he|himself)\b/i;

function likelyPronouns(seed: string, random: Random): Pronouns {
  if (SHE_ALONE.test(seed) !== HE_ALONE.test(seed)) return SHE_ALONE.test(seed) ? 'she' : 'he';
  if (SHE.test(seed) !== HE.test(seed)) return SHE.test(seed) ? 'she' : 'he';
  return random.pick(['she', 'he', 'she', 'he', 'she', 'he', 'they'] as const);
}

const TENS: Readonly<Record<string, number>> = {
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
};
const UNITS: readonly string[] = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const AGE =
  /\b(?:(?:at|aged|turned) )?(twenty|thirty|forty|fifty|sixty|seventy|eighty)(?:-(one|two|three|four|five|six|seven|eight|nine))?(?:-year-old|,|(?= and))/i;

function ageOf({ seed, career }: Template, random: Random): number {
  const told = /(?:^|\b(?:at|aged|turned) |-year-old)/i.test(seed) ? AGE.exec(seed) : null;
  const tens = TENS[told?.[1]?.toLowerCase() ?? ''];
  if (tens !== undefined && told !== null && /at |aged|turned|year-old/i.test(told[0])) {
    return tens + Math.max(UNITS.indexOf(told[2]?.toLowerCase() ?? ''), 0);
  }
  if (/\b(?:semi-)?retired|\bretirement\b/i.test(seed)) return 62 + random.integer(12);
  if (career.startsWith('entry')) return 21 + random.integer(10);
  return career.startsWith('senior') ? 44 + random.integer(20) : 30 + random.integer(16);
}
