import { readBegunRun } from '../../runs/estimate/estimate';
import { listModels } from '../../engine/model-facts/roles';
import {
  listDifferences,
  growRun,
  isFinished,
  planRun,
  readRunRequest,
  type SynthesisRequest,
} from '../../runs/plan/inputs';
import { planRedo, type PlannedRestarts } from '../../runs/plan/restarts';
import {
  openRunFolder,
  findPlan,
  requireStore,
  SYNTHESIS,
  type RunFolder,
} from '../../runs/folder/run-folder';
import type { RunPlan } from '../../data/run/inputs';
import { hasDataSets, OUTPUT_PATHS } from '../../data/run/outputs';
import type { RunFile } from '../../schemas/run/run';
import { checkModels } from '../../workers/models';
import { printEstimate } from './estimate';
import { UsageError } from '../exit';
import { checkNewRunFolder } from '../../runs/plan/new-folder';
import type { SynthOptions } from '../options';
import { readSynthesisSettings } from './settings';
import { printUnchanged } from './synthesis-result';

/** `cupid synth`: starts, continues or extends the run of a folder. Returns the exit code. */
export async function runSynth(options: SynthOptions): Promise<number> {
  checkRedo(options);
  const settings = await readSynthesisSettings(options);
  // What is wrong with the files is reported before the folder is looked at.
  const wanted = await readRunRequest(settings, options);
  const plan = async (before: RunPlan | undefined, location?: string) => {
    const isOwn = before !== undefined && hasOwnMaterial(before);
    const request = isOwn ? await readRunRequest(settings, options, before) : wanted;
    const nPersonas = settings.nPersonas ?? before?.inputs.settings.nPersonas ?? request.settings.nPersonas;
    const grown = { ...request, settings: { ...request.settings, nPersonas } };
    return planFor(before, grown, options.outputDir, location);
  };
  if (options.estimate === true) {
    await requireStore(options.outputDir);
    const begun = await readBegunRun(options.outputDir);
    return printEstimate(options, await plan(begun?.plan), begun);
  }
  const folder = await openRunFolder(SYNTHESIS, options.outputDir, options.store);
  const before = await findPlan(folder);
  if (before === undefined) await checkNewRunFolder(folder, OUTPUT_PATHS);
  const planned = planRedoOf(options, folder, before, await plan(before, folder.location));
  const { run, store } = folder;
  if (run !== undefined && isFinished(planned.plan, run) && (await hasDataSets(store))) {
    return printUnchanged(options, folder, run, `The run in ${options.outputDir} is already finished`);
  }
  await checkModels(listModels(planned.plan.inputs), process.env);
  // Loaded only now: the engine's modules take longer than everything before.
  const { runSynthesis } = await import('./synthesize.js');
  return runSynthesis(options, folder, before, planned, Object.values(settings.models));
}

/** True where the run's personas or types are its own: it has a copy, so that the command need not name their files again. */
function hasOwnMaterial({ inputs }: RunPlan): boolean {
  return inputs.seeds.origin === 'personas' || inputs.settings.taxonomy !== undefined;
}

/** @throws UsageError when a part of `--only NUMBERS --redo` is missing, or with `--estimate`, which is for the whole run */
function checkRedo({ only, redo, redescribe, estimate }: SynthOptions): void {
  if (only !== undefined && estimate === true)
    throw new UsageError('--estimate covers the whole run. Remove --only and --redo, or --estimate.');
  if (only !== undefined && redo === undefined) {
    throw new UsageError(
      '--only selects the personas that --redo generates again. Add --redo, or remove --only.',
    );
  }
  if (only === undefined && (redo ?? redescribe) !== undefined) {
    throw new UsageError(
      '--redo and --redescribe need the numbers of the personas. Add them, for example --only 17,42.',
    );
  }
}

/** The plan with the personas that are to be generated again. */
function planRedoOf(
  { only, redescribe, outputDir }: SynthOptions,
  { run }: RunFolder<RunFile, RunPlan>,
  before: RunPlan | undefined,
  plan: RunPlan,
): PlannedRestarts {
  if (only === undefined) return { plan, resumed: [], lines: [] };
  if (before === undefined)
    throw new UsageError(
      `${outputDir} does not contain a run, so there is no persona to redo. Name the folder of a run, or remove --only and --redo.`,
    );
  if (redescribe === true && before.inputs.seeds.origin === 'personas') {
    throw new UsageError(
      '--redescribe cannot be used: no model wrote the descriptions of this run, they were given with --personas. Remove --redescribe.',
    );
  }
  const finished = run !== undefined && isFinished(before, run);
  return planRedo(plan, { personas: only, redescribe: redescribe === true }, finished);
}

/** What the folder's run is to be: a new one, the one it holds, or that one with more personas. */
async function planFor(
  before: RunPlan | undefined,
  wanted: SynthesisRequest,
  name: string,
  location: string | undefined,
): Promise<RunPlan> {
  if (before === undefined) return planRun(wanted);
  const different = listDifferences(before, wanted);
  if (different.length > 0) {
    throw new UsageError(
      [
        `${location ?? name} contains a run with other settings:`,
        ...different.map((line) => `- ${line}`),
        `Use the settings of that run to continue it, or name another --output-dir${location === undefined ? '' : ' and --store'}.`,
      ].join('\n'),
    );
  }
  return wanted.settings.nPersonas > before.inputs.settings.nPersonas ? growRun(before, wanted) : before;
}
