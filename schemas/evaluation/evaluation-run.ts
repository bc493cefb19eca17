import * as z from 'zod';
import { cellSchema } from './evaluation';
import { INSTANCE_TYPES } from '../dataset/instance-type';
import type { Split } from '../dataset/split';
import { memorySchema } from './memory';
import { askedStudiesSchema } from './studies';
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
  argument: z.string(),
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

/** The part of an evaluation that one command carries out. */
const todoSchema = z.object({
  cells: z.array(cellSchema),
  /** Asks no model under test: only stored answers are evaluated. */
  onlyStored: z.boolean(),
  /** Continues only work that depends on a call that `cupid retry` retries; other open work stays open. */
  onlyRetried: z.boolean(),
  studies: askedStudiesSchema,
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
  todo: todoSchema,
  simulated: z.boolean(),
  /** By step and model; present once finished. */
  parameters: parametersInForceSchema.optional(),
});
export type EvaluationFile = z.infer<typeof evaluationFileSchema>;

/** Number of rows in a file of stored instances: some two megabytes of dialogues. Fillers are drawn file by file, so it decides which. */
export const ROWS_PER_FILE = 100;

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
export interface SplitRow extends NumberedRow {
  readonly split: Split;
}
