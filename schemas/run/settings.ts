import { z } from 'zod';
import { mapValues } from '../map-values';
import { taxonomySchema } from '../dataset/taxonomy';
import { modelSpecSchema } from '../model/model-spec-schema';
import { EVALUATION_STEP_FACTS } from './step';

/** Fields of requests that say what is asked, or in which form the answer comes. */
const RESERVED_FIELDS = ['model', 'messages', 'system', 'contents', 'systemInstruction', 'stream', 'n'];

const askingSchema = z.strictObject({
  /** `default`: the model's own. */
  temperature: z.union([z.number().min(0).max(2), z.literal('default')]),
  /** Most tokens of the visible text; room for reasoning is added to it. */
  maxTokens: z.number().int().positive(),
  /** How much the model reasons, in its provider's words, such as `low`; absent: the model's default. */
  reasoningEffort: z.string().min(1).optional(),
  /** Further fields of the requests, as the server takes them, such as `chat_template_kwargs`; they replace fields of the same name. */
  body: z
    .record(z.string(), z.json())
    .refine((body) => RESERVED_FIELDS.every((name) => !Object.hasOwn(body, name)), {
      error: `expected other fields than ${RESERVED_FIELDS.join(', ')}, which cupid writes itself`,
    })
    .optional(),
  /** How often one sample is asked in all: once, then again after each bad answer, with the reason. */
  asks: z.number().int().positive(),
  /** How many samples are started, each from the bare prompt, before the persona fails. */
  samples: z.number().int().positive(),
});
export type StepSettings = z.infer<typeof askingSchema>;

function buildStepSchema(temperature: number, maxTokens: number, samples: number) {
  return askingSchema
    .partial()
    .prefault({})
    .transform((given): StepSettings => ({
      temperature: given.temperature ?? temperature,
      maxTokens: given.maxTokens ?? maxTokens,
      asks: given.asks ?? 5,
      samples: given.samples ?? samples,
      ...(given.reasoningEffort === undefined ? {} : { reasoningEffort: given.reasoningEffort }),
      ...(given.body === undefined ? {} : { body: given.body }),
    }));
}

/** The steps' parameters; defaults are the reference program's (the paper has 0.7 for factors). */
const stepsSchema = z
  .strictObject({
    describe: buildStepSchema(0.7, 4096, 2),
    factors: buildStepSchema(1.0, 8192, 2),
    journey: buildStepSchema(0.7, 8192, 2),
    checklist: buildStepSchema(0, 4096, 2),
    user: buildStepSchema(0.3, 8192, 2),
    assistant: buildStepSchema(0.7, 2048, 2),
  })
  .prefault({});

/** Of every random choice, and of the seeds that calls are sent with. */
export const seedSchema = z
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .default(42);

/**
 * Which rules an answer must keep. `strict`: also those that make instances solvable and hard to guess (`rules/quality`). `reference`: those of
 * the reference program; `cupid validate` reports the others.
 */
export const qualitySchema = z.enum(['strict', 'reference']);
export type Quality = z.infer<typeof qualitySchema>;

/** Personas of a run that does not say how many. */
export const DEFAULT_PERSONAS = 4;

/** What defines a synthesis run: with these and the snapshots of seeds and prompts it can be reproduced. */
export const synthesisSettingsSchema = z.strictObject({
  seed: seedSchema,
  nPersonas: z.number().int().positive().default(DEFAULT_PERSONAS),
  nFactors: z.number().int().min(3).default(8),
  nSessions: z.number().int().min(9).default(13),
  /** Most user messages of a dialogue, the opening one included. */
  maxTurns: z.number().int().positive().default(16),
  /** Leaves out personas with a dialogue that never satisfied its user: any of them, or one of the factors that instances are about. */
  requireSatisfied: z.enum(['none', 'relevant', 'all']).default('none'),
  quality: qualitySchema.default('reference'),
  /** Absent where the types are the paper's. */
  taxonomy: taxonomySchema.optional(),
  /** Templates described by one call. */
  describeBatch: z.number().int().positive().default(4),
  models: z.strictObject({ synthesis: modelSpecSchema, user: modelSpecSchema, assistant: modelSpecSchema }),
  steps: stepsSchema,
  /** A dialogue ends unsatisfied after so many turns that scored no higher and selected no other item; 0 for never. */
  stallTurns: z.number().int().nonnegative().optional(),
});
export type SynthesisSettings = z.infer<typeof synthesisSettingsSchema>;

/** The settings that a command asks for: which quality may be left to the prompts, how many personas to the run or to the file of personas. */
export type RequestedSettings = Omit<SynthesisSettings, 'quality' | 'nPersonas'> & {
  readonly quality?: Quality | undefined;
  readonly nPersonas?: number | undefined;
};

/** How the steps of evaluation ask: temperature 0 throughout. */
export const evaluationStepsSchema = z
  .strictObject(
    mapValues(EVALUATION_STEP_FACTS, ({ maxTokens, samples }) => buildStepSchema(0, maxTokens, samples)),
  )
  .prefault({});
export type EvaluationSteps = z.infer<typeof evaluationStepsSchema>;
