import { computeJudgeReliability, sampleForRepeats } from '../../../rules/analyses/judge-reliability';
import type { RepeatedJudgements, RepeatResults } from '../../../schemas/evaluation/results/studies';
import type { LocatedRow } from '../located-rows';
import type { StoredEvaluation } from '../outcomes';
import { getAnswerKey } from './answer-key';
import { readJudgements } from './judgements';
import type { Sample, Study, StudyBasis } from './study';

/** Repeated judgments, which show the agreement of judges with themselves. */
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
