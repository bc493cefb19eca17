import type { RunPlan } from '../../data/run/inputs';
import { carryOutSynthesis } from '../../runs/synthesize/carry-out';
import { readFailureCause } from '../../runs/folder/failed-call';
import { listModels } from '../../engine/model-facts/roles';
import { readSteeringRequest } from '../../runs/control/request';
import { projectPlan } from '../../runs/synthesize/estimate';
import { estimateSynthesis } from '../../runs/synthesize/estimate-restarts';
import { readLedger } from '../../runs/estimate/ledgers';
import { AnswersReader } from '../../runs/synthesize/read-answers';
import type { RunFolder } from '../../runs/folder/run-folder';
import type { PlannedRestarts } from '../../runs/synthesize/restarts';
import type { RunFile } from '../../schemas/run/run';
import type { CarryOutOptions } from '../options';
import { createProgressView } from '../run/progress';
import { showRun } from '../run/show-run';
import { formatStart, printEstimate } from './estimate';
import { createSynthesisProgressReader } from './synthesis-progress';
import { printSynthesisResult } from './synthesis-result';

/**
 * Carries a synthesis run out, and shows its progress and its result. Returns the exit code.
 * @param before the plan that the folder held when it was read
 * @param specs the SPECs on the command line
 */
export async function runSynthesis(
  options: CarryOutOptions,
  folder: RunFolder<RunFile, RunPlan>,
  before: RunPlan | undefined,
  restarts: PlannedRestarts,
  specs: readonly string[],
): Promise<number> {
  const { plan } = restarts;
  const change = await readSteeringRequest(options, listModels(plan.inputs));
  const estimate = await estimateSynthesis(folder, before, restarts, change, options.batch !== undefined);
  if (options.estimate === true) return printEstimate(options, estimate, plan);
  await using view = createProgressView(process.stderr, options.json === true);
  view.say(formatStart(estimate));
  if (before !== undefined) view.countEarlier(await readLedger(folder.store, 'all'));
  const reader = new AnswersReader(plan.inputs, folder.store);
  const status = createSynthesisProgressReader(
    async () => {
      const answeredCount = view.answered();
      const answers = await reader.read();
      const callsLeft = projectPlan(plan, answers, view.ledger()).remaining.likely.calls;
      return { answers, bad: view.totals().badAnswers, callsLeft, counted: answeredCount };
    },
    plan.inputs.settings.nSessions,
    (call) => readFailureCause(folder.store, call),
  );
  return await showRun(
    options,
    folder.path,
    view,
    (command, observer) =>
      carryOutSynthesis(
        { folder, before, planned: restarts, named: specs, options: command },
        { ...observer, onProgress: async (now) => view.update(await status(now)) },
      ),
    (finished) => printSynthesisResult(options, folder, finished, view),
  );
}
