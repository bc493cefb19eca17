import { readSteeringRequest } from '../../runs/control/request';
import { buildEstimate, readBegunRun } from '../../runs/synthesize/estimate';
import { listModels } from '../../engine/model-facts/roles';
import { isFinished } from '../../runs/synthesize/inputs';
import { openRunFolder, findPlan, requireStore, SYNTHESIS } from '../../runs/folder/run-folder';
import { DataSetsDamaged, hasDataSets, OUTPUT_PATHS } from '../../data/run/outputs';
import { checkModels } from '../../workers/models';
import { printEstimate } from './estimate';
import { UsageError } from '../exit';
import { checkNewRunFolder } from '../../runs/plan/new-folder';
import { readSynthesisSettings } from '../../runs/synthesize/settings';
import { createPlanner, planChosenRegeneration } from '../../runs/synthesize/plan';
import type { SynthOptions } from '../options';
import { printMessage } from '../output';
import { printUnchanged } from './synthesis-result';

/** Runs `cupid synth`: starts, continues or extends the run in a folder. Returns the exit code. */
export async function runSynth(options: SynthOptions): Promise<number> {
  checkRegeneration(options);
  const settings = await readSynthesisSettings(options);
  const plan = await createPlanner(settings, options);
  if (options.estimate === true && options.only === undefined) {
    await requireStore(options.outputDir);
    const begun = await readBegunRun(options.outputDir);
    const runPlan = await plan(begun?.plan);
    const change = await readSteeringRequest(options, listModels(runPlan.inputs));
    return printEstimate(
      options,
      await buildEstimate(runPlan, begun, change, options.batch !== undefined),
      runPlan,
    );
  }
  const folder = await openRunFolder(SYNTHESIS, options.outputDir, options.store);
  const before = await findPlan(folder);
  if (before === undefined) await checkNewRunFolder(folder, OUTPUT_PATHS);
  const restarts = planChosenRegeneration(options, folder, before, await plan(before, folder.location));
  const { run, store } = folder;
  if (options.estimate === true) {
    // Only what is generated again, which the plan alone does not show.
    const { runSynthesis } = await import('./synthesize.js');
    return runSynthesis(options, folder, before, restarts, []);
  }
  if (run !== undefined && isFinished(restarts.plan, run) && (await hasDataSets(store))) {
    try {
      return await printUnchanged(
        options,
        folder,
        run,
        `The run in ${options.outputDir} is already finished`,
      );
    } catch (error) {
      if (!(error instanceof DataSetsDamaged)) throw error;
      printMessage(`${error.problem} Building the data sets again from the records.`);
    }
  }
  await checkModels(listModels(restarts.plan.inputs), process.env);
  // Loaded only now: the engine's modules take longer than everything before.
  const { runSynthesis } = await import('./synthesize.js');
  return runSynthesis(options, folder, before, restarts, Object.values(settings.models));
}

/** @throws UsageError when a part of `--only NUMBERS --regenerate` is missing */
function checkRegeneration({ only, regenerate, redescribe }: SynthOptions): void {
  if (only !== undefined && regenerate === undefined) {
    throw new UsageError(
      '--only selects the personas that --regenerate generates again. Add --regenerate, or remove --only.',
    );
  }
  if (only === undefined && (regenerate ?? redescribe) !== undefined) {
    throw new UsageError(
      '--regenerate and --redescribe need the numbers of the personas. Add them, for example --only 17,42.',
    );
  }
}
