import type { ModelRequest } from '../../model';
import type { Random } from '../../../rules/sampling/random';
import { findOccupation, pickOrigin, buildSlots, findPronouns } from '../persona';
import { enumerate, fill, renderJsonBlock } from '../text';
import { NAMES, PERSONA } from '../vocabulary';
import { parse } from 'yaml';
import * as z from 'zod';

/** Describes each template of the batch in six sentences (paper, B.1). */
export function answerDescribe(request: ModelRequest, random: Random): string {
  const lines = (request.values['seed_descriptions'] ?? '').split('\n').filter((line) => line.trim() !== '');
  return renderJsonBlock({ personas: lines.map((line) => describePersona(readTemplate(line), random)) });
}

function describePersona(template: Template, random: Random): { description: string; occupation: string } {
  const { seed, career_level: level, personality_traits: traits, personal_values: values } = template;
  const { title, world } = findOccupation(seed);
  const origin = pickOrigin(seed, random);
  const pronouns = findPronouns(seed) ?? random.pick(['she', 'he', 'she', 'he', 'they'] as const);
  const firstName = random.pick(pronouns === 'they' ? NAMES.open : origin[pronouns]);
  const [trouble = '', trouble2 = ''] = random.sample(world.troubles, 2);
  const slots = { ...buildSlots(firstName, pronouns), trouble, trouble2, topic: random.pick(world.topics) };
  const wants = values.map((value) => random.pick(WANTS[value] ?? ['to do good work']));
  const [trait, trait2] = [0, 1].map((place) =>
    random.pick(SHOWS[traits[place] ?? ''] ?? ['is good company']),
  );
  const [thought, thought2] = random.sample(PERSONA.thoughts, 2);
  const decides = random.pick(DECIDES[template.decision_making_styles] ?? ['makes decisions carefully']);
  const set = { she: 'she/her', he: 'he/him', they: 'they/them' }[pronouns];
  const career = level === '' ? title : `${random.pick(level.split('/'))} ${title}`;
  const introduction = `${random.pick(PERSONA.introductions)}, and {who} ${trait2}`;
  const sentences = [
    `${firstName} ${random.pick(origin.surnames)}, ${drawAge(template, random)}, ${set}, is ${/^[aeiou]/i.test(career) ? 'an' : 'a'} ${career} with ${2 + random.integer(7)} years in the current position`,
    `{name} wants ${enumerate(wants)}, and ${random.pick(PERSONA.measures)}`,
    `{name} ${random.pick(PERSONA.pains)}`,
    `{name} often thinks about ${thought} and about ${thought2}, and {who} ${trait}`,
    introduction,
    `At work {who} ${random.pick(PERSONA.duties)} and ${decides}, and in the evening {who} ${random.pick(PERSONA.pastimes)}`,
  ];
  // The seed may contain braces, so it is filled in last.
  const description = sentences
    .map((sentence) => `${fill(sentence, slots)}.`)
    .join(' ')
    .replace('{seed}', () => `“${seed.trim().replace(/[.\s]+$/, '')}”`);
  return { description, occupation: title };
}

/** Wants by any text, because a prompt pack may show templates with other values. */
const WANTS: Readonly<Record<string, readonly string[]>> = PERSONA.wants;
const SHOWS: Readonly<Record<string, readonly string[]>> = PERSONA.shows;
const DECIDES: Readonly<Record<string, readonly string[]>> = PERSONA.decides;

function drawAge({ seed, career_level: level }: Template, random: Random): number {
  if (/\bretired\b|\bretirement\b/i.test(seed)) return 62 + random.integer(12);
  if (level.startsWith('entry')) return 21 + random.integer(10);
  return level.startsWith('senior') ? 44 + random.integer(18) : 30 + random.integer(16);
}

const templateSchema = z.object({
  seed: z.string(),
  career_level: z.string().default(''),
  personality_traits: z.array(z.string()).default([]),
  personal_values: z.array(z.string()).default([]),
  decision_making_styles: z.string().default(''),
});

/** The describe step's template of a persona. */
type Template = z.infer<typeof templateSchema>;

/** Parses a line `k. {…}`; anything else is a seed sentence alone, because a prompt pack may format templates in its own way. */
function readTemplate(line: string): Template {
  const text = line.replace(/^\s*(?:\d+\.|-)\s*/, '');
  return templateSchema.parse(text.startsWith('{') ? parse(convertToYaml(text)) : { seed: text });
}

/** Converts a Python literal to YAML, which has the same flow style and, in double quotes, the same escapes. */
function convertToYaml(literal: string): string {
  return literal.replaceAll(
    /'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)"/g,
    (_, single: string | undefined, double: string | undefined) =>
      `"${(single ?? double ?? '').replaceAll(/\\'/g, "'").replaceAll(/(?<!\\)"/g, '\\"')}"`,
  );
}
