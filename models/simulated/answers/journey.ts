import { parse, stringify } from 'yaml';
import * as z from 'zod';
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

/** Returns a journey that follows the drawn structure (paper, B.3). */
export function answerJourney({ values }: ModelRequest, random: Random): string {
  const { slots, world } = readPersona(values['user_persona'] ?? '');
  const factorOf = castFactors(values, random);
  const roles = readRoles(
    values['series_structure'] ?? '',
    Number.parseInt(values['n_sessions'] ?? '', 10) || 13,
  );
  const topics = random.shuffle(world.topics);
  const usedTemplates = new Set<string>();
  const scenarios = roles.map((role, place): PlannedSession => {
    const factor = factorOf(role);
    const knownTypes = TASK_TYPES.filter((type) => factor.task_types.includes(type));
    // For types of a run's own taxonomy, any of the paper's is simulated.
    const kindOfTask = random.pick(knownTypes.length > 0 ? knownTypes : TASK_TYPES);
    const taskType = knownTypes.length > 0 ? kindOfTask : random.pick(factor.task_types);
    const topic = topics[place % topics.length] ?? 'the week';
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

/** Assigns a factor and preference to each role; the free sessions take turns with the other factors. */
function castFactors(values: ModelRequest['values'], random: Random): (role: SessionRole) => KnownFactor {
  const { factors } = factorsSchema.parse(parse(values['context_factors'] ?? '', { schema: 'failsafe' }));
  const pair = [values['first_factor'], values['second_factor']].flatMap((name) =>
    factors.filter((factor) => factor.context_factor === name?.trim()),
  );
  const [a, b] = random.shuffle(pair);
  if (a === undefined || b === undefined) {
    throw new Error(
      'The simulated model cannot plan a journey: first_factor and second_factor are not among context_factors.',
    );
  }
  const changed = { ...a, preference: changePreference(a.preference, factors, random) };
  const unpaired = random.shuffle(factors.filter((factor) => factor !== a && factor !== b));
  let free = 0;
  return (role) => {
    if (role === 'A') return a;
    if (role === 'B') return b;
    if (role === "A'") return changed;
    free += 1;
    return unpaired[free % Math.max(unpaired.length, 1)] ?? b;
  };
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
