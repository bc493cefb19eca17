import { max, mean, min, sampleStandardDeviation } from 'simple-statistics';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { drawByCohort, type Cohorts } from '../sampling/cohorts';
import { computeScoreAgreement, type ScoreAgreement } from './agreement';
import { computeCorrelation, type Correlation } from './correlation';
import { getCellKey, groupRows, sortByKey } from './groups';

/**
 * Samples the responses that are judged again: n per cell of the scored ones, or all if there are fewer. One model's sample stays the same when
 * another model is added. It depends on the seed and the rows, not on the order of the rows.
 */
export function sampleForRepeats<Row extends ScoreRow>(
  rows: readonly Row[],
  n: number,
  seed: number,
  cohorts: Cohorts = new Map(),
): Row[] {
  const scoredRows = rows.filter(({ task, state }) => task === 'generation' && state === 'scored');
  return groupRows(scoredRows, getCellKey).flatMap((cell) => {
    const { model, context, evaluator } = cell.name;
    return sortByKey(drawByCohort(cell.rows, cohorts, n, seed, 'judge repeats', model, context, evaluator));
  });
}

/** One response and its scores by one judge; null where a judging gave no score. */
interface RepeatedScores {
  evaluator: string;
  scores: readonly (number | null)[];
  response_tokens: number | null;
}

/** Agreement of one judge with itself. Responses with fewer than two scores count only in `n_missing`. */
export interface JudgeReliability {
  evaluator: string;
  n_responses: number;
  /** Judgings without a score, over all responses. */
  n_missing: number;
  /** Mean over responses of the standard deviation (n − 1) of a response's scores. */
  mean_deviation: number | null;
  /** Highest minus lowest score of a response: mean and maximum over responses. */
  mean_range: number | null;
  largest_range: number | null;
  alpha: ScoreAgreement;
  /** Correlation of a response's tokens with its mean score, over responses with known tokens. */
  score_and_length: Correlation;
}

/** Computes the reliability of each judge from its repeated scores. */
export function computeJudgeReliability(repeats: readonly RepeatedScores[]): JudgeReliability[] {
  const judges = [...new Set(repeats.map(({ evaluator }) => evaluator))].toSorted();
  return judges.map((evaluator) => {
    const judgeRepeats = repeats.filter((repeat) => repeat.evaluator === evaluator);
    const responses = judgeRepeats
      .map(({ scores, response_tokens }) => ({
        scores: scores.filter((score) => score !== null),
        tokens: response_tokens,
      }))
      .filter(({ scores }) => scores.length >= 2);
    const units = responses.map(({ scores }) => scores);
    const ranges = units.map((scores) => max(scores) - min(scores));
    const some = responses.length > 0;
    return {
      evaluator,
      n_responses: responses.length,
      n_missing: judgeRepeats.flatMap(({ scores }) => scores).filter((score) => score === null).length,
      mean_deviation: some ? mean(units.map((scores) => sampleStandardDeviation(scores))) : null,
      mean_range: some ? mean(ranges) : null,
      largest_range: some ? max(ranges) : null,
      alpha: computeScoreAgreement(units),
      score_and_length: computeCorrelation(
        responses.flatMap(({ scores, tokens }) => (tokens === null ? [] : [{ x: tokens, y: mean(scores) }])),
      ),
    };
  });
}
