import { ApplicationFailure } from '@temporalio/workflow';
import type { EvaluationScript } from '../../activities/evaluation/make-calls';
import {
  getPlannedRun,
  type EvaluationScriptPlan,
  type WorkResult,
} from '../../rules/method/evaluation-calls';
import type { EvaluationCall } from '../../rules/method/evaluation-rules';
import { CallsFailed, type Script } from '../../rules/method/script';
import { buildFailedCall, carryOut, createMisconfiguredFailure, findMisconfiguration } from '../carry-out';
import { evaluationStoreActivities, proxyEvaluationModelActivities } from '../options';

export interface PieceResult {
  /** Calls without a usable answer. */
  readonly missing: number;
}

/**
 * Carries out a trial or a piece of a study, and stores which calls got no usable answer. An invalid configuration or an unexpected error ends the
 * workflow. The work then stays open, and another command does it.
 * @throws ApplicationFailure `misconfigured` when the configuration is invalid
 */
export async function carryOutWork(
  plan: EvaluationScriptPlan,
  script: EvaluationScript,
  follow: Script<WorkResult, EvaluationCall>,
): Promise<PieceResult> {
  const run = getPlannedRun(plan);
  try {
    const { missing } = await carryOut(follow, (_, outcomes) =>
      proxyEvaluationModelActivities().makeCalls({ ...run, script, known: outcomes }),
    );
    if (missing.length > 0) {
      await evaluationStoreActivities.keepMissing({ ...run, script });
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
