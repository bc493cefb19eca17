import { mean } from 'simple-statistics';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { listPairs } from '../group-by';
import type { JudgeComparison } from '../../schemas/evaluation/results/analyses';
import { computeScoreAgreement } from './agreement';
import { computeCorrelation } from './correlation';
import { buildAnswerKey, groupRows } from './groups';

export function compareJudges(rows: readonly ScoreRow[]): JudgeComparison[] {
  const scoredRows = rows.filter(({ task, state }) => task === 'generation' && state === 'scored');
  return groupRows(scoredRows, ({ context }) => context).flatMap(({ name: context, rows: contextRows }) => {
    const judges = groupRows(contextRows, ({ evaluator }) => evaluator);
    return listPairs(judges).map(([first, second]) => ({
      context,
      first: first.name,
      second: second.name,
      ...compareScores(pairScores(first.rows, second.rows)),
    }));
  });
}

function pairScores(first: readonly ScoreRow[], second: readonly ScoreRow[]): { x: number; y: number }[] {
  const secondScores = new Map(second.map((row) => [buildAnswerKey(row), row.score]));
  return first.flatMap((row) => {
    const secondScore = secondScores.get(buildAnswerKey(row)) ?? null;
    return row.score === null || secondScore === null ? [] : [{ x: row.score, y: secondScore }];
  });
}

function compareScores(
  pairs: readonly { x: number; y: number }[],
): Omit<JudgeComparison, 'context' | 'first' | 'second'> {
  return {
    n_responses: pairs.length,
    alpha: computeScoreAgreement(pairs.map(({ x, y }) => [x, y])),
    correlation: computeCorrelation(pairs),
    mean_difference: pairs.length === 0 ? null : mean(pairs.map(({ x, y }) => x - y)),
  };
}
