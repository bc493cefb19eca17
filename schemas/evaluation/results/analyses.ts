import * as z from 'zod';
import { dataFiguresSchema, shareSchema } from '../../dataset/data-figures';
import { INSTANCE_TYPES } from '../../dataset/instance-type';
import {
  correlationSchema,
  count,
  differenceSchema,
  labelAgreementSchema,
  numbersSchema,
  scoreAgreementSchema,
} from './figures';
import { cellKeySchema, evaluatorNameSchema, settingSchema } from './keys';

const { context, decomposer, evaluator_form: evaluatorForm } = settingSchema.shape;

const instanceTypeSchema = z.enum(INSTANCE_TYPES);
const typeOrAllSchema = z.enum([...INSTANCE_TYPES, 'all']);

/** Results of a group of instances. */
const groupMeanShape = {
  n_instances: count,
  /** Mean of the instances' F1 (inference, 0 to 1) or scores (generation, 0 to 10), or the accuracy (choice, 0 to 1). */
  mean: z.number(),
};

/** Instances whose relevant sessions have the same mean position in the history. */
const positionPointSchema = z.object({
  /** From 1, in steps of 0.5. */
  position: z.number(),
  ...groupMeanShape,
});
export type PositionPoint = z.infer<typeof positionPointSchema>;

/** The instances of one type. Positions of relevant sessions depend on the type (B.5), so types are also compared at equal positions. */
const typeResultSchema = z.object({
  instance_type: instanceTypeSchema,
  n_instances: count,
  /** From 1. */
  mean_position: z.number(),
  mean: z.number(),
  /**
   * Mean with the same weights of positions for all types: the smallest number of instances that a type has there. Null without a common position.
   */
  matched_sample: z.object({ n_instances: count, mean: z.number() }).nullable(),
});
export type TypeResult = z.infer<typeof typeResultSchema>;

const positionResultsSchema = z.object({
  points: z.array(positionPointSchema),
  /** Types without instances are left out. */
  types: z.array(typeResultSchema),
});
export type PositionResults = z.infer<typeof positionResultsSchema>;

const positionAnalysisSchema = z.object({
  cells: z.array(cellKeySchema.extend(positionResultsSchema.shape)),
  /** All models of a setting together, each instance of each model counted once (figure 3). */
  settings: z.array(settingSchema.extend({ models: z.array(z.string()), ...positionResultsSchema.shape })),
});
export type PositionAnalysis = z.infer<typeof positionAnalysisSchema>;

/** Instances of similar length, by the tokens of their prior sessions; labeled by the longest (figure 9). */
const lengthBinSchema = z.object({
  min_tokens: count,
  max_tokens: count,
  /** Instances of the data set, with or without results. */
  n_instances: count,
});
export type LengthBin = z.infer<typeof lengthBinSchema>;

const lengthAnalysisSchema = z.object({
  /** Shortest first; the same for all cells. */
  bins: z.array(lengthBinSchema),
  /** Numbers of each cell in each bin. */
  cells: z.array(cellKeySchema.extend({ bins: z.array(numbersSchema.extend({ max_tokens: count })) })),
});
export type LengthAnalysis = z.infer<typeof lengthAnalysisSchema>;

/** Instances whose relevant sessions lie in one part of an extended history. */
const depthBinSchema = z.object({
  /** End of the part, as a share of the history's sessions. The parts are fifths; each begins where the one before ends. */
  max_depth: z.number(),
  ...groupMeanShape,
});
export type DepthBin = z.infer<typeof depthBinSchema>;

/** One model in one context with an extended history, or with the own history that it is compared with. */
const historyResultsSchema = cellKeySchema.extend({
  /** Mean tokens of the prior sessions, over the instances that count. */
  mean_tokens: z.number(),
  n_instances: count,
  /** By mean depth of the relevant sessions; parts without instances are left out. */
  by_depth: z.array(depthBinSchema),
});
export type HistoryResults = z.infer<typeof historyResultsSchema>;

/** Inference against generation over the models that did both in one context (figure 5), for one matcher and one judge. */
const taskComparisonSchema = z.object({
  context,
  matcher: z.string(),
  matcher_form: evaluatorForm,
  decomposer,
  judge: z.string(),
  /** Micro F1, from 0 to 1, and mean score, up to 10, with the instances that they rest on. */
  models: z.array(
    z.object({
      model: z.string(),
      f1: z.number(),
      n_inference_instances: count,
      average_score: z.number(),
      n_generation_instances: count,
    }),
  ),
  /** Correlation of F1 and score over the models. */
  correlation: correlationSchema,
});
export type TaskComparison = z.infer<typeof taskComparisonSchema>;

/** Inference against choice over the models that did both in one context: whether the judged number orders models as the exact one does. */
const choiceComparisonSchema = settingSchema.omit({ task: true }).extend({
  /** Micro F1, accuracy and paired accuracy, from 0 to 1, with the instances, or pairs of them, that they rest on. */
  models: z.array(
    z.object({
      model: z.string(),
      f1: z.number(),
      n_inference_instances: count,
      accuracy: z.number(),
      n_choice_instances: count,
      paired_accuracy: z.number(),
      n_pairs: count,
    }),
  ),
  /** Correlation of F1 and paired accuracy over the models. */
  correlation: correlationSchema,
});
export type ChoiceComparison = z.infer<typeof choiceComparisonSchema>;

/** Two matchers on the same inferences (figure 4, table 11). */
const matcherComparisonSchema = z.object({
  context,
  decomposer,
  /** An evaluator before PrefMatcher. */
  first: evaluatorNameSchema,
  second: evaluatorNameSchema,
  /** Micro F1 with each matcher, from 0 to 1, over the instances that count with both. */
  models: z.array(
    z.object({ model: z.string(), n_instances: count, first_f1: z.number(), second_f1: z.number() }),
  ),
  /** Correlation of the two F1 over the models. */
  correlation: correlationSchema,
  /** Checklist entries, of both directions, that both labeled, and the agreement over them. */
  n_entries: count,
  alpha: labelAgreementSchema,
});
export type MatcherComparison = z.infer<typeof matcherComparisonSchema>;

const judgeComparisonSchema = z.object({
  context,
  first: z.string(),
  second: z.string(),
  /** Responses that both scored; a response does not exist if the history was too long. */
  n_responses: count,
  alpha: scoreAgreementSchema,
  /** Correlation of the two scores over the responses. */
  correlation: correlationSchema,
  /** Mean of the first judge's scores minus the mean of the second's; null without responses. */
  mean_difference: z.number().nullable(),
});
export type JudgeComparison = z.infer<typeof judgeComparisonSchema>;

const contextNumbersSchema = numbersSchema.extend({
  context,
  /**
   * Difference to the full history, over the instances that count in both contexts. If results are missing, this differs from subtracting the two
   * contexts' numbers. Null for the full history itself, and if no instance counts in both.
   */
  difference_to_full: numbersSchema.nullable(),
});
export type ContextNumbers = z.infer<typeof contextNumbersSchema>;

/** One model in every context, over all instances or those of one type (figure 6, tables 9 and 10). */
const contextComparisonSchema = cellKeySchema.omit({ context: true }).extend({
  instance_type: typeOrAllSchema,
  /** In the order of HISTORY_FORMS; contexts without rows are left out. */
  contexts: z.array(contextNumbersSchema),
});
export type ContextComparison = z.infer<typeof contextComparisonSchema>;

/** Shares of the contexts that a memory system returned, over all models; null without one. */
export const memorySharesSchema = z.object({
  /** Those without text. */
  empty: shareSchema.nullable(),
  /** Those of more tokens than the budget, of which models saw the beginning only. */
  cut: shareSchema.nullable(),
});
export type MemoryShares = z.infer<typeof memorySharesSchema>;

/** Figures of what a memory system gave one model under test in one context, over all instances or those of one type. */
const memoryFiguresSchema = z.object({
  model: z.string(),
  /** Memory, with the data's own or an extended history. */
  context,
  instance_type: typeOrAllSchema,
  /** Instances that the memory system was asked about, and those for which it said which sessions it used. */
  n_instances: count,
  n_named: count,
  /**
   * Share of the sessions with the current factor and preference that are among the first `k` that the memory system used. It needs no judge, and
   * counts the instances for which sessions were named; null without one.
   */
  evidence_recall: z.array(z.object({ k: count, share: shareSchema.nullable() })),
  /** Instances for which it returned nothing; more than the budget, so that the context was cut; or whose sessions it had not stored (202). */
  n_empty: count,
  n_cut: count,
  n_unfinished: count,
  /** Mean tokens of the returned context. */
  mean_tokens: z.number(),
  /** Mean time to add all sessions, and to answer the query, in milliseconds. */
  mean_add_ms: z.number(),
  mean_query_ms: z.number(),
});
export type MemoryFigures = z.infer<typeof memoryFiguresSchema>;

const synthesizerEntrySchema = numbersSchema.extend({
  model: z.string(),
  /** Null if the data do not name it. */
  synthesizer: z.string().nullable(),
  /** Whether the model synthesized the data itself, by its name; relatives of the model do not count. Null if unknown. */
  own_data: z.boolean().nullable(),
});

/** Tested models on data that different models synthesized (figure 10). */
const synthesizerComparisonSchema = settingSchema.extend({ entries: z.array(synthesizerEntrySchema) });
export type SynthesizerComparison = z.infer<typeof synthesizerComparisonSchema>;

/** Share of inferences above the limit, for one model in one context. */
const overlongShareSchema = z.object({
  model: z.string(),
  context,
  /** Inferences, each counted once whatever the number of evaluators, including none. */
  n_inferences: count,
  n_overlong: count,
  /** From 0 to 1. */
  share: z.number(),
  mean_words: z.number(),
  most_words: count,
});
export type OverlongShare = z.infer<typeof overlongShareSchema>;

/**
 * One model in one setting on two data sets: a sign of contamination, because an older one may be in the training data, or of different
 * difficulty. The numbers do not say which.
 */
const dataComparisonSchema = cellKeySchema.extend({
  ...differenceSchema.shape,
  other_data: z.string(),
  /** The measure of the task: micro F1, mean score, or accuracy. */
  value: z.number(),
  other_value: z.number(),
  /** Instances that count here, and on the other data. */
  n_instances: count,
  other_n_instances: count,
});
export type DataComparison = z.infer<typeof dataComparisonSchema>;

/** Right guesses among the choices of an evaluated data set, by models that ignore the history (docs/data-quality.md). */
const dataShortcutsSchema = z.object({
  /** The file, or `hub:owner/name@commit`. */
  source: z.string(),
  guesses: dataFiguresSchema.shape.guesses.unwrap(),
});
export type DataShortcuts = z.infer<typeof dataShortcutsSchema>;

/** The paper's analyses as data, the comparison with choices, and figures of a memory system. */
export const rowAnalysesSchema = z.object({
  by_position: positionAnalysisSchema,
  by_length: lengthAnalysisSchema,
  /** Shortest history first, for each model and form of the context; empty without extended histories. */
  histories: z.array(historyResultsSchema),
  tasks: z.array(taskComparisonSchema),
  choices: z.array(choiceComparisonSchema),
  matchers: z.array(matcherComparisonSchema),
  judges: z.array(judgeComparisonSchema),
  contexts: z.array(contextComparisonSchema),
  memory: z.array(memoryFiguresSchema),
  synthesizers: z.array(synthesizerComparisonSchema),
  overlong_inferences: z.array(overlongShareSchema),
});
export type RowAnalyses = z.infer<typeof rowAnalysesSchema>;

/** Comparisons with the data sets of other folders. */
export const dataAnalysesSchema = z.object({
  /** Differences from the data sets of other folders. */
  data_sets: z.array(dataComparisonSchema),
  /** Shortcuts of this data set, then of those in `data_sets`; absent without others. */
  shortcuts: z.array(dataShortcutsSchema).optional(),
});
