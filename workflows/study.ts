import { pairTurn, repeatTurn, specOf } from '../rules/trials';
import type { StudyWork } from '../schemas/evaluation-run';
import { evaluating } from './options';
import { all, type EvaluationModels, type TrialResult } from './trial';
import { GENERATION, needing } from './usable';

export interface StudyInput extends EvaluationModels {
  readonly work: StudyWork;
}

/**
 * One piece of what is looked at beside the scores: a response judged again and again, an inference whose error is named (paper,
 * table 2), or a pair matched that people have labelled (A.1).
 * @throws ApplicationFailure `misconfigured` when the set-up is at fault
 */
export async function study({ run, evaluators, steps, work }: StudyInput): Promise<TrialResult> {
  const { need, missing } = needing(run, steps);
  const evaluator = (number: number) => evaluating(run, specOf(evaluators, number));
  const generation = GENERATION;
  switch (work.kind) {
    case 'repeats': {
      const { judge, times, response, instance, model, given } = work;
      const place = { run, instance, model, given, generation, response, judge };
      const again = Array.from({ length: times - 1 }, (_, index) => index + 2);
      await all(
        again.map((time) =>
          need('judge', repeatTurn(judge, time), (n) =>
            evaluator(judge).judgeResponse({ ...place, time, ask: n }),
          ),
        ),
      );
      break;
    }
    case 'error': {
      const { labeller, inference, instance, model, given } = work;
      const place = { run, instance, model, given, generation, inference, labeller };
      await need('classify', labeller, (n) => evaluator(labeller).classifyError({ ...place, ask: n }));
      break;
    }
    case 'pair': {
      const { matcher } = work;
      await need('match', pairTurn(matcher), (n) =>
        evaluator(matcher.number).matchPair({ ...work, run, generation, ask: n }),
      );
      break;
    }
  }
  return { missing: missing() };
}
