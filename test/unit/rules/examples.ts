import { stringify } from 'yaml';
import { splitInstances } from '../../../rules/instances/split';
import { drawStructure } from '../../../rules/journey/structure';
import {
  FACTOR_TYPES,
  PREFERENCE_TYPES,
  TASK_TYPES,
  type ContextFactor,
} from '../../../schemas/dataset/factor';
import type { Instance, PriorInteraction } from '../../../schemas/dataset/instance';
import type { PersonaRecord } from '../../../schemas/dataset/record';
import type { JourneyStructure, PlannedSession } from '../../../schemas/dataset/session';

/** Returns the item at this index of a list that wraps around. */
export function pickCyclic<T>(items: readonly T[], place: number): T {
  const [item] = items.slice(place % items.length);
  if (item === undefined) throw new Error('An example list is empty.');
  return item;
}

export function buildExampleFactors(count: number): ContextFactor[] {
  return Array.from({ length: count }, (_, index) => ({
    // The last two have the same type.
    factor_type: pickCyclic(FACTOR_TYPES, Math.min(index, count - 2)),
    background: `How workshop ${index + 1} came about: at 12:30, one day.`,
    factor: workshop(index + 1),
    task_types: [
      pickCyclic(TASK_TYPES, Math.min(index, count - 2)),
      pickCyclic(TASK_TYPES, Math.min(index, count - 2) + 5),
    ],
    preference_type: pickCyclic(PREFERENCE_TYPES, index),
    preference: `Answers must name exactly ${index + 2} sources.`,
    related_factor: index === count - 2 ? workshop(count) : index === count - 1 ? workshop(count - 1) : 'N/A',
  }));
}

function workshop(number: number): string {
  return `Workshop ${number}`;
}

export const CHANGED = 'Answers must rest on no source at all.';

/** Builds a journey that follows the structure; the pair's last factor is A. */
export function buildExampleSessions(
  structure: JourneyStructure,
  factors: readonly ContextFactor[],
): PlannedSession[] {
  const b = pickCyclic(factors, factors.length - 2);
  const a = pickCyclic(factors, factors.length - 1);
  let free = -1;
  return structure.map((role, index) => {
    if (role === 'free') free += 1;
    const factor = role === 'B' ? b : role === 'free' ? pickCyclic(factors.slice(0, -2), free) : a;
    const session: PlannedSession = {
      id: index + 1,
      context_factor: factor.factor,
      preference: role === "A'" ? CHANGED : factor.preference,
      task_type: pickCyclic(factor.task_types, index),
      story: `What led up to session ${index + 1} at ${factor.factor}.`,
      request_with_factor_and_preference: `Help me at ${factor.factor}, count the sources twice, and mention nothing else.`,
      request_with_factor: `Help me at ${factor.factor} with number ${index + 1}.`,
    };
    return index % 4 === 1
      ? {
          ...session,
          request_with_factor: `${session.request_with_factor} [resource]`,
          resource: 'Costs: $5\n- a: b',
        }
      : session;
  });
}

export function buildExampleRecord(structure: JourneyStructure, id = 7): PersonaRecord {
  const factors = buildExampleFactors(8);
  const sessions = buildExampleSessions(structure, factors).map((session) => ({
    ...session,
    checklist: [`Does it keep to this: ${session.preference}`],
  }));
  return {
    persona_id: `${id}+baker`,
    persona: {
      id,
      seed: 'A baker.',
      career_level: 'senior-level/advanced/lead/expert',
      personality_traits: ['High Agreeableness', 'Low Neuroticism'],
      personal_values: ['Power', 'Security'],
      decision_making_styles: 'Analytical',
      description: 'Bakes.',
      occupation: 'Baker',
    },
    context_factors: factors,
    sessions,
    interactions: sessions.slice(0, -1).map((session) => ({
      session_id: session.id,
      preference: session.preference,
      checklist: session.checklist,
      chat: [
        { role: 'user', content: session.request_with_factor },
        { role: 'assistant', content: `Answer in session ${session.id}.` },
        { role: 'user', content: 'Good.' },
      ],
      is_satisfied: true,
    })),
  };
}

/** Splits the example record of a persona into its three instances. */
export function splitExamplePersona({ personaId = 7, nSessions = 13, seed = 42 } = {}): Instance[] {
  const record = buildExampleRecord(drawStructure({ nSessions, seed, personaId }), personaId);
  return splitInstances(record, seed).map(({ instance }) => instance);
}

/** Builds an instance about a bakery without prior sessions; changes replace the defaults. */
export function buildInstance(changes: Partial<Instance> = {}): Instance {
  return {
    persona_id: '1+baker',
    instance_type: 'changing',
    current_request: 'What now?',
    current_context_factor: 'The bakery',
    current_contextual_preference: 'Short.',
    current_checklist: ['Is it short?'],
    prior_interactions: [],
    ...changes,
  };
}

/** Builds a prior session with messages of the user and the assistant in turn. */
export function buildSession(factor: string, preference: string, ...messages: string[]): PriorInteraction {
  return {
    context_factor: factor,
    contextual_preference: preference,
    dialogue: messages.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })),
  };
}

export function renderFencedYaml(value: unknown): string {
  return `Here it is:\n\n\`\`\`yaml\n${stringify(value, { aliasDuplicateObjects: false })}\`\`\`\n`;
}

export function renderFencedJson(value: unknown): string {
  return `Here it is:\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\nGood luck.`;
}

/** Returns the reason why an answer was rejected. */
export function getReason(checked: { ok: true } | { ok: false; reason: string }): string {
  if (checked.ok) throw new Error('The answer was accepted.');
  return checked.reason;
}

/** Returns the value of an accepted answer. */
export function getValue<T>(checked: { ok: true; value: T } | { ok: false; reason: string }): T {
  if (!checked.ok) throw new Error(checked.reason);
  return checked.value;
}
