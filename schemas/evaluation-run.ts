import { z } from 'zod';
import { cellSchema, GIVENS, matcherSchema } from './evaluation';
import { INSTANCE_TYPES } from './instance';
import { modelSpecSchema } from './model-spec';
import { evaluationStepsSchema } from './settings';

/** What stays as it was for all that is evaluated into a folder. */
export const evaluationSettingsSchema = z.strictObject({
  /** Of calls' seeds, samples and intervals. */
  seed: z
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(42),
  /** The reference program's own parsing and sums in place of ours; nothing is asked twice. */
  referenceCompatible: z.boolean().default(false),
  steps: evaluationStepsSchema,
});
export type EvaluationSettings = z.infer<typeof evaluationSettingsSchema>;

/** The data set that is evaluated on, as it was when the folder was begun. */
export const evaluatedDataSchema = z.object({
  /** As it was named on the command line. */
  given: z.string(),
  /** The file, or `hub:owner/name@commit`. */
  source: z.string(),
  commit: z.string().optional(),
  files: z.array(z.object({ name: z.string(), sha256: z.string() })),
  sha256: z.string(),
  instances: z.number().int(),
  /** Absent where the data do not tell. */
  simulated: z.boolean().optional(),
});
export type EvaluatedData = z.infer<typeof evaluatedDataSchema>;

/** What is looked at beside the scores, each with calls of its own; numbers are those of the last command. */
export const studiesSchema = z.object({
  /** Inferences with an F1 below 0.2 to be labelled by their kind of error, of each model, and who labels them. */
  errors: z.object({ count: z.number().int().positive(), labeller: modelSpecSchema }).optional(),
  /** How often each of a sample of responses is judged in all. */
  judgeRepeats: z.number().int().min(2).optional(),
  /** Preference-checklist pairs with people's labels, to compare the matchers with. */
  labels: z.object({ source: z.string(), sha256: z.string(), pairs: z.number().int().positive() }).optional(),
});
export type Studies = z.infer<typeof studiesSchema>;

/** What an evaluation was begun with, and has grown to. */
export const evaluationInputsSchema = z.object({
  kind: z.literal('evaluation'),
  id: z.string(),
  data: evaluatedDataSchema,
  settings: evaluationSettingsSchema,
  prompts: z.object({ source: z.string(), hash: z.string() }),
  /** The models under test, numbered from 1: journal keys hold these numbers, so the list only grows. */
  models: z.array(modelSpecSchema),
  /** Every model that decomposes, matches, judges or labels, numbered from 1; the list only grows. */
  evaluators: z.array(modelSpecSchema),
  cells: z.array(cellSchema).min(1),
  studies: studiesSchema,
});
export type EvaluationInputs = z.infer<typeof evaluationInputsSchema>;

/** `run.json` in an evaluation's folder. */
export const evaluationFileSchema = evaluationInputsSchema.extend({
  format: z.literal(1),
  codeVersion: z.string(),
  /** The engine that was told of the run last: `embedded`, or a cluster's address and namespace. */
  engine: z.string(),
  state: z.enum(['running', 'finished']),
  /** Present when the engine was told to ask no model under test. */
  onlyStored: z.literal(true).optional(),
  simulated: z.boolean(),
});
export type EvaluationFile = z.infer<typeof evaluationFileSchema>;

/** What the index of the stored instances says of each, in order of the data set's rows. */
export const indexedInstanceSchema = z.object({
  persona_id: z.string(),
  instance_type: z.enum(INSTANCE_TYPES),
});
export type IndexedInstance = z.infer<typeof indexedInstanceSchema>;

const trialKeyShape = {
  instance: z.number().int().positive(),
  model: z.number().int().positive(),
  given: z.enum(GIVENS),
};

/** One piece of a study: a response to be judged again, an inference whose error is to be named, a pair to be matched. */
export const studyWorkSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('repeats'),
    ...trialKeyShape,
    judge: z.number().int().positive(),
    /** How often the response is judged in all: once it was already. */
    times: z.number().int().min(2),
    /** Which of the trial's answers is the response. */
    response: z.string(),
  }),
  z.object({
    kind: z.literal('error'),
    ...trialKeyShape,
    labeller: z.number().int().positive(),
    /** Which of the trial's answers is the inference. */
    inference: z.string(),
  }),
  z.object({
    kind: z.literal('pair'),
    pair: z.number().int().positive(),
    matcher: z.object({ number: z.number().int().positive(), form: matcherSchema.shape.form }),
  }),
]);
export type StudyWork = z.infer<typeof studyWorkSchema>;
