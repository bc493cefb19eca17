import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { PROGRAM_FOLDER } from '../../data/program-folder';
import { ERROR_TYPES } from '../../schemas/evaluation/evaluation';
import { MATCH_LABELS } from '../../schemas/matching/match-label';
import { CONTRADICTION_VERDICTS } from '../../schemas/verification/verification';
import { FACTOR_TYPES, PREFERENCE_TYPES, TASK_TYPES } from '../../schemas/dataset/factor';
import { DECISION_MAKING_STYLES, PERSONALITY_TRAITS, PERSONAL_VALUES } from '../../schemas/dataset/persona';

/** A list of texts: one per line, or separated by a slash between spaces. */
const texts = defineList(/\n+| \/\s+/);
const words = defineList(/\s+/);
/** Texts of several lines. */
const blocks = defineList(/\n---\n/);

const RESOURCES = ['notes', 'drafts', 'tables', 'code'] as const;

const worldSchema = z.strictObject({
  occupations: texts,
  topics: texts,
  troubles: texts,
  advice: texts,
  factors: z.record(z.enum(FACTOR_TYPES), texts),
});

const originSchema = z.strictObject({ places: words, she: words, he: words, surnames: words });

const sideSchema = z.strictObject({
  rules: texts,
  critiques: texts,
  asks: texts,
  praise: texts,
  shows: z.string(),
});

/** The areas of working life that personas come from. */
export const WORLDS = Object.values(readVocabulary('worlds', z.record(z.string(), worldSchema)));
export type SimulatedWorld = z.infer<typeof worldSchema>;

export const NAMES = readVocabulary(
  'names',
  z.strictObject({ origins: z.array(originSchema).min(1), open: words, places: texts }),
);
export type NameOrigin = z.infer<typeof originSchema>;

/** The parts of preferences. */
export const PREFERENCES = readVocabulary(
  'preferences',
  z.strictObject({
    subjects: texts,
    types: z.record(z.enum(PREFERENCE_TYPES), z.array(z.tuple([sideSchema, sideSchema]))),
  }),
);

/** Parts of persona descriptions, and material that users paste. */
export const PERSONA = readVocabulary(
  'persona',
  z.strictObject({
    wants: z.record(z.enum(PERSONAL_VALUES), texts),
    measures: texts,
    pains: texts,
    shows: z.record(z.enum(PERSONALITY_TRAITS.flatMap((trait) => [`High ${trait}`, `Low ${trait}`])), texts),
    thoughts: texts,
    introductions: texts,
    decides: z.record(z.enum(DECISION_MAKING_STYLES), texts),
    duties: texts,
    pastimes: texts,
    resources: z.record(z.enum(RESOURCES), blocks),
  }),
);

const STORY_PARTS = [
  ...(['openings', 'middles', 'endings', 'turningPoints', 'afterTurning'] as const),
  ...(['encounters', 'experiences', 'expectations'] as const),
];

/** Occasions of sessions, and origins of preferences. */
export const STORIES = readVocabulary('stories', z.record(z.enum(STORY_PARTS), texts));

export const REQUESTS = readVocabulary(
  'requests',
  z.strictObject({
    requests: z.record(z.enum(TASK_TYPES), texts),
    withResource: z.record(
      z.enum(TASK_TYPES),
      z.strictObject({ kind: z.enum(RESOURCES), request: z.string() }),
    ),
    details: texts,
    leads: texts,
  }),
);

/** Sentences of assistants, users, models under test and evaluators. */
export const REPLIES = readVocabulary(
  'replies',
  z.strictObject({
    assistant: defineLists(['first', 'revised', 'body', 'code', 'resource', 'closing', 'carriedOut']),
    user: defineLists(['again', 'factor', 'otherHints', 'otherPraise', 'last', 'thinking', 'lastThinking']),
    evaluation: defineLists([
      'guesses',
      'openings',
      'findings',
      'sessionAnalyses',
      ...MATCH_LABELS,
      ...ERROR_TYPES,
      'revealed',
      'nothingRevealed',
      ...CONTRADICTION_VERDICTS,
    ]),
  }),
);

function defineList(separator: RegExp) {
  return z
    .string()
    .transform((text) => text.trim().split(separator))
    .pipe(z.array(z.string().min(1)));
}

function defineLists<const Key extends string>(keys: readonly Key[]) {
  return z.record(z.enum(keys), texts);
}

/** @throws Error that names the file when it cannot be read or has another form */
function readVocabulary<Schema extends z.ZodType>(name: string, schema: Schema): z.infer<Schema> {
  const file = path.join(PROGRAM_FOLDER, 'data', 'vocabulary', `${name}.yaml`);
  const checked = schema.safeParse(parse(readFileSync(file, 'utf8')));
  if (!checked.success) throw new Error(`${file} is not valid:\n${z.prettifyError(checked.error)}`);
  return checked.data;
}
