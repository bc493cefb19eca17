import * as z from 'zod';
import { intervalSchema } from '../../dataset/data-figures';
import { INSTANCE_TYPES } from '../../dataset/instance-type';
import { EVALUATION_STEPS } from '../../run/step';
import { count, differenceSchema } from './figures';
import { cellKeySchema, evaluatorNameSchema, settingSchema } from './keys';

const missingCountSchema = z.object({
  step: z.enum(EVALUATION_STEPS).nullable(),
  /** `bad-answers`, the kind of a model error, or `unexpected`. */
  kind: z.string().nullable(),
  count,
});
export type MissingCount = z.infer<typeof missingCountSchema>;

/** Number of instances of a cell by state; together all rows of the cell. */
const instanceCountsSchema = z.object({
  scored: count,
  /** The history was too long for the model under test: counted as nothing matched, or as score 0. */
  context_length: count,
  /** No score, because a call gave no usable answer. Not part of any average. */
  missing: count,
  /** Not evaluated yet. Not part of any average. */
  open: count,
  /** The missing ones by failed step and reason, in the order of the steps. */
  missing_by: z.array(missingCountSchema),
});
export type InstanceCounts = z.infer<typeof instanceCountsSchema>;

/**
 * Averages of inference, from 0 to 1. All but the count are null if no instance counts; the precision also if nothing was inferred. The first
 * seven have the reference program's names. As in the paper's tables 1, 9 and 11, `f1` is the harmonic mean of the precision and the recall beside
 * it. The mean of the instances' F1 would differ.
 */
const inferenceAveragesSchema = z.object({
  /** Micro: matched entries of all inferred checklists, divided by their entries. */
  precision: z.number().nullable(),
  /** Micro: matched entries of all true checklists, divided by their entries. */
  recall: z.number().nullable(),
  /** Harmonic mean of the two. */
  f1: z.number().nullable(),
  /** Sums of the labels' scores: 1, 0.5 or 0 per entry. */
  n_true_matched: z.number().nullable(),
  n_predicted_matched: z.number().nullable(),
  /** Entries. */
  n_true: count.nullable(),
  n_predicted: count.nullable(),
  /** Instances that count: scored, or too long for the model. */
  n_instances: count,
  /** Means over instances of the instances' own scores (paper, 2.3, taken literally). */
  macro: z.object({
    precision: z.number().nullable(),
    recall: z.number().nullable(),
    f1: z.number().nullable(),
  }),
});
export type InferenceAverages = z.infer<typeof inferenceAveragesSchema>;

/** The average of generation, under the reference program's names. */
const generationAveragesSchema = z.object({
  /** Mean of the judge's scores, 1 to 10, with 0 if the history was too long; null if no instance counts. */
  average_score: z.number().nullable(),
  /** Instances that count: scored, or too long for the model. */
  n_instances: count,
});
export type GenerationAverages = z.infer<typeof generationAveragesSchema>;

/** Averages of choice, from 0 to 1; each is null if nothing counts for it. */
const choiceAveragesSchema = z.object({
  /** Share of right choices. */
  accuracy: z.number().nullable(),
  /** Accuracy of a blind guess. */
  chance: z.number().nullable(),
  /**
   * Share of personas with both the consistent and the changing row right. Without the history both are the same request, so a model that answers
   * the same request the same way has 0. One that draws each answer anew is right in both by chance.
   */
  paired_accuracy: z.number().nullable(),
  /** Paired accuracy of blind guesses, each drawn anew: 1/16 for four options. */
  paired_chance: z.number().nullable(),
  n_pairs: count,
  /** Share of these personas with the contrastive row right as well. */
  triple_accuracy: z.number().nullable(),
  n_triples: count,
  /** Shares of all choices: the preference before the change, the contrastive one, another one. */
  errors: z.object({ stale: z.number(), wrong_context: z.number(), other: z.number() }).nullable(),
  /** Instances that count: scored, or too long for the model, which counts as not right. */
  n_instances: count,
});
export type ChoiceAverages = z.infer<typeof choiceAveragesSchema>;

/**
 * A 95 % interval; null where the average is null, or fewer than two personas have something that counts for it. Where all personas have the same
 * value, so that resamples do not differ, it is Wilson's for none of these personas.
 */
const averageIntervalSchema = intervalSchema.nullable();

/** The results of a group of instances in a cell; null for the tasks that are not the cell's. */
const groupSummarySchema = z.object({
  counts: instanceCountsSchema,
  /** Personas with instances that count, on which the intervals rest. */
  n_personas: count,
  inference: inferenceAveragesSchema
    .extend({
      intervals: z.object({
        precision: averageIntervalSchema,
        recall: averageIntervalSchema,
        f1: averageIntervalSchema,
        macro_f1: averageIntervalSchema,
      }),
    })
    .nullable(),
  generation: generationAveragesSchema
    .extend({ intervals: z.object({ average_score: averageIntervalSchema }) })
    .nullable(),
  choice: choiceAveragesSchema
    .extend({
      intervals: z.object({
        accuracy: averageIntervalSchema,
        paired_accuracy: averageIntervalSchema,
        triple_accuracy: averageIntervalSchema,
      }),
    })
    .nullable(),
});
export type GroupSummary = z.infer<typeof groupSummarySchema>;

export const cellSummarySchema = cellKeySchema.extend({
  /** Over all instances. */
  all: groupSummarySchema,
  /** By instance type; types without rows are left out. */
  by_type: z.partialRecord(z.enum(INSTANCE_TYPES), groupSummarySchema),
});
export type CellSummary = z.infer<typeof cellSummarySchema>;

/** Values of one cell minus those of another, over the instances that count for both. Values of other tasks are null. */
const differencesSchema = z.object({
  /** Difference of the micro F1, from -1 to 1. */
  f1: differenceSchema.nullable(),
  /** Difference of the mean of the instances' own F1, from -1 to 1. */
  macro_f1: differenceSchema.nullable(),
  /** Difference of the mean score, in points of the judge's scale. */
  average_score: differenceSchema.nullable(),
  /** Differences of the accuracy and of the paired accuracy of a choice, from -1 to 1; the latter is null without pairs. */
  accuracy: differenceSchema.nullable(),
  paired_accuracy: differenceSchema.nullable(),
  /** Instances that count for both, and their personas; without any, all values are null. */
  n_instances: count,
  n_personas: count,
  /** Personas whose pair counts for both, behind the paired accuracy; null for other tasks. */
  n_pairs: count.nullable(),
});
export type Differences = z.infer<typeof differencesSchema>;

/** Two models in one setting. */
const modelDifferenceSchema = settingSchema.extend({
  model: z.string(),
  other: z.string(),
  ...differencesSchema.shape,
});
export type ModelDifference = z.infer<typeof modelDifferenceSchema>;

/** One model, given two forms of the history. */
const contextDifferenceSchema = cellKeySchema.extend({
  other: cellKeySchema.shape.context,
  ...differencesSchema.shape,
});
export type ContextDifference = z.infer<typeof contextDifferenceSchema>;

/** The reference program's sums, under its names; null for a task that was not run or kept no instance. */
const referenceSumsSchema = z.object({
  inference: inferenceAveragesSchema.omit({ macro: true }).nullable(),
  generation: generationAveragesSchema.nullable(),
  /** Instances dropped from both tasks because of a failed or outstanding call. */
  n_dropped: count,
});
export type ReferenceSums = z.infer<typeof referenceSumsSchema>;

/** The reference program's sums for one model, in the form of its results files: both tasks together. */
const referenceResultsSchema = cellKeySchema.pick({ model: true, context: true }).extend({
  /** Matcher and decomposer; null if only generation was run. */
  matcher: evaluatorNameSchema.extend({ decomposer: settingSchema.shape.decomposer }).nullable(),
  /** The judge; null if only inference was run. */
  judge: z.string().nullable(),
  ...referenceSumsSchema.shape,
});
export type ReferenceResults = z.infer<typeof referenceResultsSchema>;

/** Parameters of resampling: the same seed gives the same resamples. */
const resamplingSchema = z.object({ seed: z.number().int(), resamples: count });
export type Resampling = z.infer<typeof resamplingSchema>;

/** The scores: every number follows from the rows of `results.parquet` and these settings. */
export const resultsSummarySchema = z.object({
  /** Settings of the intervals: 95 %, between percentiles of resamples that draw whole personas (`persona_id`). */
  bootstrap: resamplingSchema,
  /** In order of task, model, context, evaluator, its form, decomposer. */
  cells: z.array(cellSummarySchema),
  /** Every two models in the same setting, over the instances that count for both. */
  differences: z.array(modelDifferenceSchema),
  /** Every two contexts of one model, over the instances that count in both. */
  context_differences: z.array(contextDifferenceSchema),
  /** The reference program's sums, on request. */
  reference_compatible: z.array(referenceResultsSchema).optional(),
});
export type ResultsSummary = z.infer<typeof resultsSummarySchema>;
