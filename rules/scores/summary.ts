import type { ScoreRow, Task } from '../../schemas/evaluation/evaluation';
import { INSTANCE_TYPES, type InstanceType } from '../../schemas/dataset/instance-type';
import {
  computeAggregate,
  type ChoiceAverages,
  type InstanceCounts,
  type GenerationAverages,
  type InferenceAverages,
} from './aggregate';
import { RESAMPLES, type Resampling } from './bootstrap';
import { type CellKey, groupByCell } from './cells';
import {
  type ContextDifference,
  type ModelDifference,
  computeContextDifferences,
  computeModelDifferences,
} from './differences';
import { type ReferenceResults, computeReferenceResults } from './reference-results';
import { computeValueInterval, sampleValues, type ValueName } from './samples';
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
  counts: InstanceCounts;
  inference:
    | (InferenceAverages & { intervals: Intervals<'precision' | 'recall' | 'f1' | 'macro_f1'> })
    | null;
  generation: (GenerationAverages & { intervals: Intervals<'average_score'> }) | null;
  choice:
    | (ChoiceAverages & { intervals: Intervals<'accuracy' | 'paired_accuracy' | 'triple_accuracy'> })
    | null;
}

/** 95 % intervals of averages; null where the average is null, or fewer than two personas have instances that count. */
type Intervals<Name extends ValueName> = Readonly<Record<Name, Interval | null>>;

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
      all: groupSummary(cell.task, ofCell, bootstrap),
      by_type: summarizeByType(cell.task, ofCell, bootstrap),
    })),
    differences: computeModelDifferences(cells, bootstrap),
    context_differences: computeContextDifferences(cells, bootstrap),
  };
  return options.referenceCompatible === true
    ? { ...summary, reference_compatible: computeReferenceResults(cells) }
    : summary;
}

function summarizeByType(
  task: Task,
  rows: readonly ScoreRow[],
  resampling: Resampling,
): CellSummary['by_type'] {
  const groups = INSTANCE_TYPES.map((type) => ({
    type,
    ofType: rows.filter(({ instance_type }) => instance_type === type),
  })).filter(({ ofType }) => ofType.length > 0);
  return Object.fromEntries(groups.map(({ type, ofType }) => [type, groupSummary(task, ofType, resampling)]));
}

function groupSummary(task: Task, rows: readonly ScoreRow[], resampling: Resampling): GroupSummary {
  const { counts, inference, generation, choice } = computeAggregate(rows);
  const { values } = sampleValues(task, rows, resampling);
  const intervalOf = (name: ValueName) => computeValueInterval(values[name]);
  return {
    counts,
    inference: inference && {
      ...inference,
      intervals: {
        precision: inference.precision === null ? null : intervalOf('precision'),
        recall: intervalOf('recall'),
        f1: intervalOf('f1'),
        macro_f1: intervalOf('macro_f1'),
      },
    },
    generation: generation && {
      ...generation,
      intervals: { average_score: intervalOf('average_score') },
    },
    choice: choice && {
      ...choice,
      intervals: {
        accuracy: intervalOf('accuracy'),
        paired_accuracy: intervalOf('paired_accuracy'),
        triple_accuracy: intervalOf('triple_accuracy'),
      },
    },
  };
}
