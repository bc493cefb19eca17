import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { EVALUATION_STEPS, type EvaluationStep } from '../../schemas/run/step';
import { listCountedGeneration, listCountedInference } from './counted-instances';
import { computeMatchScores } from './match-scores';
import { compareKeys } from './order';
import {
  generationSumRule,
  type GenerationSums,
  inferenceSumRule,
  type InferenceSums,
  computeTotal,
} from './sums';

/** How many instances of a cell came out in which way; together all rows of the cell. */
export interface Counts {
  scored: number;
  /** The history was too long for the model under test: counted as nothing matched, score 0. */
  context_length: number;
  /** Without a score, because a call gave nothing that could be used: in no average. */
  missing: number;
  /** Not evaluated yet: in no average. */
  open: number;
  /** The missing ones by the step that failed and why, in order of the steps. */
  missing_by: MissingCount[];
}

interface MissingCount {
  step: EvaluationStep | null;
  /** `bad-answers`, the kind of a model error, or `unexpected`. */
  kind: string | null;
  count: number;
}

/**
 * Averages of inference, from 0 to 1; all numbers but the count are null where no instance counts, and the precision where nothing was
 * inferred. The first seven are the
 * reference program's, under its names. In the paper's tables 1, 9 and 11 every F1 is the harmonic mean of the precision and
 * the recall printed beside it, as `f1` is here and the mean of the instances' F1 would not be.
 */
export interface InferenceAverages {
  /** Micro: matched entries of all inferred checklists by their entries. */
  precision: number | null;
  /** Micro: matched entries of all true checklists by their entries. */
  recall: number | null;
  /** Harmonic mean of the two. */
  f1: number | null;
  /** Sums of the labels' scores: 1, 0.5 or 0 an entry. */
  n_true_matched: number | null;
  n_predicted_matched: number | null;
  /** Entries. */
  n_true: number | null;
  n_predicted: number | null;
  /** Instances that count: scored, or too long for the model. */
  n_instances: number;
  /** Means over instances of their own scores (paper, 2.3, read by the letter). */
  macro: { precision: number | null; recall: number | null; f1: number | null };
}

/** The average of generation, under the reference program's names. */
export interface GenerationAverages {
  /** Mean of the judge's scores, 1 to 10, with 0 where the context was too long; null where no instance counts. */
  average_score: number | null;
  /** Instances that count: scored, or too long for the model. */
  n_instances: number;
}

/** The results of the rows of one cell, or of one instance type in it; null for the task that the cell is not of. */
interface Aggregate {
  counts: Counts;
  inference: InferenceAverages | null;
  generation: GenerationAverages | null;
}

/**
 * Counts and averages over rows of one cell, whatever their order. Rows that are missing or open show in the counts only.
 * @throws Error that names the row and the column when a scored row lacks a number.
 */
export function computeAggregate(rows: readonly ScoreRow[]): Aggregate {
  const ofTask = (task: ScoreRow['task']) => rows.filter((row) => row.task === task);
  const inference = ofTask('inference');
  const generation = ofTask('generation');
  return {
    counts: countRows(rows),
    inference:
      inference.length === 0
        ? null
        : computeInferenceAverages(computeTotal(listCountedInference(inference), inferenceSumRule)),
    generation:
      generation.length === 0
        ? null
        : computeGenerationAverages(computeTotal(listCountedGeneration(generation), generationSumRule)),
  };
}

function computeInferenceAverages(sums: InferenceSums): InferenceAverages {
  const { n_true_matched, n_predicted_matched, n_true, n_predicted, n_instances } = sums;
  if (n_instances === 0) {
    return {
      precision: null,
      recall: null,
      f1: null,
      n_true_matched: null,
      n_predicted_matched: null,
      n_true: null,
      n_predicted: null,
      n_instances,
      macro: { precision: null, recall: null, f1: null },
    };
  }
  return {
    ...computeMatchScores(sums),
    // As the division by zero that it is: nothing was inferred.
    ...(n_predicted === 0 ? { precision: null } : {}),
    n_true_matched,
    n_predicted_matched,
    n_true,
    n_predicted,
    n_instances,
    macro: {
      precision: sums.precision / n_instances,
      recall: sums.recall / n_instances,
      f1: sums.f1 / n_instances,
    },
  };
}

function computeGenerationAverages({ n_instances, score }: GenerationSums): GenerationAverages {
  return { average_score: n_instances === 0 ? null : score / n_instances, n_instances };
}

function countRows(rows: readonly ScoreRow[]): Counts {
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
  return [...reasons.values()].toSorted((one, other) =>
    compareKeys(buildReasonOrder(one), buildReasonOrder(other)),
  );
}

function buildReasonOrder({ step, kind }: MissingCount): (string | number | null)[] {
  return [step === null ? null : EVALUATION_STEPS.indexOf(step), kind];
}
