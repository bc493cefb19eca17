import { buildPairTurn, buildRepeatTurn, type RetriedCalls } from '../../rules/trials/trials';
import type { StudyWork } from '../../schemas/evaluation/evaluation-run';
import { proxyEvaluationModelActivities } from '../options';
import { awaitAll, type EvaluationModels, type TrialResult } from './trial';
import { createNeed } from './usable-answer';

interface StudyInput extends EvaluationModels {
  readonly work: StudyWork & RetriedCalls;
}

/**
 * One piece of what is looked at beside the scores: a response judged again and again, an inference whose error is named (paper,
 * table 2), a pair matched that people have labelled (A.1), or the instances of a persona verified (3.2 and E).
 * @throws ApplicationFailure `misconfigured` when the configuration is invalid
 */
export async function study({ run, steps, work }: StudyInput): Promise<TrialResult> {
  const { need, missing } = createNeed(run, steps, work);
  const activities = proxyEvaluationModelActivities();
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
    case 'verification': {
      const { expressions, guesses, contradictions, rows, verifier, time } = work;
      const place = { run, rows, verifier, time };
      await awaitAll([
        ...countUpTo(expressions).map((turn) =>
          need('express', turn, (at) => activities.findExpressions({ ...place, turn, ...at })),
        ),
        ...countUpTo(contradictions).map((turn) =>
          need('contradict', turn, (at) => activities.findContradictions({ ...place, turn, ...at })),
        ),
        ...countUpTo(guesses).map(async (turn) => {
          const guessed = await need('guess', turn, (at) =>
            activities.guessFromRequest({ ...place, turn, ...at }),
          );
          // A request that reveals nothing covers nothing.
          if (guessed === undefined || guessed.value === '') return;
          const guess = guessed.ref;
          await need('match', turn, (at) => activities.matchGuess({ ...place, turn, guess, ...at }));
        }),
      ]);
      break;
    }
  }
  return { missing: missing() };
}

function countUpTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
