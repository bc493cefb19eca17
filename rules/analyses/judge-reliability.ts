import { max, mean, min, sampleStandardDeviation } from 'simple-statistics';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { drawByCohort, type Cohorts } from '../sampling/cohorts';
import type { JudgeReliability } from '../../schemas/evaluation/results/studies';
import { computeScoreAgreement } from './agreement';
import { computeCorrelation } from './correlation';
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
