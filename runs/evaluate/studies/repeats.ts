import {
  computeJudgeReliability,
  sampleForRepeats,
  type JudgeReliability,
} from '../../../rules/analyses/judge-reliability';
import type { LocatedRow } from '../located-rows';
import type { StoredEvaluation } from '../outcomes';
import { getAnswerKey, type AnswerKey } from './answer-key';
import { readJudgements } from './judgements';
import type { Sample, Study, StudyBasis } from './study';

/** Repeated judgements, which show the agreement of judges with themselves. */
export const REPEATS: Study<'repeats', RepeatResults> = {
  tasks: ['generation'],
  evaluators: ['generation'],
  readsPersonas: false,
  buildRequest: ({ judgeRepeats }) => judgeRepeats,
  draw: drawRepeats,
  getRequest: ({ times }) => times,
  read: readRepeats,
};

/** Number of responses of each cell that are judged again. */
const REPEATED_RESPONSES = 50;

interface RepeatResults {
  readonly judge_reliability: readonly JudgeReliability[];
  readonly repeated_scores: readonly RepeatedJudgements[];
}

/** A response, and its scores from one judge, beginning with the counted one; null for a judgement without a score. */
interface RepeatedJudgements extends AnswerKey {
  readonly evaluator: string;
  readonly scores: readonly (number | null)[];
  readonly response_tokens: number | null;
}

function drawRepeats({ evaluation, rows, cohorts }: StudyBasis, times: number): Sample<'repeats'> {
  const sample = sampleForRepeats(rows, REPEATED_RESPONSES, evaluation.inputs.settings.seed, cohorts);
  const work = sample.map(({ place: { key, judge, response } }) => ({
    kind: 'repeats' as const,
    ...key,
    judge,
    response,
    times,
  }));
  return { times, work };
}

async function readRepeats(
  evaluation: StoredEvaluation,
  { work }: Sample<'repeats'>,
  rows: readonly LocatedRow[],
): Promise<RepeatResults | undefined> {
  const again = await readJudgements(evaluation, work, rows);
  if (again === undefined) return undefined;
  const reliabilityRows = again.map(({ row, scores }): RepeatedJudgements => {
    const { evaluator, response_tokens } = row;
    return { ...getAnswerKey(row), evaluator, scores: [row.score, ...scores], response_tokens };
  });
  return { judge_reliability: computeJudgeReliability(reliabilityRows), repeated_scores: reliabilityRows };
}
