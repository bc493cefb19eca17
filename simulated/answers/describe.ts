import type { ModelRequest } from '../../models/model';
import type { Random } from '../../rules/sampling/random';
import { findOccupation, type Occupation } from '../occupation';
import { isRetired, likelyNames, likelyPronouns, toldAge, toldPlace } from '../seed-sentence';
import { readTemplate, type Template } from '../template';
import {
  DECIDES,
  DETOURS,
  DUTIES,
  MEASURES,
  MOMENTS,
  OTHERS,
  PAINS,
  PASTIMES,
  SAID_OF,
  SHOWS,
  THOUGHTS,
  WANTS,
} from '../vocabulary/lives';
import { OPEN_NAMES } from '../vocabulary/names';
import { fill, personSlots, PRONOUN_SETS, withArticle, type Pronouns } from '../words';

/** Describes each template of the batch in six sentences (paper, B.1). */
export function answerDescribe(request: ModelRequest, random: Random): string {
  const lines = (request.values['seed_descriptions'] ?? '').split('\n').filter((line) => line.trim() !== '');
  const personas = lines.map((line) => describe(readTemplate(line), random));
  return `\`\`\`json\n${JSON.stringify({ personas }, null, 2)}\n\`\`\``;
}

function describe(template: Template, random: Random): { description: string; occupation: string } {
  const occupation = findOccupation(template.seed);
  const names = likelyNames(template.seed, random);
  const pronouns = likelyPronouns(template.seed, random);
  const given = random.pick(pronouns === 'they' ? OPEN_NAMES : names[pronouns]);
  const full = `${given} ${random.pick(names.surnames)}`;
  const [trouble = '', trouble2 = ''] = random.sample(occupation.world.troubles, 2);
  const slots = {
    ...personSlots(given, pronouns),
    trouble,
    trouble2,
    topic: random.pick(occupation.world.topics),
  };
  const sentence = (text: string) => `${fill(text, slots)}.`;
  const sentences = [
    who({ template, occupation, full, pronouns, random }),
    sentence(gain(template, random)),
    sentence(`{who} ${random.pick(PAINS)}`),
    sentence(inner(template, random)),
    // The seed may hold braces of its own: it goes in last.
    sentence(outer(template, random)).replace(
      '{seed}',
      () => `“${template.seed.trim().replace(/[.\s]+$/, '')}”`,
    ),
    sentence(doing(template, random)),
  ];
  return { description: sentences.join(' '), occupation: occupation.title };
}

function who(about: {
  template: Template;
  occupation: Occupation;
  full: string;
  pronouns: Pronouns;
  random: Random;
}): string {
  const { template, occupation, full, pronouns, random } = about;
  const level = template.career === '' ? '' : `${random.pick(template.career.split('/'))} `;
  const place = toldPlace(template.seed);
  const years = 2 + random.integer(6);
  const settled = random.pick([
    place === undefined ? 'working in a town of middling size' : `living in ${place}`,
    `with ${years} people to work with and a view of the car park`,
    place === undefined ? 'the first of the family in that line' : `settled in ${place} for the time being`,
    `who came to the work by way of ${random.pick(DETOURS)}`,
    `${years} years into the present position`,
  ]);
  const age = toldAge(template.seed) ?? likelyAge(template, random);
  return `${full}, ${age}, ${PRONOUN_SETS[pronouns]}, is ${withArticle(`${level}${occupation.title}`)}, ${settled}.`;
}

function likelyAge({ seed, career }: Template, random: Random): number {
  if (isRetired(seed)) return 62 + random.integer(12);
  if (career.startsWith('entry')) return 21 + random.integer(10);
  return career.startsWith('senior') ? 44 + random.integer(20) : 30 + random.integer(16);
}

function gain({ values }: Template, random: Random): string {
  const wants = values.map((value) => random.pick(WANTS[value] ?? [PLAIN_WANT]));
  const join = random.pick([' and ', ', and just as much ', ', but also ']);
  return `{name} wants ${wants.join(join) || PLAIN_WANT}, and ${random.pick(MEASURES)}`;
}

const PLAIN_WANT = 'to do the work well';

function inner({ traits }: Template, random: Random): string {
  const [one = '', other = ''] = random.sample(THOUGHTS, 2);
  const shows = random.pick(SHOWS[traits[0] ?? ''] ?? ['keeps it to {themself}']);
  return `${random.pick(MOMENTS)} {name} thinks about ${one} and about ${other}, and perhaps for that reason {who} ${shows}`;
}

function outer({ traits }: Template, random: Random): string {
  const shows = random.pick(SHOWS[traits[1] ?? ''] ?? ['is good company']);
  return `${random.pick(SAID_OF)}, ${random.pick(OTHERS).replace('{shows}', () => shows)}`;
}

function doing({ style }: Template, random: Random): string {
  const decides = random.pick(DECIDES[style] ?? ['takes {their} time']);
  return `In a usual week {name} ${random.pick(DUTIES)}; when there is a choice to make, {who} ${decides}; and after hours {who} ${random.pick(PASTIMES)}`;
}
