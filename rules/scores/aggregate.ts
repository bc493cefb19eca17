import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type {
  ChoiceAverages,
  GenerationAverages,
  InferenceAverages,
  InstanceCounts,
  MissingCount,
} from '../../schemas/evaluation/results/summary';
import { EVALUATION_STEPS } from '../../schemas/run/step';
import { listCountedChoice, listCountedGeneration, listCountedInference } from './counted-instances';
import { computeMatchScores } from './match-scores';
import { compareKeys } from './order';
import { computeTotal, NO_SUMS } from './sums';

/** Results of the rows of one cell, or of one instance type in it; null for the tasks that are not the cell's. */
export interface Aggregate {
  counts: InstanceCounts;
  inference: InferenceAverages | null;
  generation: GenerationAverages | null;
  choice: ChoiceAverages | null;
}

/**
 * Computes counts and averages of the rows of one cell, in any order. Missing and open rows show in the counts only.
 * @throws Error that names the row and the column when a scored row lacks a number.
 */
export function computeAggregate(rows: readonly ScoreRow[]): Aggregate {
  const average = <Averages>(
    task: ScoreRow['task'],
    compute: (taskRows: readonly ScoreRow[]) => Averages,
  ) => {
    const taskRows = rows.filter((row) => row.task === task);
    return taskRows.length === 0 ? null : compute(taskRows);
  };
  return {
    counts: countRows(rows),
    inference: average('inference', computeInferenceAverages),
    generation: average('generation', computeGenerationAverages),
    choice: average('choice', computeChoiceAverages),
  };
}

function computeInferenceAverages(rows: readonly ScoreRow[]): InferenceAverages {
  const sums = computeTotal(listCountedInference(rows), NO_SUMS.inference);
  const { n_true_matched, n_predicted_matched, n_true, n_predicted, n_instances } = sums;
  const { precision, recall, f1 } = computeMatchScores(sums);
  const ifAny = (value: number) => (n_instances === 0 ? null : value);
  return {
    // If nothing was inferred, the precision would divide by zero.
    precision: n_predicted === 0 ? null : precision,
    recall: ifAny(recall),
    f1: ifAny(f1),
    n_true_matched: ifAny(n_true_matched),
    n_predicted_matched: ifAny(n_predicted_matched),
    n_true: ifAny(n_true),
    n_predicted: ifAny(n_predicted),
    n_instances,
    macro: {
      precision: divide(sums.precision, n_instances),
      recall: divide(sums.recall, n_instances),
      f1: divide(sums.f1, n_instances),
    },
  };
}

function computeGenerationAverages(rows: readonly ScoreRow[]): GenerationAverages {
  const { n_instances, score } = computeTotal(listCountedGeneration(rows), NO_SUMS.generation);
  return { average_score: divide(score, n_instances), n_instances };
}

function computeChoiceAverages(rows: readonly ScoreRow[]): ChoiceAverages {
  const sums = computeTotal(listCountedChoice(rows), NO_SUMS.choice);
  const { n_instances, n_pairs, n_triples, stale, wrong_context, other } = sums;
  return {
    accuracy: divide(sums.right, n_instances),
    chance: divide(sums.chance, n_instances),
    paired_accuracy: divide(sums.right_pairs, n_pairs),
    paired_chance: divide(sums.pair_chance, n_pairs),
    n_pairs,
    triple_accuracy: divide(sums.right_triples, n_triples),
    n_triples,
    errors:
      n_instances === 0
        ? null
        : {
            stale: stale / n_instances,
            wrong_context: wrong_context / n_instances,
            other: other / n_instances,
          },
    n_instances,
  };
}

function divide(sum: number, count: number): number | null {
  return count === 0 ? null : sum / count;
}

function countRows(rows: readonly ScoreRow[]): InstanceCounts {
  const inState = (state: ScoreRow['state']) => rows.filter((row) => row.state === state);
  const missing = inState('missing');
  return {
    scored: inState('scored').length,
    context_length: inState('context-length').length,
    missing: missing.length,
    open: inState('open').length,
    missing_counts: countMissing(missing),
  };
}

function countMissing(rows: readonly ScoreRow[]): MissingCount[] {
  const reasons = new Map<string, MissingCount>();
  for (const { missing_step: step, missing_kind: kind } of rows) {
    const reason = JSON.stringify([step, kind]);
    reasons.set(reason, { step, kind, count: (reasons.get(reason)?.count ?? 0) + 1 });
  }
  return [...reasons.values()].toSorted((a, b) => compareKeys(buildReasonOrder(a), buildReasonOrder(b)));
}

function buildReasonOrder({ step, kind }: MissingCount): (string | number | null)[] {
  return [step === null ? null : EVALUATION_STEPS.indexOf(step), kind];
}
