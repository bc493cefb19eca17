import * as z from 'zod';
import { mapValues } from '../map-values';
import { stepSettingsSchema } from '../run/settings';
import { EVALUATION_STEP_FACTS } from '../run/step';
import { formatValue } from '../text/value-text';
import { evaluatedDataSchema, evaluationInputsSchema } from './evaluation-run';
import { dataAnalysesSchema, memorySharesSchema, rowAnalysesSchema } from './results/analyses';
import { count } from './results/figures';
import { evaluatorErrorsSchema, studyResultsSchema } from './results/studies';
import { sharedNameSchema } from './results/shared-names';
import { cellSummarySchema, resultsSummarySchema } from './results/summary';

/** Version of the form of `results.json`: a change of the form is a new number. */
export const RESULTS_FORMAT = 4;

/** Names of an evaluation's results in its folder. */
export const RESULTS = {
  summary: 'results.json',
  rows: 'results.parquet',
  text: 'results.txt',
  instances: 'instances',
} as const;

/** Origin of a part of an evaluation: `paper`, or `other (NAME)`. */
export type PaperPart = 'paper' | `other (${string})`;
const paperPartSchema = z.custom<PaperPart>(
  (value) => typeof value === 'string' && /^(?:paper|other \(.*\))$/s.test(value),
  { error: ({ input }) => `expected "paper" or "other (NAME)", found ${formatValue(input)}` },
);

/** Origins of the parts of the set-up behind a number; a part that its task does not use is absent. */
const paperSetupSchema = z.object({
  data: paperPartSchema,
  prompts: paperPartSchema,
  decomposer: paperPartSchema.optional(),
  matcher: paperPartSchema.optional(),
  judge: paperPartSchema.optional(),
});
export type PaperSetup = z.infer<typeof paperSetupSchema>;

const resultCellSchema = cellSummarySchema.extend({
  /** Parts of the set-up that are the paper's. */
  setup: paperSetupSchema,
  /** Errors of the matcher or judge behind the numbers, if a stress test was made. */
  evaluator_errors: evaluatorErrorsSchema.optional(),
  /** Names of the cell under which several models answered; absent if each name had one model. */
  shared_names: z.array(sharedNameSchema).optional(),
});
/** A cell of the results. */
export type ResultCell = z.infer<typeof resultCellSchema>;

/** Settings as they were: a reader needs no default, and ignores what a later version adds. */
const writtenSettingsSchema = z.object({
  seed: z.number().int(),
  referenceCompatible: z.boolean(),
  steps: z.object(mapValues(EVALUATION_STEP_FACTS, () => z.object(stepSettingsSchema.shape))),
});

/**
 * `results.json`: every number of an evaluation, and its basis. Fields of a later version are ignored; a field that is missing or of another type
 * is an error.
 */
export const evaluationResultsSchema = z.object({
  format: z.literal(RESULTS_FORMAT),
  /** True if the data or any model of the evaluation are simulated, so that the numbers describe no real model. */
  simulated: z.boolean(),
  data: evaluatedDataSchema,
  settings: writtenSettingsSchema,
  prompts: evaluationInputsSchema.shape.prompts.extend({
    /** Prompts that the pack lacks, taken from the built-in one. */
    built_in: z.array(z.string()),
  }),
  /** Number of instances without a prior session with the current factor and preference, for which an oracle has nothing to give. */
  without_relevant_sessions: count,
  /** In `--reference-compatible` only: answers that did not parse, and count as nothing or 0 as in the reference. */
  counted_as_zero: z
    .object({ empty_inferences: count, failed_matches: count, zero_scores: count })
    .optional(),
  /** The memory system of the context `memory`, and the tokens of its context that models see. */
  memory: z.object({ name: z.string(), budget_tokens: count, ...memorySharesSchema.shape }).optional(),
  /** SPECs, numbered from 1. */
  models: z.array(z.string()),
  evaluators: z.array(z.string()),
  /** Tokenizer behind lengths in tokens. */
  tokenizer: z.string(),
  ...resultsSummarySchema.shape,
  cells: z.array(resultCellSchema),
  analyses: z.object({
    ...rowAnalysesSchema.shape,
    ...dataAnalysesSchema.shape,
    ...studyResultsSchema.shape,
  }),
});
export type EvaluationResults = z.infer<typeof evaluationResultsSchema>;
