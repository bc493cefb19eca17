import * as z from 'zod';
import { contextFactorSchema } from '../../schemas/dataset/factor';
import {
  CAREER_LEVELS,
  DECISION_MAKING_STYLES,
  PERSONAL_VALUES,
  PERSONALITY_TRAITS,
  personaSchema,
} from '../../schemas/dataset/persona';
import { interactionSchema, personaRecordSchema, type RecordForm } from '../../schemas/dataset/record';
import { sessionSchema } from '../../schemas/dataset/session';
import { PAPER_TAXONOMY } from '../../schemas/dataset/taxonomy';
import { mapValues } from '../../schemas/map-values';
import { formatValue } from '../../schemas/text/value-text';
import {
  anyTextSchema,
  type CheckedRow,
  checkRow,
  buildDialogueSchema,
  listEmptyMessages,
  type RowWarning,
  textSchema,
  textsSchema,
} from './row-form';

/** Checks that a row of a data set is a persona's record. Columns that CUPID-Raw does not have are left out. */
export function checkRecord(value: unknown): CheckedRow<RecordForm> {
  return checkRow(isReady(value) ? readyRecordForm : recordForm, value, (record) => [
    ...warnOfMissingMessages(record),
    ...warnOfUnknownWords(record),
    ...warnOfValueCount(record),
  ]);
}

const wholeNumber = z.preprocess(
  // Arrow's and Parquet's own are 64 bits wide.
  (value) => (typeof value === 'bigint' ? Number(value) : value),
  z.int(),
);

/** Requires a text of a field. Fields of other types, and those that records may lack, have checks of their own. */
const text = () => textSchema;

const personaFields = {
  ...mapValues(personaSchema.shape, text),
  id: wholeNumber,
  personality_traits: textsSchema,
  personal_values: textsSchema,
};

const factorForm = z.object({ ...mapValues(contextFactorSchema.shape, text), task_types: textsSchema });

const sessionForm = z.object({
  ...mapValues(sessionSchema.shape, text),
  id: wholeNumber,
  resource: textSchema.nullish(),
  checklist: textsSchema,
});

const interactionForm = z.object({
  ...mapValues(interactionSchema.shape, text),
  session_id: wholeNumber,
  checklist: textsSchema,
  // Null where the reference program got no answer.
  chat: buildDialogueSchema(anyTextSchema.nullable()),
  is_satisfied: z.boolean(),
});

const recordForm = z.object({
  ...mapValues(personaRecordSchema.shape, text),
  persona: z.object(personaFields),
  context_factors: z.array(factorForm).min(1),
  sessions: z.array(sessionForm).min(1),
  interactions: z.array(interactionForm).min(1),
}) satisfies z.ZodType<RecordForm>;

/** A persona whose description was given to its run: nothing was drawn for it. */
const noTemplateSchema = z.object({
  seed: z.literal(''),
  career_level: z.literal(''),
  personality_traits: z.tuple([]),
  personal_values: z.tuple([]),
  decision_making_styles: z.literal(''),
});

const readyRecordForm = recordForm.extend({
  persona: z.object({ ...personaFields, ...noTemplateSchema.shape }),
}) satisfies z.ZodType<RecordForm>;

function isReady(value: unknown): boolean {
  return readySchema.safeParse(value).success;
}

const readySchema = z.object({ persona: noTemplateSchema });

function warnOfMissingMessages({ interactions }: RecordForm): RowWarning[] {
  return interactions.flatMap(({ chat }, index): RowWarning[] => {
    const field = `interactions[${index}].chat`;
    if (chat.length > 0) return listEmptyMessages(chat, field);
    const message = 'expected at least one message, found an empty list.';
    return [{ rule: 'field-form', field, message, known: true }];
  });
}

/**
 * Warns of values that are not on the paper's lists, from which they are drawn (table 5) or chosen (table 7). Other models may add to the
 * lists.
 */
function warnOfUnknownWords({ persona, context_factors: factors, sessions }: RecordForm): RowWarning[] {
  const { factor_types, task_types, preference_types } = PAPER_TAXONOMY;
  const attributes: ListedWords[] = [
    ['persona.career_level', [persona.career_level], CAREER_LEVELS],
    ['persona.decision_making_styles', [persona.decision_making_styles], DECISION_MAKING_STYLES],
    ['persona.personality_traits', persona.personality_traits, LEVELS_OF_TRAITS],
    ['persona.personal_values', persona.personal_values, PERSONAL_VALUES],
  ];
  const types = [
    ...factors.flatMap((factor, index): ListedWords[] => [
      [`context_factors[${index}].factor_type`, [factor.factor_type], factor_types],
      [`context_factors[${index}].preference_type`, [factor.preference_type], preference_types],
      [`context_factors[${index}].task_types`, factor.task_types, task_types],
    ]),
    ...sessions.map((session, index): ListedWords => {
      return [`sessions[${index}].task_type`, [session.task_type], task_types];
    }),
  ];
  return [
    ...(isReady({ persona }) ? [] : attributes.flatMap(warnOfUnknown)),
    ...types.flatMap(warnOfUnknown).map((warning) => ({ ...warning, isOwnType: true })),
  ];
}

type ListedWords = readonly [field: string, words: readonly string[], known: readonly string[]];

const LEVELS_OF_TRAITS = PERSONALITY_TRAITS.flatMap((trait) => [`High ${trait}`, `Low ${trait}`]);

/** Returns a template draws two different traits and two different values. */
function warnOfValueCount({ persona }: RecordForm): RowWarning[] {
  if (isReady({ persona })) return [];
  const pairs = {
    personality_traits: persona.personality_traits.map((trait) => trait.replace(/^(?:High|Low) /, '')),
    personal_values: persona.personal_values,
  };
  return Object.entries(pairs)
    .filter(([, words]) => words.length !== 2 || words[0] === words[1])
    .map(([name, words]) => ({
      rule: 'field-form',
      field: `persona.${name}`,
      message: `expected two different ones, found ${formatValue(words)}.`,
      known: true,
    }));
}

function warnOfUnknown([field, words, knownWords]: ListedWords): RowWarning[] {
  return words
    .filter((word) => !knownWords.includes(word))
    .map((word) => ({
      rule: 'field-form',
      field,
      message: `expected one of ${knownWords.map((knownWord) => `"${knownWord}"`).join(', ')}, found ${formatValue(word)}.`,
      known: true,
    }));
}
