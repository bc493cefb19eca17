import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { EVALUATION_STEPS, type EvaluationStep } from '../../schemas/run/step';
import { listCountedChoice, listCountedGeneration, listCountedInference } from './counted-instances';
import { computeMatchScores } from './match-scores';
import { compareKeys } from './order';
import { computeTotal, NO_SUMS } from './sums';

/** Number of instances of a cell by state; together all rows of the cell. */
export interface InstanceCounts {
  scored: number;
  /** The history was too long for the model under test: counted as nothing matched, or as score 0. */
  context_length: number;
  /** No score, because a call gave no usable answer. Not part of any average. */
  missing: number;
  /** Not evaluated yet. Not part of any average. */
  open: number;
  /** The missing ones by failed step and reason, in the order of the steps. */
  missing_by: MissingCount[];
}

interface MissingCount {
  step: EvaluationStep | null;
  /** `bad-answers`, the kind of a model error, or `unexpected`. */
  kind: string | null;
  count: number;
}

/**
 * Averages of inference, from 0 to 1. All but the count are null if no instance counts; the precision also if nothing was inferred. The first
 * seven have the reference program's names. As in the paper's tables 1, 9 and 11, `f1` is the harmonic mean of the precision and the recall beside
 * it. The mean of the instances' F1 would differ.
 */
export interface InferenceAverages {
  /** Micro: matched entries of all inferred checklists, divided by their entries. */
  precision: number | null;
  /** Micro: matched entries of all true checklists, divided by their entries. */
  recall: number | null;
  /** Harmonic mean of the two. */
  f1: number | null;
  /** Sums of the labels' scores: 1, 0.5 or 0 per entry. */
  n_true_matched: number | null;
  n_predicted_matched: number | null;
  /** Entries. */
  n_true: number | null;
  n_predicted: number | null;
  /** Instances that count: scored, or too long for the model. */
  n_instances: number;
  /** Means over instances of the instances' own scores (paper, 2.3, taken literally). */
  macro: { precision: number | null; recall: number | null; f1: number | null };
}

/** The average of generation, under the reference program's names. */
export interface GenerationAverages {
  /** Mean of the judge's scores, 1 to 10, with 0 if the history was too long; null if no instance counts. */
  average_score: number | null;
  /** Instances that count: scored, or too long for the model. */
  n_instances: number;
}

/** Averages of choice, from 0 to 1; each is null if nothing counts for it. */
export interface ChoiceAverages {
  /** Share of right choices. */
  accuracy: number | null;
  /** Accuracy of a blind guess. */
  chance: number | null;
  /**
   * Share of personas with both the consistent and the changing row right. Without the history both are the same request, so a model that answers
   * the same request the same way has 0. One that draws each answer anew is right in both by chance.
   */
  paired_accuracy: number | null;
  /** Paired accuracy of blind guesses, each drawn anew: 1/16 for four options. */
  paired_chance: number | null;
  n_pairs: number;
  /** Share of these personas with the contrastive row right as well. */
  triple_accuracy: number | null;
  n_triples: number;
  /** Shares of all choices: the preference before the change, the contrastive one, another one. */
  errors: { stale: number; wrong_context: number; other: number } | null;
  /** Instances that count: scored, or too long for the model, which counts as not right. */
  n_instances: number;
}

/** Results of the rows of one cell, or of one instance type in it; null for the tasks that are not the cell's. */
interface Aggregate {
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
    missing_by: countMissing(missing),
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
