import { log, TemporalFailure, workflowInfo } from '@temporalio/workflow';
import { getPlannedRun, type EvaluationScriptPlan } from '../../rules/method/evaluation-calls';
import { openScript, type EvaluationScript } from '../../rules/method/evaluation-script';
import { CallsFailed } from '../../rules/method/script';
import type { FailedCall } from '../../schemas/run/outcome';
import { buildFailedCall, carryOut, findMisconfiguration } from '../carry-out';
import { evaluationStoreActivities, proxyEvaluationModelActivities } from '../options';

/** How a piece of work ended. */
type PieceEnd =
  /** @field missing its calls without a usable answer */
  | { readonly state: 'done'; readonly missing: number }
  /** It is still open, and another command does it. */
  | { readonly state: 'misconfigured' | 'broken'; readonly cause: FailedCall };

/** Carries out a trial or a piece of a study, and stores which calls got no usable answer. Never throws. */
export async function carryOutWork(plan: EvaluationScriptPlan, script: EvaluationScript): Promise<PieceEnd> {
  const run = getPlannedRun(plan);
  const { follow } = openScript(script, plan);
  try {
    const { missing } = await carryOut(follow, (_, outcomes) =>
      proxyEvaluationModelActivities().makeCalls({ ...run, script, known: outcomes }),
    );
    if (missing.length > 0) await evaluationStoreActivities.keepMissing({ ...run, script });
    return { state: 'done', missing: missing.length };
  } catch (error) {
    const failures = error instanceof CallsFailed ? error.failures : [];
    const misconfigured = findMisconfiguration(failures.filter(({ kind }) => kind !== 'bad-request'));
    if (misconfigured !== undefined) return { state: 'misconfigured', cause: misconfigured };
    const [first] = failures.map(buildFailedCall);
    if (first !== undefined) return { state: 'broken', cause: first };
    // An activity stores the cause of its failure under the workflow's id. Anything else is a defect of this program.
    if (!(error instanceof TemporalFailure)) log.error(String(error));
    return { state: 'broken', cause: { kind: 'unexpected', key: workflowInfo().workflowId } };
  }
}
