import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { INSTANCE_TYPES, type InstanceType } from '../../schemas/dataset/instance-type';
import {
  computeAggregate,
  type ChoiceAverages,
  type Counts,
  type GenerationAverages,
  type InferenceAverages,
} from './aggregate';
import { RESAMPLES, type Resampling, computeInterval, resampleSums } from './bootstrap';
import { type CellKey, groupByCell } from './cells';
import {
  type ContextDifference,
  type ModelDifference,
  computeContextDifferences,
  computeModelDifferences,
} from './differences';
import { type ReferenceResults, computeReferenceResults } from './reference-results';
import { listCountedChoice, listCountedGeneration, listCountedInference } from './counted-instances';
import { computeMatchScores } from './match-scores';
import { choiceSumRule, generationSumRule, inferenceSumRule } from './sums';
import type { Interval } from '../../schemas/text/numbers';

/** Content of `results.json`: every number follows from the rows of `results.parquet` and these settings. */
export interface ResultsSummary {
  /** Settings of the intervals: 95 %, between percentiles of resamples that draw whole personas (`persona_id`). */
  bootstrap: Resampling;
  /** In order of task, model, context, evaluator, its form, decomposer. */
  cells: CellSummary[];
  /** Every two models in the same setting, over the instances that count for both. */
  differences: ModelDifference[];
  /** Every two contexts of one model, over the instances that count in both. */
  context_differences: ContextDifference[];
  /** The reference program's sums, on request. */
  reference_compatible?: ReferenceResults[];
}

interface CellSummary extends CellKey {
  /** Over all instances. */
  all: GroupSummary;
  /** By instance type; types without rows are left out. */
  by_type: Partial<Record<InstanceType, GroupSummary>>;
}

/** The results of a group of instances in a cell; null for the tasks that are not the cell's. */
interface GroupSummary {
  counts: Counts;
  inference: (InferenceAverages & { intervals: InferenceIntervals }) | null;
  generation: (GenerationAverages & { intervals: GenerationIntervals }) | null;
  choice: (ChoiceAverages & { intervals: ChoiceIntervals }) | null;
}

interface SummaryOptions {
  /** Seed of the bootstrap. */
  seed: number;
  /** Number of resamples; 2,000 by default. */
  resamples?: number;
  /** Adds the reference program's sums. */
  referenceCompatible?: boolean;
}

/**
 * Computes all numbers of the results, independently of the order of rows. Keys of rows must be unique.
 * @throws Error that names the row and the column when a row lacks a number that its state requires.
 */
export function summarize(rows: readonly ScoreRow[], options: SummaryOptions): ResultsSummary {
  const bootstrap: Resampling = { seed: options.seed, resamples: options.resamples ?? RESAMPLES };
  const cells = groupByCell(rows);
  const summary: ResultsSummary = {
    bootstrap,
    cells: cells.map(({ cell, rows: ofCell }) => ({
      ...cell,
      all: groupSummary(ofCell, bootstrap),
      by_type: summarizeByType(ofCell, bootstrap),
    })),
    differences: computeModelDifferences(cells, bootstrap),
    context_differences: computeContextDifferences(cells, bootstrap),
  };
  return options.referenceCompatible === true
    ? { ...summary, reference_compatible: computeReferenceResults(cells) }
    : summary;
}

function summarizeByType(rows: readonly ScoreRow[], resampling: Resampling): CellSummary['by_type'] {
  const groups = INSTANCE_TYPES.map((type) => ({
    type,
    ofType: rows.filter(({ instance_type }) => instance_type === type),
  })).filter(({ ofType }) => ofType.length > 0);
  return Object.fromEntries(groups.map(({ type, ofType }) => [type, groupSummary(ofType, resampling)]));
}

function groupSummary(rows: readonly ScoreRow[], resampling: Resampling): GroupSummary {
  const { counts, inference, generation, choice } = computeAggregate(rows);
  return {
    counts,
    inference: inference && { ...inference, intervals: computeInferenceIntervals(rows, resampling) },
    generation: generation && { ...generation, intervals: computeGenerationIntervals(rows, resampling) },
    choice: choice && { ...choice, intervals: computeChoiceIntervals(rows, resampling) },
  };
}

/** 95 % intervals of the averages of inference; null where the average is null, or fewer than two personas have instances that count. */
interface InferenceIntervals {
  precision: Interval | null;
  recall: Interval | null;
  f1: Interval | null;
  /** Interval of the mean of the instances' own F1. */
  macro_f1: Interval | null;
}

/** The 95 % interval of the average of generation; null if fewer than two personas have instances that count. */
interface GenerationIntervals {
  average_score: Interval | null;
}

/** Computes the intervals of these rows of one inference cell, as far as personas cause the variation. */
export function computeInferenceIntervals(
  rows: readonly ScoreRow[],
  resampling: Resampling,
): InferenceIntervals {
  const counted = listCountedInference(rows);
  const resampled = resampleSums(counted, inferenceSumRule, resampling);
  const hasPredicted = counted.some(({ sums }) => sums.n_predicted > 0);
  return {
    precision: hasPredicted ? computeInterval(resampled, (sums) => computeMatchScores(sums).precision) : null,
    recall: computeInterval(resampled, (sums) => computeMatchScores(sums).recall),
    f1: computeInterval(resampled, (sums) => computeMatchScores(sums).f1),
    macro_f1: computeInterval(resampled, ({ f1, n_instances }) => f1 / n_instances),
  };
}

/** Computes the interval of rows of one generation cell. */
export function computeGenerationIntervals(
  rows: readonly ScoreRow[],
  resampling: Resampling,
): GenerationIntervals {
  const resampled = resampleSums(listCountedGeneration(rows), generationSumRule, resampling);
  return { average_score: computeInterval(resampled, ({ score, n_instances }) => score / n_instances) };
}

/** 95 % intervals of the averages of choice; null where the average is null, or fewer than two personas have instances that count. */
interface ChoiceIntervals {
  accuracy: Interval | null;
  paired_accuracy: Interval | null;
  triple_accuracy: Interval | null;
}

/** Computes the intervals of rows of one choice cell. A resample without any pair says nothing about pairs. */
function computeChoiceIntervals(rows: readonly ScoreRow[], resampling: Resampling): ChoiceIntervals {
  const resampled = resampleSums(listCountedChoice(rows), choiceSumRule, resampling);
  const withPairs = resampled.filter(({ n_pairs }) => n_pairs > 0);
  const withTriples = resampled.filter(({ n_triples }) => n_triples > 0);
  return {
    accuracy: computeInterval(resampled, ({ right, n_instances }) => right / n_instances),
    paired_accuracy: computeInterval(withPairs, ({ right_pairs, n_pairs }) => right_pairs / n_pairs),
    triple_accuracy: computeInterval(
      withTriples,
      ({ right_triples, n_triples }) => right_triples / n_triples,
    ),
  };
}
