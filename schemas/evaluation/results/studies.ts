import * as z from 'zod';
import { shareSchema } from '../../dataset/data-figures';
import { ERROR_TYPES } from '../evaluation';
import { STRESS_KINDS } from '../stress';
import { correlationSchema, count, labelAgreementSchema, scoreAgreementSchema } from './figures';
import { answerKeySchema, cellKeySchema, evaluatorNameSchema, settingSchema } from './keys';

const errorTypeSchema = z.enum(ERROR_TYPES);

/** Types of errors in one cell (table 2). */
const errorSharesSchema = cellKeySchema.extend({
  n_labeled: count,
  n_missing: count,
  /** All types, in the order of the table. Shares are of the labeled inferences, from 0 to 1; null if there are none. */
  types: z.array(z.object({ type: errorTypeSchema, count, share: z.number().nullable() })),
});
export type ErrorShares = z.infer<typeof errorSharesSchema>;

/** An inference, and the kind of its error; null if the labeler gave no usable answer. */
const labelledInferenceSchema = answerKeySchema.extend({
  evaluator: settingSchema.shape.evaluator,
  evaluator_form: settingSchema.shape.evaluator_form,
  decomposer: settingSchema.shape.decomposer,
  labeler: z.string(),
  type: errorTypeSchema.nullable(),
  explanation: z.string().nullable(),
});

const errorResultsSchema = z.object({
  error_types: z.array(errorSharesSchema),
  labeled_errors: z.array(labelledInferenceSchema),
});
export type ErrorResults = z.infer<typeof errorResultsSchema>;

/** Agreement of one judge with itself. Responses with fewer than two scores count only in `n_missing`. */
const judgeReliabilitySchema = z.object({
  evaluator: z.string(),
  n_responses: count,
  /** Judgings without a score, over all responses. */
  n_missing: count,
  /** Mean over responses of the standard deviation (n − 1) of a response's scores. */
  mean_deviation: z.number().nullable(),
  /** Highest minus lowest score of a response: mean and maximum over responses. */
  mean_range: z.number().nullable(),
  largest_range: z.number().nullable(),
  alpha: scoreAgreementSchema,
  /** Correlation of a response's tokens with its mean score, over responses with known tokens. */
  score_and_length: correlationSchema,
});
export type JudgeReliability = z.infer<typeof judgeReliabilitySchema>;

/** A response, and its scores from one judge, beginning with the counted one; null for a judgment without a score. */
const repeatedJudgementsSchema = answerKeySchema.extend({
  evaluator: z.string(),
  scores: z.array(z.number().nullable()),
  response_tokens: count.nullable(),
});
export type RepeatedJudgements = z.infer<typeof repeatedJudgementsSchema>;

const repeatResultsSchema = z.object({
  judge_reliability: z.array(judgeReliabilitySchema),
  repeated_scores: z.array(repeatedJudgementsSchema),
});
export type RepeatResults = z.infer<typeof repeatResultsSchema>;

/** Agreement of matchers with human raters (paper, A.1). */
const labelAnalysisSchema = z.object({
  n_pairs: count,
  n_entries: count,
  /** Pairs in which no entry has a majority among the raters. */
  n_pairs_dropped: count,
  n_entries_dropped: count,
  /** Agreement among the raters, over all entries. */
  raters: z.object({ alpha: labelAgreementSchema }),
  /** Agreement of each matcher with the majority, over entries that have one and that the matcher labeled. */
  matchers: z.array(
    evaluatorNameSchema.extend({
      alpha: labelAgreementSchema,
      n_entries: count,
      n_entries_missing: count,
    }),
  ),
});
export type LabelAnalysis = z.infer<typeof labelAnalysisSchema>;

const labelResultsSchema = z.object({ human_labels: labelAnalysisSchema });
export type LabelResults = z.infer<typeof labelResultsSchema>;

/** How often an evaluator is wrong about answers of known truth, with 95 % intervals by persona; null without such answers. */
export const evaluatorErrorsSchema = z.object({
  /** Share of the wrong answers that it accepts. */
  false_acceptance_rate: shareSchema.nullable(),
  /** Share of the right answers that it does not accept. */
  false_rejection_rate: shareSchema.nullable(),
});
export type EvaluatorErrors = z.infer<typeof evaluatorErrorsSchema>;

/** Answers of one kind. */
const stressKindResultSchema = z.object({
  kind: z.enum(STRESS_KINDS),
  n_answers: count,
  /** Answers without a usable value. */
  n_missing: count,
  /** Personas of the sample without such an answer, because the data or the responses lack it. */
  n_lacking: z.number().int(),
  acceptance_rate: shareSchema.nullable(),
  /** Mean recall, from 0 to 1, or mean score, from 1 to 10. */
  mean: z.number().nullable(),
});
export type StressKindResult = z.infer<typeof stressKindResultSchema>;

/** Stress test of each matcher and judge. */
const stressAnalysisSchema = z.object({
  /** Personas asked for, and those in the sample: the data may have fewer. */
  n_requested: count,
  n_personas: count,
  evaluators: z.array(
    evaluatorNameSchema.extend({ ...evaluatorErrorsSchema.shape, kinds: z.array(stressKindResultSchema) }),
  ),
});
export type StressAnalysis = z.infer<typeof stressAnalysisSchema>;

/** An answer whose truth is known, and its value: a matcher's recall or a judge's score; null without a usable answer. */
const stressValueSchema = evaluatorNameSchema.extend({
  persona_id: z.string(),
  kind: z.enum(STRESS_KINDS),
  value: z.number().nullable(),
});
export type StressValue = z.infer<typeof stressValueSchema>;

/** Errors of matchers and judges, and their basis. */
const stressResultsSchema = z.object({
  stress: stressAnalysisSchema,
  stress_values: z.array(stressValueSchema),
});
export type StressResults = z.infer<typeof stressResultsSchema>;

/** How far a model's responses follow a preference that belongs to another context. */
const misapplicationSchema = cellKeySchema.extend({
  n_responses: count,
  /** Responses without a usable score. */
  n_missing: count,
  /** Share of responses that a judge would accept on the preference that does not apply, with its interval by persona. */
  rate: shareSchema.nullable(),
  /** Mean scores of these responses, on the preference that does not apply and on the true one. */
  mean: z.number().nullable(),
  true_mean: z.number().nullable(),
});
export type Misapplication = z.infer<typeof misapplicationSchema>;

const misapplicationResultsSchema = z.object({
  misapplication: z.array(misapplicationSchema),
  /** Number of scored responses to contrastive rows whose contrastive preference the data set does not show. */
  missing_contrasts: count,
});
export type MisapplicationResults = z.infer<typeof misapplicationResultsSchema>;

/** Results of the studies; each is present once it is finished. */
export const studyResultsSchema = z
  .object({
    ...errorResultsSchema.shape,
    ...repeatResultsSchema.shape,
    ...labelResultsSchema.shape,
    ...stressResultsSchema.shape,
    ...misapplicationResultsSchema.shape,
  })
  .partial();
export type StudyResults = z.infer<typeof studyResultsSchema>;
