import * as z from 'zod';
import { mapValues } from '../map-values';
import { taxonomySchema } from '../dataset/taxonomy';
import { modelSpecSchema } from '../model/model-spec-schema';
import { MOST_SESSIONS } from './journey-parts';
import { EVALUATION_STEP_FACTS, SYNTHESIS_STEP_FACTS, type StepFacts } from './step';

/** Request fields that determine what is asked, or the form of the answer. */
const RESERVED_FIELDS = [
  'model',
  'messages',
  'input',
  'system',
  'instructions',
  'contents',
  'systemInstruction',
  'stream',
  'n',
];

/** Parameters of the calls of a step. */
export const stepSettingsSchema = z.strictObject({
  /** `default`: the model's own. */
  temperature: z.union([z.number().min(0).max(2), z.literal('default')]),
  /** Maximum tokens of the visible text; room for reasoning is added. */
  maxTokens: z.number().int().positive(),
  /** Amount of reasoning, in the provider's words, such as `low`; absent: the model's default. */
  reasoningEffort: z.string().min(1).optional(),
  /** Additional fields of the requests, as the server accepts them, such as `chat_template_kwargs`. They replace fields with the same name. */
  body: z
    .record(z.string(), z.json())
    .refine((body) => RESERVED_FIELDS.every((name) => !Object.hasOwn(body, name)), {
      error: `expected other fields than ${RESERVED_FIELDS.join(', ')}, which cupid writes itself`,
    })
    .optional(),
  /** Maximum number of repairs of a sample: after a bad answer the model is asked again, with the reason. */
  maxRepairs: z.number().int().nonnegative(),
  /** Maximum number of samples, each from the bare prompt, before the persona fails. */
  maxSamples: z.number().int().positive(),
});
export type StepSettings = z.infer<typeof stepSettingsSchema>;

function buildStepSchema({ temperature, maxTokens, maxSamples }: StepFacts) {
  return stepSettingsSchema
    .partial()
    .prefault({})
    .transform((settings): StepSettings => ({
      temperature: settings.temperature ?? temperature,
      maxTokens: settings.maxTokens ?? maxTokens,
      maxRepairs: settings.maxRepairs ?? DEFAULT_REPAIRS,
      maxSamples: settings.maxSamples ?? maxSamples,
      ...(settings.reasoningEffort === undefined ? {} : { reasoningEffort: settings.reasoningEffort }),
      ...(settings.body === undefined ? {} : { body: settings.body }),
    }));
}

const DEFAULT_REPAIRS = 4;

export const DEFAULT_SEED = 42;

/** Seed of every random choice, and of the seeds that are sent with calls. */
export const seedSchema = z
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .default(DEFAULT_SEED);

/**
 * Rules that answers must keep. `strict` includes those that make instances solvable and hard to guess (`rules/quality`). `reference`: only those
 * of the reference program; `cupid validate` reports violations of the others.
 */
export const qualitySchema = z.enum(['strict', 'reference']);
export type Quality = z.infer<typeof qualitySchema>;

/** Default number of personas. */
export const DEFAULT_PERSONAS = 4;

/** Settings of a synthesis run. Together with the snapshots of seeds and prompts they make it reproducible. */
export const synthesisSettingsSchema = z.strictObject({
  seed: seedSchema,
  nPersonas: z.number().int().positive().default(DEFAULT_PERSONAS),
  nFactors: z.number().int().min(3).default(8),
  nSessions: z.number().int().min(9).max(MOST_SESSIONS).default(13),
  /** Maximum number of user messages in a dialogue, including the opening one. */
  maxTurns: z.number().int().positive().default(16),
  /**
   * Leaves out personas with a dialogue that never satisfied its user: with any such dialogue, or with one of the factors that instances are
   * about.
   */
  requireSatisfied: z.enum(['none', 'relevant', 'all']).default('none'),
  quality: qualitySchema.default('reference'),
  /** Absent for the paper's types. */
  taxonomy: taxonomySchema.optional(),
  /** Templates described by one call. */
  describeBatch: z.number().int().positive().default(4),
  models: z.strictObject({ synthesis: modelSpecSchema, user: modelSpecSchema, assistant: modelSpecSchema }),
  steps: z.strictObject(mapValues(SYNTHESIS_STEP_FACTS, buildStepSchema)).prefault({}),
  /** A dialogue ends unsatisfied after this many turns that neither scored higher nor selected another item; 0 for never. */
  stallTurns: z.number().int().nonnegative().optional(),
});
export type SynthesisSettings = z.infer<typeof synthesisSettingsSchema>;

/** File of `cupid synth --settings`: the settings that have no option. */
export const synthesisSettingsFileSchema = synthesisSettingsSchema
  .pick({ stallTurns: true, steps: true })
  .extend({ quality: qualitySchema })
  .partial();

/** Settings requested by a command. It may leave the quality to the prompts, and the number of personas to the run or the file of personas. */
export type RequestedSettings = Omit<SynthesisSettings, 'quality' | 'nPersonas'> & {
  readonly quality?: Quality | undefined;
  readonly nPersonas?: number | undefined;
};

/** Parameters of the steps of evaluation. */
export const evaluationStepsSchema = z
  .strictObject(mapValues(EVALUATION_STEP_FACTS, buildStepSchema))
  .prefault({});
export type EvaluationSteps = z.infer<typeof evaluationStepsSchema>;

/** File of `cupid eval --settings` and `cupid verify --settings`. */
export const evaluationSettingsFileSchema = z.strictObject({ steps: evaluationStepsSchema }).partial();
