import { buildPairTurn, buildRepeatTurn, type RetriedCalls } from '../../rules/trials/trials';
import type { StudyWork } from '../../schemas/evaluation/evaluation-run';
import { proxyEvaluationModelActivities } from '../options';
import { awaitAll, type EvaluationModels, type TrialResult } from './trial';
import { createNeed } from './usable-answer';

export interface StudyInput extends EvaluationModels {
  readonly work: StudyWork & RetriedCalls;
}

/**
 * One piece of what is looked at beside the scores: a response judged again and again, an inference whose error is named (paper,
 * table 2), or a pair matched that people have labelled (A.1).
 * @throws ApplicationFailure `misconfigured` when the configuration is invalid
 */
export async function study({ run, steps, work }: StudyInput): Promise<TrialResult> {
  const { need, missing } = createNeed(run, steps, work);
  const activities = proxyEvaluationModelActivities(run);
  switch (work.kind) {
    case 'repeats': {
      const { judge, times, response, instance, model, given } = work;
      const place = { run, instance, model, given, response, judge };
      const again = Array.from({ length: times - 1 }, (_, index) => index + 2);
      await awaitAll(
        again.map((time) =>
          need('judge', buildRepeatTurn(judge, time), (at) =>
            activities.judgeResponse({ ...place, time, ...at }),
          ),
        ),
      );
      break;
    }
    case 'error': {
      const { labeller, inference, instance, model, given } = work;
      const place = { run, instance, model, given, inference, labeller };
      await need('classify', labeller, (at) => activities.classifyError({ ...place, ...at }));
      break;
    }
    case 'pair': {
      const { generations: _, ...pair } = work;
      const { matcher } = pair;
      await need('match', buildPairTurn(matcher), (at) => activities.matchPair({ ...pair, run, ...at }));
      break;
    }
  }
  return { missing: missing() };
}
