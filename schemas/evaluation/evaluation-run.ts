import { z } from 'zod';
import { cellSchema, matcherSchema } from './evaluation';
import { HISTORY_FORMS } from './context';
import { INSTANCE_TYPES } from '../dataset/instance-type';
import { labelledPairSchema } from './labels';
import { modelSpecSchema } from '../model/model-spec-schema';
import { evaluationStepsSchema, seedSchema } from '../run/settings';
import { parametersInForceSchema } from '../run/run';

/** The inputs that are the same for every evaluation in a results folder. */
export const evaluationSettingsSchema = z.strictObject({
  /** Of calls' seeds, samples and intervals. */
  seed: seedSchema,
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
  /** Absent where the data do not say. */
  simulated: z.boolean().optional(),
});
export type EvaluatedData = z.infer<typeof evaluatedDataSchema>;

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
  /** Empty in a verification only. */
  cells: z.array(cellSchema),
  /** The model that verifies the data (paper, 3.2): its folder has a verification in place of an evaluation. */
  verifier: modelSpecSchema.optional(),
});
export type EvaluationInputs = z.infer<typeof evaluationInputsSchema>;

/** What one command has done of an evaluation. */
const todoSchema = z.object({
  cells: z.array(cellSchema),
  /** Asks no model under test: only what it has answered before is evaluated. */
  onlyStored: z.boolean(),
  /** Continues only what depends on a call that `cupid retry` retries; all else that is open stays open. */
  onlyRetried: z.boolean().default(false),
  studies: z.object({
    errors: z.object({ count: z.number().int(), labeller: modelSpecSchema }).optional(),
    /** How often a response of the sample is judged in all. */
    repeats: z.number().int().optional(),
    /** SHA-256 of the file of labelled pairs. */
    labels: z.string().optional(),
    /** How many personas are drawn; null for all. */
    verification: z.object({ sample: z.number().int().positive().nullable() }).optional(),
  }),
});
export type Todo = z.infer<typeof todoSchema>;

/** `run.json` in an evaluation's folder. */
export const evaluationFileSchema = evaluationInputsSchema.extend({
  format: z.literal(1),
  codeVersion: z.string(),
  /** The engine that the run was last started on: `embedded`, or a cluster's address and namespace. */
  engine: z.string(),
  state: z.enum(['running', 'finished']),
  /** The work of the last command, under the name that stored files have for it. */
  told: todoSchema,
  simulated: z.boolean(),
  /** By step and model; present once finished. */
  parameters: parametersInForceSchema.optional(),
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
  given: z.enum(HISTORY_FORMS),
};

/** A response to be judged again. */
const repeatsWorkSchema = z.object({
  kind: z.literal('repeats'),
  ...trialKeyShape,
  judge: z.number().int().positive(),
  /** How often the response is judged in total, including the first time. */
  times: z.number().int().min(2),
  /** Which of the trial's answers is the response. */
  response: z.string(),
});
type RepeatsWork = z.infer<typeof repeatsWorkSchema>;

/** An inference whose kind of error is to be named. */
const errorWorkSchema = z.object({
  kind: z.literal('error'),
  ...trialKeyShape,
  labeller: z.number().int().positive(),
  /** Which of the trial's answers is the inference. */
  inference: z.string(),
});
type ErrorWork = z.infer<typeof errorWorkSchema>;

/** A pair that people labelled, to be matched. */
const pairWorkSchema = z.object({
  kind: z.literal('pair'),
  /** Made of its texts, so that it is the same pair in whatever file and line it stands. */
  id: z.string(),
  preference: z.string(),
  checklist: z.array(z.string()),
  matcher: z.object({ number: z.number().int().positive(), form: matcherSchema.shape.form }),
});
export type PairWork = z.infer<typeof pairWorkSchema>;

/** A persona whose instances are verified. */
const verificationWorkSchema = z.object({
  kind: z.literal('verification'),
  /** The rows of its instances. */
  rows: z.array(z.number().int().positive()).min(1),
  verifier: z.number().int().positive(),
  /** 2 for the repeated sample, which shows how far the verifier agrees with itself. */
  time: z.union([z.literal(1), z.literal(2)]),
  /** How many calls of each kind its questions take (rules/verification/questions.ts): one for all, or for each request. */
  expressions: z.number().int(),
  guesses: z.number().int(),
  contradictions: z.number().int(),
});
export type VerificationWork = z.infer<typeof verificationWorkSchema>;

/** One piece of what is looked at beside the scores. The texts of a pair are read by its id. */
export type StudyWork =
  | RepeatsWork
  | ErrorWork
  | Omit<PairWork, 'preference' | 'checklist'>
  | VerificationWork;

/** What is looked at beside the scores, as it was drawn when it was last asked for; each with calls of its own. */
export const studiesSchema = z.object({
  /** Of each cell `count` inferences with an F1 below 0.2, and who names the kinds of their errors. */
  errors: z
    .object({
      count: z.number().int().positive(),
      labeller: modelSpecSchema,
      /** The rows that were drawn, by all that distinguishes one from another: a sample of each cell, independent of the other cells. */
      drawn: z.array(z.string()),
      work: z.array(errorWorkSchema),
    })
    .optional(),
  /** A sample of responses, each judged `times` times in all. */
  repeats: z.object({ times: z.number().int().min(2), work: z.array(repeatsWorkSchema) }).optional(),
  /** Preference-checklist pairs with people's labels, to compare the matchers with. */
  labels: z
    .object({
      source: z.string(),
      sha256: z.string(),
      pairs: z.array(labelledPairSchema),
      work: z.array(pairWorkSchema),
    })
    .optional(),
  /** The personas that are verified, and a sample of them once more. */
  verification: z
    .object({ sample: z.number().int().positive().nullable(), work: z.array(verificationWorkSchema) })
    .optional(),
});
export type Studies = z.infer<typeof studiesSchema>;
export type StudyKind = keyof Studies;
export const STUDY_KINDS: readonly StudyKind[] = ['errors', 'repeats', 'labels', 'verification'];
