import { max, mean, min, sampleStandardDeviation } from 'simple-statistics';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { createRandom } from '../sampling/random';
import { computeKrippendorffAlpha } from './agreement';
import { computeCorrelation, type Correlation } from './correlation';
import { getCellKey, groupRows, sortByKey } from './groups';

/**
 * Returns the responses that are judged again: of each cell n of those that were scored, or all when there are fewer; so the sample of
 * one model stays as it is when another is added. The same seed and rows, in whatever order, give the same ones.
 */
export function sampleForRepeats<Row extends ScoreRow>(rows: readonly Row[], n: number, seed: number): Row[] {
  const judged = rows.filter(({ task, state }) => task === 'generation' && state === 'scored');
  return groupRows(judged, getCellKey).flatMap((cell) => {
    const { model, context, evaluator } = cell.name;
    const random = createRandom(seed, 'judge repeats', model, context, evaluator);
    return sortByKey(random.sample(cell.rows, Math.min(n, cell.rows.length)));
  });
}

/** One response, and its scores from one judge; null for a judging that gave none. */
interface RepeatedScores {
  evaluator: string;
  scores: readonly (number | null)[];
  response_tokens: number | null;
}

/** How far one judge agrees with itself. Responses with fewer than two scores count only in `n_missing`. */
export interface JudgeReliability {
  evaluator: string;
  n_responses: number;
  /** Judgings that gave no score, of all responses. */
  n_missing: number;
  /** Mean over the responses of the standard deviation (n − 1) of a response's scores. */
  mean_deviation: number | null;
  /** Highest less lowest score of a response: mean and largest over the responses. */
  mean_range: number | null;
  largest_range: number | null;
  /** Krippendorff's alpha of responses × judgings. Scores are ordered; interval takes their distances at face value too. */
  alpha: { ordinal: number | null; interval: number | null };
  /** Of a response's tokens and its mean score, over the responses whose tokens are known. */
  score_and_length: Correlation;
}

/** Returns the reliability of each judge from its repeated scores. */
export function computeJudgeReliability(repeats: readonly RepeatedScores[]): JudgeReliability[] {
  const judges = [...new Set(repeats.map(({ evaluator }) => evaluator))].toSorted();
  return judges.map((evaluator) => {
    const given = repeats.filter((repeat) => repeat.evaluator === evaluator);
    const responses = given
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
      n_missing: given.flatMap(({ scores }) => scores).filter((score) => score === null).length,
      mean_deviation: some ? mean(units.map((scores) => sampleStandardDeviation(scores))) : null,
      mean_range: some ? mean(ranges) : null,
      largest_range: some ? max(ranges) : null,
      alpha: {
        ordinal: computeKrippendorffAlpha(units, 'ordinal'),
        interval: computeKrippendorffAlpha(units, 'interval'),
      },
      score_and_length: computeCorrelation(
        responses.flatMap(({ scores, tokens }) => (tokens === null ? [] : [{ x: tokens, y: mean(scores) }])),
      ),
    };
  });
}
