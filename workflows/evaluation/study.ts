import { pairTurn, repeatTurn, type Retried } from '../../rules/trials/trials';
import type { StudyWork } from '../../schemas/evaluation-run';
import { evaluating } from '../options';
import { all, type EvaluationModels, type TrialResult } from './trial';
import { needing } from './usable-answer';

export interface StudyInput extends EvaluationModels {
  readonly work: StudyWork & Retried;
}

/**
 * One piece of what is looked at beside the scores: a response judged again and again, an inference whose error is named (paper,
 * table 2), or a pair matched that people have labelled (A.1).
 * @throws ApplicationFailure `misconfigured` when the set-up is at fault
 */
export async function study({ run, steps, work }: StudyInput): Promise<TrialResult> {
  const { need, missing } = needing(run, steps, work);
  const activities = evaluating(run);
  switch (work.kind) {
    case 'repeats': {
      const { judge, times, response, instance, model, given } = work;
      const place = { run, instance, model, given, response, judge };
      const again = Array.from({ length: times - 1 }, (_, index) => index + 2);
      await all(
        again.map((time) =>
          need('judge', repeatTurn(judge, time), (at) => activities.judgeResponse({ ...place, time, ...at })),
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
      await need('match', pairTurn(matcher), (at) => activities.matchPair({ ...pair, run, ...at }));
      break;
    }
  }
  return { missing: missing() };
}
