import type { ScoreRow, Task } from '../../schemas/evaluation/evaluation';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import type {
  CellSummary,
  GroupSummary,
  Resampling,
  ResultsSummary,
} from '../../schemas/evaluation/results/summary';
import { computeAggregate } from './aggregate';
import { RESAMPLES } from './bootstrap';
import { groupByCell } from './cells';
import { computeContextDifferences, computeModelDifferences } from './differences';
import { computeReferenceResults } from './reference-results';
import { computeValueInterval, sampleValues, type ValueName } from './samples';

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
  const { n_personas, values } = sampleValues(task, rows, resampling);
  const intervalOf = (name: ValueName) => computeValueInterval(values[name]);
  return {
    counts,
    n_personas,
    inference: inference && {
      ...inference,
      intervals: {
        precision: intervalOf('precision'),
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
