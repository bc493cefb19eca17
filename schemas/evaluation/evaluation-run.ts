import * as z from 'zod';
import { cellSchema, chosenPersonasSchema, matcherSchema } from './evaluation';
import { HISTORY_FORMS } from './context';
import { INSTANCE_TYPES } from '../dataset/instance-type';
import type { Split } from '../dataset/split';
import { labelledPairSchema } from '../matching/labelled-pair';
import { memorySchema } from './memory';
import { STRESS_KINDS } from './stress';
import { modelSpecSchema } from '../model/model-spec-schema';
import { FOLDER_FORMAT } from '../run/folder-format';
import { evaluationStepsSchema, seedSchema } from '../run/settings';
import { parametersInForceSchema } from '../run/run';

/** Inputs that are the same for every evaluation in a results folder. */
export const evaluationSettingsSchema = z.strictObject({
  /** Seed of calls, samples and intervals. */
  seed: seedSchema,
  /** Whether answers are parsed and added up as in the reference program; nothing is asked twice then. */
  referenceCompatible: z.boolean().default(false),
  steps: evaluationStepsSchema,
});
export type EvaluationSettings = z.infer<typeof evaluationSettingsSchema>;

/** A data set as it was when a command read it. */
const dataStateSchema = z.object({
  /** As given on the command line. */
  given: z.string(),
  /** The file, or `hub:owner/name@commit`. */
  source: z.string(),
  commit: z.string().optional(),
  files: z.array(z.object({ name: z.string(), sha256: z.string() })),
  sha256: z.string(),
  instances: z.number().int(),
  /** Absent if the data do not say. */
  simulated: z.boolean().optional(),
});

/** The evaluated data set, as it was when its rows were last stored. */
export const evaluatedDataSchema = dataStateSchema.extend({
  /** Its earlier states, oldest first; absent while it has not changed. */
  earlier: z.array(dataStateSchema).optional(),
});
export type EvaluatedData = z.infer<typeof evaluatedDataSchema>;

/** Inputs of an evaluation, including later additions. */
export const evaluationInputsSchema = z.object({
  kind: z.literal('evaluation'),
  id: z.string(),
  data: evaluatedDataSchema,
  settings: evaluationSettingsSchema,
  prompts: z.object({ source: z.string(), hash: z.string() }),
  /** The models under test, numbered from 1; the list only grows, because journal keys contain the numbers. */
  models: z.array(modelSpecSchema),
  /** Every model that decomposes, matches, judges or labels, numbered from 1; the list only grows. */
  evaluators: z.array(modelSpecSchema),
  /** Empty in a pure verification. */
  cells: z.array(cellSchema),
  /** The memory system of cells with context `memory`. */
  memory: memorySchema.optional(),
  /** Ids of the personas of each list that a selection names, sorted. */
  lists: z.record(z.string(), z.array(z.string())).optional(),
  /** The model that verifies the data (paper, 3.2); its folder has a verification instead of an evaluation. */
  verifier: modelSpecSchema.optional(),
});
export type EvaluationInputs = z.infer<typeof evaluationInputsSchema>;

/** The personas to verify: a sample of so many of the chosen ones; null for all. */
const verificationRequestSchema = z.object({
  sample: z.number().int().positive().nullable(),
  ...chosenPersonasSchema.shape,
});
export type VerificationRequest = z.infer<typeof verificationRequestSchema>;

/** The part of an evaluation that one command carries out. */
const todoSchema = z.object({
  cells: z.array(cellSchema),
  /** Asks no model under test: only stored answers are evaluated. */
  onlyStored: z.boolean(),
  /** Continues only work that depends on a call that `cupid retry` retries; other open work stays open. */
  onlyRetried: z.boolean(),
  studies: z.object({
    errors: z.object({ count: z.number().int(), labeller: modelSpecSchema }).optional(),
    /** Number of times that a sampled response is judged, in total. */
    repeats: z.number().int().optional(),
    /** SHA-256 of the file of labelled pairs. */
    labels: z.string().optional(),
    /** Number of personas in the sample. */
    stress: z.number().int().positive().optional(),
    misapplication: z.literal(true).optional(),
    verification: verificationRequestSchema.optional(),
  }),
});
export type Todo = z.infer<typeof todoSchema>;

/** `run.json` in an evaluation's folder. */
export const evaluationFileSchema = evaluationInputsSchema.extend({
  format: z.literal(FOLDER_FORMAT),
  codeVersion: z.string(),
  /** The engine that the run was last started on: `embedded`, or a cluster's address and namespace. */
  engine: z.string(),
  state: z.enum(['running', 'finished']),
  /** The work of the last command, under its name in stored files. */
  told: todoSchema,
  simulated: z.boolean(),
  /** By step and model; present once finished. */
  parameters: parametersInForceSchema.optional(),
});
export type EvaluationFile = z.infer<typeof evaluationFileSchema>;

/** Index of the stored instances, in the order of the data set's rows. */
export const indexedInstanceSchema = z.object({
  persona_id: z.string(),
  instance_type: z.enum(INSTANCE_TYPES),
  /** Absent in the first state of a data set, whose rows are numbered from 1. */
  number: z.number().int().positive().optional(),
});
/** A row of the evaluated data set by its number, which it keeps when the data change, because journal keys contain it. */
export interface NumberedRow extends z.infer<typeof indexedInstanceSchema> {
  readonly number: number;
}
/** A row of the evaluated data set, with the split of its persona, which is computed anew. */
export interface IndexedInstance extends NumberedRow {
  readonly split: Split;
}

const trialKeyShape = {
  instance: z.number().int().positive(),
  model: z.number().int().positive(),
  given: z.enum(HISTORY_FORMS),
};

const responseShape = {
  ...trialKeyShape,
  judge: z.number().int().positive(),
  /** Reference to the response among the trial's answers. */
  response: z.string(),
};

/** A response to be judged again. */
const repeatsWorkSchema = z.object({
  kind: z.literal('repeats'),
  ...responseShape,
  /** Number of times that the response is judged in total, including the first time. */
  times: z.number().int().min(2),
});
type RepeatsWork = z.infer<typeof repeatsWorkSchema>;

/** A response to be judged on the preference and the checklist of another row with the same request. */
const crossedWorkSchema = z.object({
  kind: z.literal('crossed'),
  ...responseShape,
  /** The other row. */
  on: z.number().int().positive(),
});
export type CrossedWork = z.infer<typeof crossedWorkSchema>;

/** A response to a contrastive row, to be judged on the preference of the contrastive context, which does not apply. */
const misappliedWorkSchema = z.object({ kind: z.literal('misapplied'), ...responseShape });
type MisappliedWork = z.infer<typeof misappliedWorkSchema>;

/** An inference whose error is to be classified. */
const errorWorkSchema = z.object({
  kind: z.literal('error'),
  ...trialKeyShape,
  labeller: z.number().int().positive(),
  /** Reference to the inference among the trial's answers. */
  inference: z.string(),
});
type ErrorWork = z.infer<typeof errorWorkSchema>;

/** A labelled pair that is to be matched. */
const pairWorkSchema = z.object({
  kind: z.literal('pair'),
  /** Derived from its texts, so that the pair is the same in any file and line. */
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
  /** 2 for the repeated sample, which shows the verifier's agreement with itself. */
  time: z.union([z.literal(1), z.literal(2)]),
  /** Number of calls of each kind for its questions (rules/method/verification-questions.ts): one for all, or one for each request. */
  expressions: z.number().int(),
  guesses: z.number().int(),
  contradictions: z.number().int(),
});
export type VerificationWork = z.infer<typeof verificationWorkSchema>;

/** One piece of a study. The texts of a pair are read by its id. */
export type StudyWork =
  | RepeatsWork
  | CrossedWork
  | MisappliedWork
  | ErrorWork
  | Omit<PairWork, 'preference' | 'checklist'>
  | VerificationWork;

/** Studies besides the scores, as sampled by the last command that asked for them; each has calls of its own. */
export const studiesSchema = z.object({
  /** Errors of `count` inferences per cell with an F1 below 0.2, and the model that classifies them. */
  errors: z
    .object({
      count: z.number().int().positive(),
      labeller: modelSpecSchema,
      /** The sampled rows, by everything that identifies them: one sample per cell, independent of the other cells. */
      drawn: z.array(z.string()),
      work: z.array(errorWorkSchema),
    })
    .optional(),
  /** A sample of responses, each judged `times` times in total. */
  repeats: z.object({ times: z.number().int().min(2), work: z.array(repeatsWorkSchema) }).optional(),
  /** Preference-checklist pairs with people's labels, for comparison with the matchers. */
  labels: z
    .object({
      source: z.string(),
      sha256: z.string(),
      pairs: z.array(labelledPairSchema),
      work: z.array(pairWorkSchema),
    })
    .optional(),
  /** Preferences and responses whose truth is known, of the first `count` personas that are drawn. */
  stress: z
    .object({
      count: z.number().int().positive(),
      /** Each preference that is matched with the true checklist of its persona, and the pair that they make. */
      cases: z.array(z.object({ persona_id: z.string(), kind: z.enum(STRESS_KINDS), pair: z.string() })),
      /** The tested judges, also those without a response to test them on. */
      judges: z.array(z.number().int().positive()),
      work: z.array(z.discriminatedUnion('kind', [pairWorkSchema, crossedWorkSchema])),
    })
    .optional(),
  /** Responses to contrastive rows. */
  misapplication: z
    .object({
      /** Number of responses whose contrastive preference the data set does not show. */
      lacking: z.number().int(),
      work: z.array(misappliedWorkSchema),
    })
    .optional(),
  /** The verified personas, and a sample that is verified twice. */
  verification: z
    .object({ ...verificationRequestSchema.shape, work: z.array(verificationWorkSchema) })
    .optional(),
});
export type Studies = z.infer<typeof studiesSchema>;
export type StudyKind = keyof Studies;
export const STUDY_KINDS: readonly StudyKind[] = [
  'errors',
  'repeats',
  'labels',
  'stress',
  'misapplication',
  'verification',
];
