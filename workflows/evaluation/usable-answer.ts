import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import type { CheckedAnswer, CallOutcome } from '../../activities/ask-model';
import type { Place } from '../../activities/evaluation/inputs';
import { isFailedCall, isMisconfigured } from '../../engine/journal/failed-work';
import type { CallKey, AnswerRef } from '../../engine/journal/key';
import { formatCallPlace, type RetriedCalls } from '../../rules/trials/trials';
import type { EvaluationStep } from '../../schemas/run/step';
import type { EvaluationSteps } from '../../schemas/run/settings';
import { ask, preferFirstCall } from '../ask';
import { evaluationStoreActivities } from '../options';

/** Asks for one call of a workflow of evaluation; undefined, and stored as missing, when there is no usable answer. */
type Need = <T>(
  step: EvaluationStep,
  turn: CallKey['turn'],
  single: (place: Pick<Place, 'workflowId' | 'generation' | 'ask'>) => Promise<CheckedAnswer<T>>,
  /** Its first answer, where an activity that makes several calls brought it. */
  first?: () => CallOutcome<T> | undefined | Promise<CallOutcome<T> | undefined>,
) => Promise<{ value: T; ref: AnswerRef } | undefined>;

/**
 * How a workflow of evaluation asks. Where a model gave nothing that can be used, its score is missing until `cupid retry` has it
 * retried, and everything else continues. What is no fault of the model's answer, a configuration or something unexpected, ends the workflow: it stays open, and
 * another command does it (decision 6).
 */
export function createNeed(
  run: string,
  steps: EvaluationSteps,
  { generations }: RetriedCalls,
): { need: Need; missing: () => number } {
  const { workflowId } = workflowInfo();
  let missing = 0;
  const need: Need = async (step, turn, single, first = () => undefined) => {
    const revision = generations?.[formatCallPlace(step, turn)] ?? 0;
    try {
      return await ask(
        { workflowId, step, turn, revision },
        steps[step],
        preferFirstCall(first, (number) => single({ workflowId, generation: revision, ask: number })),
      );
    } catch (error) {
      if (!(error instanceof ApplicationFailure)) throw error;
      const failed: unknown = error.details?.[0];
      if (!isFailedCall(failed)) throw error;
      const { kind, cause } = failed;
      if (kind !== 'bad-request' && isMisconfigured({ kind })) {
        throw ApplicationFailure.nonRetryable(cause, 'misconfigured');
      }
      if (!OF_THE_MODEL.has(kind)) throw ApplicationFailure.nonRetryable(cause, kind);
      await evaluationStoreActivities.keepMissing({
        run,
        workflowId,
        call: { step, turn: String(turn), kind, cause },
      });
      missing += 1;
      return undefined;
    }
  };
  return { need, missing: () => missing };
}

/** What a model did, and would do again. A request that was refused as malformed may be one among many, and is fixed here. */
const OF_THE_MODEL: ReadonlySet<string> = new Set([
  'bad-answers',
  'refused',
  'context-length',
  'window-exceeded',
]);
