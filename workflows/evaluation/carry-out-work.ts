import { ApplicationFailure } from '@temporalio/workflow';
import type { EvaluationScript } from '../../activities/evaluation/make-calls';
import type { EvaluationPlan, WorkResult } from '../../rules/method/evaluation-calls';
import type { EvaluationCall } from '../../rules/method/evaluation-rules';
import { CallsFailed, type Script } from '../../rules/method/script';
import { buildFailedCall, carryOut, createMisconfiguredFailure, findMisconfiguration } from '../carry-out';
import { evaluationStoreActivities, proxyEvaluationModelActivities } from '../options';

export interface PieceResult {
  /** Calls that gave nothing that could be used. */
  readonly missing: number;
}

/**
 * Carries out a trial or a piece of a study, and stores which calls gave no usable answer. What is no fault of a model's answer, a
 * configuration or something unexpected, ends the workflow: the work stays open, and another command does it.
 * @throws ApplicationFailure `misconfigured` when the configuration is invalid
 */
export async function carryOutWork(
  plan: EvaluationPlan,
  script: EvaluationScript,
  follow: Script<WorkResult, EvaluationCall>,
): Promise<PieceResult> {
  const { run } = plan;
  try {
    const { missing } = await carryOut(follow, (_, known) =>
      proxyEvaluationModelActivities().makeCalls({ run, script, known }),
    );
    if (missing.length > 0) {
      await evaluationStoreActivities.keepMissing({ run, script });
    }
    return { missing: missing.length };
  } catch (error) {
    if (!(error instanceof CallsFailed)) throw error;
    const failures = error.failures.filter(({ kind }) => kind !== 'bad-request');
    const misconfigured = findMisconfiguration(failures);
    if (misconfigured !== undefined) throw createMisconfiguredFailure(misconfigured);
    const [first] = error.failures.map(buildFailedCall);
    throw ApplicationFailure.nonRetryable(`A call failed (${first?.kind ?? ''}).`, first?.kind, first);
  }
}
