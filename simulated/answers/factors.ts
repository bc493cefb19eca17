import { FACTOR_TYPES, NO_RELATED_FACTOR, TASK_TYPES, type ContextFactor } from '../../schemas/factor';
import type { ModelRequest } from '../../models/model';
import type { Random } from '../../rules/sampling/random';
import { nameFactors, namedInSentence } from '../factor-names';
import { readPersona, type KnownPersona } from '../persona';
import { composePreference, contradictPreference, type Preference } from '../preference';
import { AXES } from '../vocabulary/axes';
import { ENCOUNTERS, EXPECTATIONS, EXPERIENCES } from '../vocabulary/stories';
import { fill } from '../words';

/** The factors of a persona's world, each with its preference; the contrastive pair comes last (paper, B.2). */
export function answerFactors(request: ModelRequest, random: Random): string {
  const count = Math.max(Number.parseInt(request.values['n_factors'] ?? '8', 10) || 8, 2);
  const persona = readPersona(request.values['user_persona'] ?? '');
  const factors = imagineFactors(persona, count, random);
  return `Here is the world of ${persona.given}.\n\n\`\`\`yaml\ncontext_factors:\n${factors.map(factorEntry).join('')}\`\`\``;
}

function imagineFactors(persona: KnownPersona, count: number, random: Random): ContextFactor[] {
  const types = typesOf(count - 1, random);
  const leads = random.shuffle(AXES);
  const taken = new Set<string>();
  const factors: ContextFactor[] = [];

  function add(
    type: ContextFactor['factor_type'],
    name: string,
    preference: Preference,
    partner: string,
  ): void {
    taken.add(name);
    factors.push({
      factor_type: type,
      background: background(persona, name, random),
      factor: name,
      task_types: taskTypes(random),
      preference_type: preference.type,
      preference: preference.text,
      related_factor: partner,
    });
  }

  for (const [place, type] of types.entries()) {
    const lead = leads[place % leads.length] ?? random.pick(AXES);
    const preference = newPreference(factors, () => composePreference(random, lead));
    const { world } = persona.occupation;
    if (place < types.length - 1) {
      const [name = ''] = nameFactors(random, { world, type, count: 1, taken });
      add(type, name, preference, NO_RELATED_FACTOR);
    } else {
      const [one = '', other = ''] = nameFactors(random, { world, type, count: 2, taken });
      add(type, one, preference, other);
      add(
        type,
        other,
        newPreference(factors, () => contradictPreference(random, preference)),
        one,
      );
    }
  }
  return factors;
}

/** Each type once before any comes again. */
function typesOf(count: number, random: Random): ContextFactor['factor_type'][] {
  const types: ContextFactor['factor_type'][] = [];
  while (types.length < count) types.push(...random.shuffle(FACTOR_TYPES));
  return types.slice(0, count);
}

function newPreference(factors: readonly ContextFactor[], compose: () => Preference): Preference {
  const preference = compose();
  return factors.some((factor) => factor.preference === preference.text)
    ? newPreference(factors, compose)
    : preference;
}

function background(persona: KnownPersona, name: string, random: Random): string {
  const slots = {
    ...persona.slots,
    factor: namedInSentence(name),
    topic: random.pick(persona.occupation.world.topics),
    years: random.pick(['three', 'four', 'five', 'six', 'eight', 'nine', 'eleven', 'fourteen']),
  };
  return [ENCOUNTERS, EXPERIENCES, EXPECTATIONS].map((parts) => fill(random.pick(parts), slots)).join(' ');
}

function taskTypes(random: Random): ContextFactor['task_types'] {
  const drawn = new Set(random.sample(TASK_TYPES, 3 + random.integer(4)));
  return TASK_TYPES.filter((taskType) => drawn.has(taskType));
}

function factorEntry(factor: ContextFactor): string {
  return [
    `  - factor_type: ${factor.factor_type}`,
    `    background: ${JSON.stringify(factor.background)}`,
    `    factor: ${JSON.stringify(factor.factor)}`,
    '    task_types:',
    ...factor.task_types.map((taskType) => `      - ${taskType}`),
    `    preference_type: ${factor.preference_type}`,
    `    preference: ${JSON.stringify(factor.preference)}`,
    `    related_factor: ${JSON.stringify(factor.related_factor)}`,
    '',
  ].join('\n');
}
