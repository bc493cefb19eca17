import { condition, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import type { BatchRound } from '../../activities/batch/collect';
import type { PlansToCollect } from '../../activities/synthesis/collect-plans';
import { buildControlWorkflowId } from '../../engine/journal/key';
import type { EvaluationScriptPlan } from '../../rules/method/evaluation-calls';
import type { EvaluationWork } from '../evaluation/evaluation';
import { batchProgress, ledgersChanged, moveTo, type BatchProgress } from '../messages';
import { continueOn, proxyBatchActivities, proxyCollectingActivities } from '../options';

/** The work whose calls go into batches. */
export type BatchedWork =
  | (Extract<EvaluationWork, { readonly phase: 'trials' }> & Pick<EvaluationScriptPlan, 'dataState'>)
  | ({ readonly phase: 'plans' } & Omit<PlansToCollect, 'run'>);

interface BatchesInput {
  readonly run: string;
  readonly work: BatchedWork;
  /** Milliseconds to wait for a batch. */
  readonly waitMs: number;
  /** State when this continued as new; absent at the beginning. */
  readonly state?: BatchesResult;
}

export interface BatchesResult {
  readonly batches: number;
  /** Calls answered by batches. */
  readonly answered: number;
  /** Calls left over, which are sent one by one. */
  readonly left: number;
}

/**
 * Has batches answer as many calls of a run as they can, in rounds. A round collects the calls that can be made now by model and step, sends
 * them, and waits. The calls that depend on their answers are the next round. Its state is in the store, so it may be started again at any
 * time. Answers enter the journal under their usual keys, where the ordinary workflows find them, and send what is left.
 * @throws ApplicationFailure when a batch cannot be sent or read; nothing is lost by that
 */
export async function batches(input: BatchesInput): Promise<BatchesResult> {
  const { run, work, waitMs } = input;
  const total = { batches: 0, answered: 0, left: 0, ...input.state };
  let progress: BatchProgress = { collecting: true, batches: 0, ended: 0, requests: 0, answered: 0 };
  let fullMs = 0;
  const { submitBatch, pollBatches, fetchBatch } = proxyBatchActivities();
  let movesTo: string | undefined;
  setHandler(batchProgress, () => progress);
  setHandler(moveTo, (queue) => void (movesTo = queue));

  for (;;) {
    progress = { ...progress, collecting: true };
    const { batches: open } = await collect(run, work);
    if (open.length === 0) return total;
    const requests = open.reduce((sum, batch) => sum + batch.requests, 0);
    progress = { collecting: false, batches: open.length, ended: 0, requests, answered: 0 };
    // One after the other, so that each check includes what the others took from the budget.
    for (const { number } of open) {
      await submitBatch({ run, number, waitMs });
      await reportSpending(run);
    }

    let answeredNow = 0;
    let isFull = false;
    const pending = new Set(open.map(({ number }) => number));
    for (let pauseMs = FIRST_POLL_MS; pending.size > 0; pauseMs = Math.min(pauseMs * 2, POLL_MS)) {
      if (movesTo !== undefined || workflowInfo().continueAsNewSuggested) {
        await continueOn<typeof batches>(movesTo, { ...input, state: total });
      }
      if (await condition(() => movesTo !== undefined, pauseMs)) continue;
      const polled = await pollBatches({ run, numbers: [...pending], waitMs });
      for (const { number, ended } of polled) {
        if (!ended) continue;
        const fetched = await fetchBatch({ run, number });
        await reportSpending(run);
        pending.delete(number);
        answeredNow += fetched.answers;
        isFull ||= fetched.outcome === 'full';
        total.batches += 1;
        total.answered += fetched.answers;
        total.left += fetched.unansweredCalls;
      }
      const partial = polled.reduce((sum, { ended, answers = 0 }) => sum + (ended ? 0 : answers), 0);
      progress = { ...progress, ended: open.length - pending.size, answered: answeredNow + partial };
    }
    // The provider accepts no more requests until other batches end.
    if (!isFull || answeredNow > 0) continue;
    if (fullMs >= waitMs) return total;
    await condition(() => movesTo !== undefined, FULL_MS);
    fullMs += FULL_MS;
  }
}

function collect(run: string, work: BatchedWork): Promise<BatchRound> {
  const { collectTrials, collectPlans } = proxyCollectingActivities();
  if (work.phase === 'plans') {
    const { phase: _, ...plans } = work;
    return collectPlans({ run, ...plans });
  }
  const { phase: _, ...trials } = work;
  return collectTrials({ run, ...trials });
}

/** Notifies the control of the run, because batches count toward the budget. */
async function reportSpending(run: string): Promise<void> {
  try {
    await getExternalWorkflowHandle(buildControlWorkflowId(run)).signal(ledgersChanged);
  } catch {
    // The control has ended, or is being replaced by one that reads the ledgers itself.
  }
}

/** A batch of a few requests may end within seconds; most take minutes, and some a day. */
const FIRST_POLL_MS = 1_000;
const POLL_MS = 120_000;

const FULL_MS = 10 * 60_000;
