import { writeMissingCall } from '../../data/run/stored-calls';
import { openRecordedCalls } from '../../data/run/unanswered-calls';
import { buildPlan } from '../../rules/method/evaluation-calls';
import { openScript, type EvaluationScript } from '../../rules/method/evaluation-script';
import { explainFailure, readScript } from '../../rules/method/reader';
import type { EvaluationWorld } from './inputs';
import { openEvaluationAnswers } from './make-calls';

/**
 * Stores why calls of a piece of work gave no usable answer, from the journal and the records of unanswered calls. The scores that depend
 * on them are missing until the calls are retried.
 */
export async function keepMissing(
  { run }: EvaluationWorld,
  input: { readonly run: string; readonly script: EvaluationScript },
): Promise<void> {
  const { workflowId, follow } = openScript(input.script, buildPlan(run.inputs));
  const { result, attempts } = await readScript(
    follow,
    openEvaluationAnswers(run),
    openRecordedCalls(run.store, run.journal),
  );
  for (const failure of result?.missing ?? []) {
    const { step, turn } = failure.call;
    const { cause } = explainFailure(failure, attempts);
    await writeMissingCall(run.store, workflowId, { step, turn: String(turn), kind: failure.kind, cause });
  }
}
