import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { NOT_CHANGED_YET } from '../../../data/prompts/values';
import { TASK_TYPES } from '../../../schemas/dataset/factor';
import type { PlannedSession, SessionRole } from '../../../schemas/dataset/session';
import type { ModelRequest } from '../../model';
import type { Random } from '../../../rules/sampling/random';
import { isSamePreference } from '../../../rules/texts/compare-texts';
import { addArticle, readPersona } from '../persona';
import { contradictPreference } from '../preference';
import { fill, drawChance, uncapitalize } from '../text';
import { PERSONA, REQUESTS, STORIES } from '../vocabulary';
import { YAML_FORM } from './factors';

/** Percentage of sessions with material. */
const RESOURCE_PERCENT = 26;

const factorsSchema = z.object({
  factors: z.array(
    z.object({ context_factor: z.string(), preference: z.string(), task_types: z.array(z.string()) }),
  ),
});
type KnownFactor = z.infer<typeof factorsSchema>['factors'][number];

/** Returns a journey that follows the drawn structure (paper, B.3), or the part of it that the request names. */
export function answerJourney({ values }: ModelRequest, random: Random): string {
  const { slots, world } = readPersona(values['user_persona'] ?? '');
  // Absent for a journey in one answer.
  const earlierLines = values['earlier_sessions']?.split('\n');
  const factorOf = castFactors(values, earlierLines ?? [], random);
  const roles = readRoles(values['series_structure'] ?? '', readNumber(values['n_sessions'], 13));
  const first = readNumber(values['first_session'], 1) - 1;
  const last = readNumber(values['last_session'], roles.length);
  const topics = random.shuffle(world.topics);
  const usedTemplates = new Set<string>();
  const scenarios = roles.slice(first, last).map((role, index): PlannedSession => {
    const place = first + index;
    const factor = factorOf(role);
    const knownTypes = TASK_TYPES.filter((type) => factor.task_types.includes(type));
    // For types of a run's own taxonomy, any of the paper's is simulated.
    const kindOfTask = random.pick(knownTypes.length > 0 ? knownTypes : TASK_TYPES);
    const taskType = knownTypes.length > 0 ? kindOfTask : random.pick(factor.task_types);
    const nextTopics = rotate(topics, place % topics.length);
    const isNew = (text: string) =>
      earlierLines?.some((line) => isOf(line, factor) && line.includes(text)) !== true;
    const topic = nextTopics.find(isNew) ?? nextTopics[0] ?? 'the week';
    const detail = random.pick(REQUESTS.details);
    const replacements = { ...slots, factor: addArticle(factor.context_factor), topic, detail };
    const { kind, request: withResource } = REQUESTS.withResource[kindOfTask];
    const hasResource = drawChance(random, RESOURCE_PERCENT);
    const unused = REQUESTS.requests[kindOfTask].filter((template) => !usedTemplates.has(template));
    const template = hasResource
      ? withResource
      : random.pick(unused.length > 0 ? unused : REQUESTS.requests[kindOfTask]);
    usedTemplates.add(template);
    const request = fill(template, replacements);
    earlierLines?.push(`${place + 1}. ${factor.context_factor} (${taskType}). ${topic}`);
    const middles =
      role !== "A'"
        ? STORIES.middles
        : place === roles.indexOf("A'")
          ? STORIES.turningPoints
          : STORIES.afterTurning;
    return {
      id: place + 1,
      context_factor: factor.context_factor,
      preference: factor.preference,
      task_type: taskType,
      story: [STORIES.openings, middles, STORIES.endings]
        .map((parts) => fill(random.pick(parts), replacements))
        .join(' '),
      request_with_factor_and_preference: addPreference(request, factor.preference, random),
      request_with_factor: request,
      ...(hasResource ? { resource: fillNumbers(random.pick(PERSONA.resources[kind]), random) } : {}),
    };
  });
  return `\`\`\`yaml\n${stringify({ scenarios }, YAML_FORM)}\`\`\``;
}

/**
 * Assigns a factor and preference to each role; the free sessions take turns with the other factors.
 * @param earlierLines lines of the sessions in earlier parts
 */
function castFactors(
  values: ModelRequest['values'],
  earlierLines: readonly string[],
  random: Random,
): (role: SessionRole) => KnownFactor {
  const { factors } = factorsSchema.parse(parse(values['context_factors'] ?? '', { schema: 'failsafe' }));
  const isDrawn = values['factor_a'] !== undefined;
  const names = isDrawn ? ['factor_a', 'factor_b'] : ['first_factor', 'second_factor'];
  const pair = names.flatMap((name) =>
    factors.filter((factor) => factor.context_factor === values[name]?.trim()),
  );
  const [a, b] = isDrawn ? pair : random.shuffle(pair);
  if (a === undefined || b === undefined) {
    throw new Error(
      'The simulated model cannot plan a journey: first_factor and second_factor are not among context_factors.',
    );
  }
  const preference = values['changed_preference'] ?? NOT_CHANGED_YET;
  const changed = {
    ...a,
    preference: preference === NOT_CHANGED_YET ? changePreference(a.preference, factors, random) : preference,
  };
  const unpaired = random.shuffle(factors.filter((factor) => factor !== a && factor !== b));
  const uses = new Map(
    rotate(unpaired, 1).map((factor) => [factor, earlierLines.filter((line) => isOf(line, factor)).length]),
  );
  return (role) => {
    if (role === 'A') return a;
    if (role === 'B') return b;
    if (role === "A'") return changed;
    const [[free, count] = [b, 0]] = [...uses].toSorted(
      ([, useCount], [, otherCount]) => useCount - otherCount,
    );
    uses.set(free, count + 1);
    return free;
  };
}

/** Returns true for a line of an earlier session that has this factor. */
function isOf(line: string, { context_factor: name }: KnownFactor): boolean {
  return line.includes(`. ${name} (`);
}

function rotate<T>(items: readonly T[], by: number): T[] {
  return [...items.slice(by), ...items.slice(0, by)];
}

function readNumber(text: string | undefined, otherwise: number): number {
  return Number.parseInt(text ?? '', 10) || otherwise;
}

function changePreference(original: string, factors: readonly KnownFactor[], random: Random): string {
  const { text } = contradictPreference(random, original);
  return factors.some(({ preference }) => isSamePreference(preference, text))
    ? changePreference(original, factors, random)
    : text;
}

function readRoles(structure: string, count: number): SessionRole[] {
  const roles = new Map<number, SessionRole>();
  for (const [, id, factor, kind] of structure.matchAll(
    /ID (\d+):.*?factor ([AB]) with (original|changed)/gi,
  )) {
    roles.set(Number(id), factor === 'B' ? 'B' : kind === 'changed' ? "A'" : 'A');
  }
  return Array.from({ length: count }, (_, place) => roles.get(place + 1) ?? 'free');
}

function addPreference(request: string, preference: string, random: Random): string {
  const [text = '', ...paragraphs] = request.split('\n\n');
  return [`${text} ${random.pick(REQUESTS.leads)} ${uncapitalize(preference)}`, ...paragraphs].join('\n\n');
}

function fillNumbers(text: string, random: Random): string {
  return text.replaceAll('{n}', () => String(2 + random.integer(27)));
}
