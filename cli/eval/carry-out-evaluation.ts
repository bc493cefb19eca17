import { carryOutEvaluation } from '../../runs/evaluate/carry-out';
import type { EvaluationRequest } from '../../runs/evaluate/evaluation-request';
import type { Store } from '../../data/store/store';
import { buildModelTable } from '../../data/model-table';
import { computeTrialUsage, projectTrials } from '../../engine/costs/projection';
import { computeCallsPerTrial } from '../../rules/method/trial';
import { readFailureCause } from '../../runs/folder/failed-call';
import { omitUndefined } from '../../schemas/omit-undefined';
import { getPurpose, type EvaluationPurpose } from '../../schemas/evaluation/purpose';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import type { EvaluationResult } from '../../workflows/evaluation/evaluation';
import type { EvaluationProgress } from '../../workflows/messages';
import type { CarryOutOptions } from '../options';
import { TRIALS } from '../work-text';
import { readSteeringRequest } from '../../runs/control/request';
import { estimateEvaluation, type EvaluationEstimate } from '../../runs/evaluate/estimate';
import { listCalledSpecs } from '../../rules/trials/cells';
import { PURPOSES } from '../../runs/evaluate/purposes';
import { formatEvaluationStart, printEvaluationEstimate } from './estimate';
import { readLedger } from '../../runs/estimate/ledgers';
import type { ProgressView, Status } from '../run/progress';
import { showRun } from '../run/show-run';
import { createCountProgress } from '../progress-lines';
import { printEvaluation } from './print-evaluation';

/** Carries an evaluation out, and shows its progress and its results. Returns the exit code. */
export async function runEvaluation(
  options: CarryOutOptions,
  request: Omit<EvaluationRequest, 'options'>,
  view: ProgressView,
): Promise<number> {
  const { folder, plan, todo } = request;
  const onEstimating = createCountProgress('Estimating the calls', `(${TRIALS})`);
  if (options.estimate === true) {
    const change = await readSteeringRequest(options, listCalledSpecs(plan.inputs));
    const estimate = await estimateEvaluation(request, change, options.batch !== undefined, onEstimating);
    return printEvaluationEstimate(options, estimate);
  }
  const onEstimate = (estimate: EvaluationEstimate) => view.say(formatEvaluationStart(estimate));
  const purpose = getPurpose(plan.inputs);
  view.countEarlier(await readLedger(folder.store, 'all'));
  const callsEach = computeCallsPerTrial(plan.inputs);
  const report = (line: string) => {
    // The last progress is older than the last trial.
    view.hide();
    view.say(line);
  };
  const onProgress = async (progress: EvaluationProgress) => {
    const work = countEvaluationWork(progress, view, callsEach);
    view.update(await buildStatus(progress, folder.store, { purpose, ...omitUndefined({ work }) }));
  };
  return showRun(
    options,
    folder.path,
    view,
    (command, observer) =>
      carryOutEvaluation(
        { ...request, options: command },
        { ...observer, onEstimate, onEstimating, onProgress, report },
      ),
    async ({ ended: result, written: evaluation }) => {
      const code = printEvaluation(options, folder.path, evaluation, todo.cells, view);
      // Reported last, because the other results are useful all the same.
      await refuseBroken(result, folder.store);
      return code;
    },
  );
}

async function refuseBroken({ broken, causes }: EvaluationResult, store: Store): Promise<void> {
  if (broken === 0) return;
  const lines = await Promise.all(causes.map(async (call) => `- ${await readFailureCause(store, call)}`));
  throw new Error(
    [
      `${formatCount(broken, 'instance')} failed for reasons unrelated to the models' answers:`,
      ...new Set(lines),
      'Nothing is lost. Fix these causes, then repeat the same command.',
    ].join('\n'),
  );
}

async function buildStatus(
  progress: EvaluationProgress,
  store: Store,
  { purpose, ...reading }: { readonly purpose: EvaluationPurpose } & Pick<Status, 'work'>,
): Promise<Status> {
  const { phase, total, done, skipped, missing, open, misconfiguration } = progress;
  const count = `${formatNumber(done + skipped)}${total === undefined ? '' : ` of ${formatNumber(total)}`}`;
  const progressText =
    phase === 'trials' ? `evaluated ${count} (${TRIALS})` : `${PURPOSES[purpose].studiesNoun} ${count} done`;
  const unusable = missing === 0 ? '' : `, ${formatCount(missing, 'call')} without a usable answer`;
  return {
    phase,
    summary: `${progressText}, ${formatNumber(open)} in progress${unusable}`,
    inProgress: [],
    ...reading,
    ...(misconfiguration === undefined
      ? {}
      : { misconfiguration: await readFailureCause(store, misconfiguration) }),
  };
}

/** Counts what is done and left: calls of trials, as in `cupid status`. Studies are counted themselves: their calls are not alike. */
function countEvaluationWork(
  { phase, total: all, done, skipped, open }: EvaluationProgress,
  view: ProgressView,
  callsEach: number,
): Status['work'] {
  if (all === undefined) return undefined;
  if (phase === 'studies') return { of: 'studies', done, left: all - done - skipped };
  const usage = computeTrialUsage(view.ledger(), buildModelTable({}));
  const callsLeft = projectTrials({ all, done: done + skipped, open, callsEach }, usage)?.callsLeft;
  return callsLeft === undefined
    ? undefined
    : { of: 'calls', done: usage.calls, left: callsLeft, counted: view.answered() };
}
