import { z } from 'zod';
import { parse } from 'yaml';
import { TASK_TYPES } from '../../schemas/factor';
import type { PlannedSession, SessionRole } from '../../schemas/session';
import type { ModelRequest } from '../../models/model';
import type { Random } from '../../rules/sampling/random';
import { namedInSentence } from '../factor-names';
import { readPersona, type KnownPersona } from '../persona';
import { clausesIn, composePreference, contradictPreference } from '../preference';
import { makeResource } from '../resource';
import { AXES } from '../vocabulary/axes';
import { DETAILS, PREFERENCE_LEADS, REQUESTS, RESOURCE_REQUESTS } from '../vocabulary/requests';
import {
  AFTER_TURNING,
  STORY_ENDINGS,
  STORY_MIDDLES,
  STORY_OPENINGS,
  TURNING_POINTS,
} from '../vocabulary/stories';
import { fill, uncapitalised } from '../words';
import { yamlText } from '../yaml-text';

/** How many sessions hand something over, of a hundred. */
const RESOURCE_PERCENT = 26;

/** A journey that keeps the drawn structure (paper, B.3). */
export function answerJourney(request: ModelRequest, random: Random): string {
  const { values } = request;
  const persona = readPersona(values['user_persona'] ?? '');
  const cast = castOf(values, random);
  const roles = rolesIn(
    values['series_structure'] ?? '',
    Number.parseInt(values['n_sessions'] ?? '13', 10) || 13,
  );
  const sessions = sessionsOf({ persona, cast, roles, random });
  return `\`\`\`yaml\nscenarios:\n${sessions.map(sessionEntry).join('')}\`\`\``;
}

const factorsSchema = z.object({
  factors: z.array(
    z.object({ context_factor: z.string(), preference: z.string(), task_types: z.array(z.string()) }),
  ),
});
type KnownFactor = z.infer<typeof factorsSchema>['factors'][number];

/** Who plays which part. */
interface Cast {
  readonly a: KnownFactor;
  readonly b: KnownFactor;
  readonly changed: string;
  readonly others: readonly KnownFactor[];
}

function castOf(values: ModelRequest['values'], random: Random): Cast {
  const { factors } = factorsSchema.parse(parse(values['context_factors'] ?? '', { schema: 'failsafe' }));
  const named = [values['first_factor'], values['second_factor']].map((name) =>
    factors.find((factor) => factor.context_factor === name?.trim()),
  );
  const [a, b] = random.shuffle(named.filter((factor) => factor !== undefined));
  if (a === undefined || b === undefined) {
    throw new Error(
      'The simulated model cannot plan a journey: first_factor and second_factor are not among context_factors.',
    );
  }
  return {
    a,
    b,
    changed: changedPreference(a, factors, random),
    others: random.shuffle(factors.filter((factor) => factor !== a && factor !== b)),
  };
}

function changedPreference(a: KnownFactor, factors: readonly KnownFactor[], random: Random): string {
  const clauses = clausesIn(a.preference);
  const original = { type: 'Relevance' as const, text: a.preference, clauses };
  const { text } =
    clauses.length > 0
      ? contradictPreference(random, original)
      : composePreference(random, random.pick(AXES));
  return factors.some(({ preference }) => preference === text) ? changedPreference(a, factors, random) : text;
}

function rolesIn(structure: string, count: number): SessionRole[] {
  const told = new Map<number, SessionRole>();
  for (const [, id, factor, kind] of structure.matchAll(
    /ID (\d+):.*?factor ([AB]) with (original|changed)/gi,
  )) {
    told.set(Number(id), factor === 'B' ? 'B' : kind === 'changed' ? "A'" : 'A');
  }
  return Array.from({ length: count }, (_, place) => told.get(place + 1) ?? 'free');
}

function sessionsOf(plot: {
  persona: KnownPersona;
  cast: Cast;
  roles: readonly SessionRole[];
  random: Random;
}): PlannedSession[] {
  const { persona, cast, roles, random } = plot;
  const topics = random.shuffle(persona.occupation.world.topics);
  const firstChange = roles.indexOf("A'");
  let free = 0;
  return roles.map((role, place) => {
    const { factor, preference } = partOf(role, cast, free);
    if (role === 'free') free += 1;
    const taskType = random.pick(TASK_TYPES.filter((type) => factor.task_types.includes(type)));
    const topic = topics[place % topics.length] ?? 'the week';
    const slots = {
      ...persona.slots,
      factor: namedInSentence(factor.context_factor),
      topic,
      detail: random.pick(DETAILS),
    };
    const { request, resource } = requestOn(taskType, slots, random);
    return {
      id: place + 1,
      context_factor: factor.context_factor,
      preference,
      task_type: taskType,
      story: storyOf({ role, turning: place === firstChange, slots, random }),
      request_with_factor_and_preference: withPreference(request, preference, random),
      request_with_factor: request,
      ...(resource === undefined ? {} : { resource }),
    };
  });
}

function partOf(role: SessionRole, cast: Cast, free: number): { factor: KnownFactor; preference: string } {
  if (role === 'A') return { factor: cast.a, preference: cast.a.preference };
  if (role === "A'") return { factor: cast.a, preference: cast.changed };
  const factor = role === 'B' ? cast.b : (cast.others[free % Math.max(cast.others.length, 1)] ?? cast.b);
  return { factor, preference: factor.preference };
}

type Slots = Readonly<Record<string, string>> & { readonly topic: string };

function requestOn(
  taskType: PlannedSession['task_type'],
  slots: Slots,
  random: Random,
): { request: string; resource?: string } {
  if (random.integer(100) >= RESOURCE_PERCENT)
    return { request: fill(random.pick(REQUESTS[taskType]), slots) };
  const { kind, request } = random.pick(RESOURCE_REQUESTS[taskType]);
  return { request: fill(request, slots), resource: makeResource(random, kind, slots.topic) };
}

function withPreference(request: string, preference: string, random: Random): string {
  const rule = `${random.pick(PREFERENCE_LEADS)}${uncapitalised(preference)}`;
  const [text = '', ...rest] = request.split('\n\n');
  return [`${text} ${rule}`, ...rest].join('\n\n');
}

function storyOf(scene: { role: SessionRole; turning: boolean; slots: Slots; random: Random }): string {
  const { role, turning, slots, random } = scene;
  const middle =
    role === "A'" ? random.pick(turning ? TURNING_POINTS : AFTER_TURNING) : random.pick(STORY_MIDDLES);
  return [random.pick(STORY_OPENINGS), middle, random.pick(STORY_ENDINGS)]
    .map((part) => fill(part, slots))
    .join(' ');
}

function sessionEntry(session: PlannedSession): string {
  const texts = [
    'context_factor',
    'preference',
    'task_type',
    'story',
    'request_with_factor_and_preference',
    'request_with_factor',
  ] as const;
  const lines = texts.map((field) => `    ${field}: ${yamlText(session[field], '      ')}`);
  if (session.resource !== undefined) lines.push(`    resource: ${yamlText(session.resource, '      ')}`);
  return `  - id: ${session.id}\n${lines.join('\n')}\n`;
}
