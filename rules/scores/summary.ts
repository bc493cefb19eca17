import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { INSTANCE_TYPES, type InstanceType } from '../../schemas/dataset/instance-type';
import { computeAggregate, type Counts, type GenerationAverages, type InferenceAverages } from './aggregate';
import { RESAMPLES, type Resampling, computeInterval, resampleSums } from './bootstrap';
import { type CellKey, groupByCell } from './cells';
import { type ModelDifference, computeModelDifferences } from './differences';
import { type ReferenceResults, computeReferenceResults } from './reference-results';
import { listCountedGeneration, listCountedInference } from './counted-instances';
import { computeMatchScores } from './match-scores';
import { generationSumRule, inferenceSumRule } from './sums';
import type { Interval } from '../../schemas/text/numbers';

/** What `results.json` holds: every number follows from the rows of `results.parquet` and these settings. */
export interface ResultsSummary {
  /** How intervals came about: 95 %, between percentiles of resamples that draw whole personas (`persona_id`). */
  bootstrap: Resampling;
  /** In order of task, model, context, evaluator, its form, decomposer. */
  cells: CellSummary[];
  /** Every two models in the same setting, over the instances that count for both. */
  differences: ModelDifference[];
  /** The reference program's own sums, where they were asked for. */
  reference_compatible?: ReferenceResults[];
}

interface CellSummary extends CellKey {
  /** Over all instances. */
  all: GroupSummary;
  /** By instance type; a type without rows is not there. */
  by_type: Partial<Record<InstanceType, GroupSummary>>;
}

/** The results of a group of instances in a cell; null for the task that the cell is not of. */
interface GroupSummary {
  counts: Counts;
  inference: (InferenceAverages & { intervals: InferenceIntervals }) | null;
  generation: (GenerationAverages & { intervals: GenerationIntervals }) | null;
}

interface SummaryOptions {
  /** Of the bootstrap. */
  seed: number;
  /** Of the bootstrap; 2,000 unless given. */
  resamples?: number;
  /** Adds the reference program's own sums. */
  referenceCompatible?: boolean;
}

/**
 * Returns all numbers of the results, the same for the same rows in whatever order. Keys of rows are taken to be unique.
 * @throws Error that names the row and the column when a row lacks a number that its state promises.
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
  const { counts, inference, generation } = computeAggregate(rows);
  return {
    counts,
    inference: inference && { ...inference, intervals: computeInferenceIntervals(rows, resampling) },
    generation: generation && { ...generation, intervals: computeGenerationIntervals(rows, resampling) },
  };
}

/** 95 % intervals of the averages of inference; null where the average is, or fewer than two personas have instances that count. */
interface InferenceIntervals {
  precision: Interval | null;
  recall: Interval | null;
  f1: Interval | null;
  /** Of the mean of the instances' own F1. */
  macro_f1: Interval | null;
}

/** The 95 % interval of the average of generation; null where fewer than two personas have instances that count. */
interface GenerationIntervals {
  average_score: Interval | null;
}

/** How sure the averages of these rows of one inference cell are, as far as it is personas that differ. */
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

/** Returns the same for rows of one generation cell. */
export function computeGenerationIntervals(
  rows: readonly ScoreRow[],
  resampling: Resampling,
): GenerationIntervals {
  const resampled = resampleSums(listCountedGeneration(rows), generationSumRule, resampling);
  return { average_score: computeInterval(resampled, ({ score, n_instances }) => score / n_instances) };
}
