import type { AnswerRef } from '../../engine/journal/key';
import type { PairWork, StudyWork } from '../../schemas/evaluation/studies';
import { buildPairTurn, buildRepeatTurn, buildStudyId, type RetriedCalls } from './evaluation-work';
import {
  Asker,
  getEvaluator,
  placeStep,
  type EvaluationScriptPlan,
  type InferenceRefs,
  type PlacedStep,
  type VerifiedCall,
  type WorkResult,
} from './evaluation-calls';
import { all, type Script } from './script';
import type { JudgeCall } from './trial';

/** A call of a study, with the references that its request is built from. */
export type StudyCall =
  | JudgeCall
  | (PlacedStep<'classify'> & InferenceRefs)
  | (PlacedStep<'match'> & { readonly of: 'pair'; readonly pair: Pick<PairWork, 'id' | 'matcher'> })
  | (PlacedStep<'match'> & VerifiedCall & { readonly of: 'guess'; readonly guess: AnswerRef })
  | (PlacedStep<'express' | 'contradict' | 'guess'> & VerifiedCall);

/**
 * Conducts one piece of a study, which goes beyond the scores. It judges a response again or on another preference, or classifies the error of an
 * inference (table 2). It matches a given pair (A.1), or verifies a persona's instances (3.2, E).
 * @throws CallsFailed for failures that no answer of a model caused
 */
export function* conductStudy(
  plan: EvaluationScriptPlan,
  work: StudyWork & RetriedCalls,
): Script<WorkResult<StudyCall>, StudyCall> {
  const { revisions, ...studied } = work;
  const place = {
    workflowId: buildStudyId(plan.run, work),
    ...(revisions === undefined ? {} : { revisions }),
  };
  const asker = new Asker<StudyCall>(plan);
  switch (studied.kind) {
    case 'repeats': {
      const { judge, times, response, instance, model, context } = studied;
      const again = Array.from({ length: times - 1 }, (_, index) => index + 2);
      yield* all(
        again.map((repetition) => {
          const call = placeStep(
            place,
            'judge',
            buildRepeatTurn(judge, repetition),
            getEvaluator(plan, judge),
          );
          return asker.need({ ...call, trial: { instance, model, context }, response, repetition });
        }),
      );
      break;
    }
    case 'crossed':
    case 'misapplied': {
      const { judge, response, instance, model, context } = studied;
      const target = studied.kind === 'crossed' ? studied.row : 'contrastive';
      const call = placeStep(place, 'judge', judge, getEvaluator(plan, judge));
      yield* asker.need({ ...call, trial: { instance, model, context }, response, repetition: 1, target });
      break;
    }
    case 'error': {
      const { labeller, inference, instance, model, context } = studied;
      const call = placeStep(place, 'classify', labeller, getEvaluator(plan, labeller));
      yield* asker.need({ ...call, trial: { instance, model, context }, inference });
      break;
    }
    case 'pair': {
      const { id, matcher } = studied;
      const call = placeStep(place, 'match', buildPairTurn(matcher), getEvaluator(plan, matcher.number));
      yield* asker.need({ ...call, of: 'pair', pair: { id, matcher } });
      break;
    }
    case 'verification': {
      const { expressions, guesses, contradictions, rows, verifier, round } = studied;
      const verified = { rows, verifier, round };
      const at = <S extends 'express' | 'contradict' | 'guess' | 'match'>(step: S, turn: number) =>
        placeStep(place, step, turn, getEvaluator(plan, verifier));
      yield* all<unknown, StudyCall>([
        ...countUpTo(expressions).map((turn) => asker.need({ ...at('express', turn), verified })),
        ...countUpTo(contradictions).map((turn) => asker.need({ ...at('contradict', turn), verified })),
        ...countUpTo(guesses).map(function* (turn): Script<void, StudyCall> {
          const guessed = yield* asker.need({ ...at('guess', turn), verified });
          // A request that reveals nothing covers nothing.
          if (guessed === undefined || guessed.facts.isEmpty) return;
          yield* asker.need({ ...at('match', turn), verified, of: 'guess', guess: guessed.ref });
        }),
      ]);
      break;
    }
  }
  return asker;
}

function countUpTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
