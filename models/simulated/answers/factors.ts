import { stringify } from 'yaml';
import {
  FACTOR_TYPES,
  NO_RELATED_FACTOR,
  PREFERENCE_TYPES,
  TASK_TYPES,
  type ContextFactor,
} from '../../../schemas/dataset/factor';
import { PAPER_TAXONOMY, type Taxonomy } from '../../../schemas/dataset/taxonomy';
import type { ModelRequest } from '../../model';
import type { Random } from '../../../rules/sampling/random';
import { isSamePreference } from '../../../rules/texts/compare-texts';
import { addArticle, readPersona, type SimulatedPersona } from '../persona';
import { composePreference, contradictPreference, type Preference } from '../preference';
import { fill } from '../text';
import { NAMES, STORIES } from '../vocabulary';

/** Returns the context factors of a persona, each with its preference; the contrastive pair comes last (paper, B.2). */
export function answerFactors(request: ModelRequest, random: Random): string {
  const count = Math.max(Number.parseInt(request.values['n_factors'] ?? '8', 10) || 8, 2);
  const persona = readPersona(request.values['user_persona'] ?? '');
  const factors = withOwnTypes(imagineFactors(persona, count, random), request.values);
  return `\`\`\`yaml\n${stringify({ context_factors: factors }, YAML_FORM)}\`\`\``;
}

/** Replaces the types by those of a run's own taxonomy, if the request has one. Each stands for some of the paper's. */
function withOwnTypes(factors: readonly ContextFactor[], values: ModelRequest['values']): ContextFactor[] {
  const replace = (list: keyof Taxonomy, type: string) => {
    const types = values[list]?.split('\n');
    return types?.[PAPER_TAXONOMY[list].indexOf(type) % types.length] ?? type;
  };
  return factors.map((factor) => ({
    ...factor,
    factor_type: replace('factor_types', factor.factor_type),
    task_types: [...new Set(factor.task_types.map((type) => replace('task_types', type)))],
    preference_type: replace('preference_types', factor.preference_type),
  }));
}

/** Writes every text in double quotes on its line. */
export const YAML_FORM = {
  defaultStringType: 'QUOTE_DOUBLE',
  defaultKeyType: 'PLAIN',
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  lineWidth: 0,
} as const;

function imagineFactors(persona: SimulatedPersona, count: number, random: Random): ContextFactor[] {
  // Each factor type and each preference type appears once before any is repeated.
  const types = repeatShuffled(FACTOR_TYPES, count - 1, random);
  const preferenceTypes = repeatShuffled(PREFERENCE_TYPES, count - 1, random);
  const factors: ContextFactor[] = [];
  for (const [place, type] of types.entries()) {
    const preferenceType = preferenceTypes[place] ?? 'Relevance';
    factors.push(
      imagineFactor({ persona, type, factors, random }, () => composePreference(random, preferenceType)),
    );
  }
  const [original] = factors.splice(-1);
  const type = types.at(-1);
  if (original === undefined || type === undefined) return factors;
  const opposite = imagineFactor({ persona, type, factors: [...factors, original], random }, () =>
    contradictPreference(random, original.preference),
  );
  const common = random.sample(original.task_types, 2);
  const task_types = TASK_TYPES.filter((task) => opposite.task_types.includes(task) || common.includes(task));
  return [
    ...factors,
    { ...original, related_factor: opposite.factor },
    { ...opposite, task_types, related_factor: original.factor },
  ];
}

type FactorType = (typeof FACTOR_TYPES)[number];

/** Returns a factor with an unused name and preference. */
function imagineFactor(
  context: {
    persona: SimulatedPersona;
    type: FactorType;
    factors: readonly ContextFactor[];
    random: Random;
  },
  compose: () => Preference,
): ContextFactor {
  const { persona, type, factors, random } = context;
  const factor = drawFactorName(persona, type, random);
  const preference = compose();
  const previous = factors.at(-1)?.factor ?? '';
  const isTaken =
    factors.some(
      (previousFactor) =>
        previousFactor.factor === factor || isSamePreference(previousFactor.preference, preference.text),
    ) ||
    // The factors of a pair must not be the same thing in two places.
    (previous !== '' && (factor.endsWith(previous) || previous.endsWith(factor)));
  if (isTaken) return imagineFactor(context, compose);
  const slots = {
    ...persona.slots,
    factor: addArticle(factor),
    topic: random.pick(persona.world.topics),
    years: random.pick(['two', 'three', 'four', 'five', 'six', 'eight']),
  };
  const drawnTypes = new Set(random.sample(TASK_TYPES, 3 + random.integer(4)));
  return {
    factor_type: type,
    background: [STORIES.encounters, STORIES.experiences, STORIES.expectations]
      .map((parts) => fill(random.pick(parts), slots))
      .join(' '),
    factor,
    task_types: TASK_TYPES.filter((taskType) => drawnTypes.has(taskType)),
    preference_type: preference.type,
    preference: preference.text,
    related_factor: NO_RELATED_FACTOR,
  };
}

function drawFactorName(persona: SimulatedPersona, type: FactorType, random: Random): string {
  const origin = persona.origin ?? random.pick(NAMES.origins);
  const template = random.pick(persona.world.factors[type]).replace(/^the /, '');
  const surname = random.pick(origin.surnames);
  // Names without a place or person often get one, so that names vary between personas of one occupation.
  const local = template.includes('{') || random.integer(2) === 0 ? template : `{place} ${template}`;
  return fill(local, {
    surname,
    full: `${random.pick([...origin.she, ...origin.he])} ${surname}`,
    place: random.pick(NAMES.places),
  });
}

function repeatShuffled<T>(items: readonly T[], count: number, random: Random): T[] {
  const shuffled: T[] = [];
  while (shuffled.length < count) shuffled.push(...random.shuffle(items));
  return shuffled.slice(0, count);
}
