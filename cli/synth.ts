import { join, relative } from 'node:path';
import { begunRun, callsLeftOf, stepsLeftOf } from '../client/estimate';
import { driveRun, type RunResult } from '../client/drive-run';
import {
  differences,
  growRun,
  modelsOf,
  planRun,
  readWanted,
  synthesisUses,
  type Wanted,
} from '../client/inputs';
import { synthesisWarnings } from '../client/model-warnings';
import { AnswersReader } from '../client/read-answers';
import { planRedo, reopenPersonas, type PlannedRestarts } from '../client/restarts';
import {
  lockRunFolder,
  openRunFolder,
  planOf,
  requireStore,
  SYNTHESIS,
  writeRunFile,
  type RunFolder,
} from '../client/run-folder';
import { failedPersonas } from '../data/artifacts';
import { keepPlan, type RunPlan } from '../data/inputs';
import { bringOutputs, hasDataSets, OUTPUT_PATHS } from '../data/outputs';
import type { PlacedOutputs } from '../data/place-outputs';
import { counted } from '../schemas/count-text';
import { anySimulated } from '../schemas/model-spec';
import type { RunFile } from '../schemas/run';
import { SYNTHESIS_STEPS } from '../schemas/step';
import { checkModels } from '../workers/models';
import { parametersInForce, synthesisActivities, synthesisFiles } from '../workers/world';
import { carryOut, type Host } from './carry-out';
import { printEstimate } from './estimate';
import { EXIT, UsageError } from './exit';
import { checkNewRunFolder } from './new-run';
import type { CarryOutOptions, SynthOptions } from './options';
import { settingsOf } from './settings';
import { print } from './output';
import { placedLines } from './placed-text';
import { progressView, type ProgressView } from './progress';
import { resultLines } from './result';
import { runStatus } from './run-status';
import { steeringOf } from './steering';

/** `cupid synth`: starts, continues or extends the run of a folder. Returns the exit code. */
export async function synth(options: SynthOptions): Promise<number> {
  checkRedo(options);
  const settings = await settingsOf(options);
  const wanted = await readWanted(settings, options);
  if (options.estimate === true) {
    await requireStore(options.outputDir);
    const begun = await begunRun(options.outputDir);
    return printEstimate(options, await planFor(begun?.plan, wanted, options.outputDir), begun);
  }
  const folder = await openRunFolder(SYNTHESIS, options.outputDir);
  const before = await planOf(folder);
  if (before === undefined) await checkNewRunFolder(folder, OUTPUT_PATHS);
  const planned = redone(options, folder, before, await planFor(before, wanted, options.outputDir));
  const { run, store } = folder;
  if (run !== undefined && isFinished(planned.plan, run) && (await hasDataSets(store))) {
    return tellUnchanged(options, folder, run, `The run in ${options.outputDir} is already finished`);
  }
  await checkModels(modelsOf(planned.plan.inputs), process.env);
  return synthesize(options, folder, before, planned, Object.values(settings.models));
}

/** @throws UsageError when a part of `--only NUMBERS --redo` is missing */
function checkRedo({ only, redo, redescribe }: SynthOptions): void {
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
function redone(
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
  const finished = run !== undefined && isFinished(before, run);
  const planned = planRedo(plan, { personas: only, redescribe: redescribe === true }, finished);
  if ('problem' in planned) throw new UsageError(`--only ${planned.problem}`);
  return planned;
}

/** True when the run came to its end as the plan has it. */
export function isFinished(plan: RunPlan, run: RunFile): boolean {
  return run.state === 'finished' && isKnown(plan, run);
}

/** True when `run.json` lists every growth and restart of the plan: it is written once the engine has started them. */
function isKnown({ inputs }: RunPlan, run: RunFile): boolean {
  return run.growth.length === inputs.growth.length && run.restarts.length === inputs.restarts.length;
}

/** What the folder's run is to be: a new one, the one it holds, or that one with more personas. */
async function planFor(before: RunPlan | undefined, wanted: Wanted, name: string): Promise<RunPlan> {
  if (before === undefined) return planRun(wanted);
  const different = differences(before, wanted);
  if (different.length > 0) {
    throw new UsageError(
      [
        `${name} contains a run with other settings:`,
        ...different.map((line) => `- ${line}`),
        'Use the settings of that run to continue it, or name another --output-dir.',
      ].join('\n'),
    );
  }
  return wanted.settings.nPersonas > before.inputs.settings.nPersonas ? growRun(before, wanted) : before;
}

/**
 * Carries a synthesis run out, to its end: what the folder holds of it, and what is planned anew. Returns the exit code.
 * @param before what the folder held when it was looked at
 * @param named the SPECs on the command line
 */
export async function synthesize(
  options: CarryOutOptions,
  folder: RunFolder<RunFile, RunPlan>,
  before: RunPlan | undefined,
  planned: PlannedRestarts,
  named: readonly string[],
): Promise<number> {
  const { plan, resumed, lines } = planned;
  const { inputs } = plan;
  const { run: known, store } = folder;
  const models = modelsOf(inputs);
  await using view = progressView(process.stderr, options.json === true);
  const reader = new AnswersReader(inputs, store);
  const status = runStatus(async () => {
    const answers = await reader.read();
    return { answers, callsLeft: callsLeftOf(plan, answers) };
  }, inputs.settings.nSessions);
  const fileAt = (host: Host): RunFile => ({
    format: 1,
    kind: 'synthesis',
    ...inputs,
    ...host,
    simulated: anySimulated(models),
    state: 'running',
  });
  const reopened =
    planned.damaged !== undefined ||
    resumed.length > 0 ||
    inputs.restarts.length > (before?.inputs.restarts.length ?? 0);
  // What is opened again counts as done until it is.
  const stepsLeft = async () =>
    reopened || before === undefined ? SYNTHESIS_STEPS : stepsLeftOf(plan, await reader.read());
  let file: RunFile | undefined;
  const finished = await carryOut(
    {
      folder,
      before,
      id: inputs.id,
      models,
      uses: options.check ? synthesisUses(inputs, await stepsLeft()) : [],
      consent: { asked: models, named, trust: options.trust === true },
      concurrency: options.concurrency,
      steering: await steeringOf(options, models),
      profile: options.profile,
      view,
      observe: view.observe,
      async keep(host) {
        if (plan !== before) await keepPlan(store, plan);
        file = fileAt(host);
        if (before === undefined) await writeRunFile(folder, file);
        await reopenPersonas(folder, planned, reopened);
        const warnings = before === undefined ? await synthesisWarnings(store, inputs.settings.models) : [];
        for (const line of [...warnings, ...lines]) view.say(line);
        // Other code, more personas or other work than the workflows left in the engine know, or another engine than was told
        // of the run last: they start again, from the journal.
        const current =
          known !== undefined &&
          !reopened &&
          isKnown(plan, known) &&
          known.codeVersion === host.codeVersion &&
          known.engine === host.engine;
        return { afresh: before !== undefined && !current };
      },
      told: (host) => writeRunFile(folder, fileAt(host)),
      read: ({ codeVersion }) => synthesisFiles(store, { codeVersion, scratch: folder.scratch }),
      activities: synthesisActivities,
    },
    async ({ engine, follow }) => {
      await using run = await driveRun(engine, inputs, options.concurrency);
      const result = await follow(run, status);
      if (file === undefined || result.finished + result.failed !== inputs.settings.nPersonas) {
        throw new Error(
          `The run ended early: ${result.finished} of ${counted(inputs.settings.nPersonas, 'persona')} finished and ${result.failed} failed. Nothing is lost. Repeat the same command.`,
        );
      }
      const placed = await bringOutputs(folder);
      const parameters = await parametersInForce(store, inputs.settings);
      const complete: RunFile = { ...file, state: 'finished', parameters, counts: countsOf(result) };
      await writeRunFile(folder, complete);
      return { run: complete, placed };
    },
  );
  if (finished === 'interrupted') return EXIT.interrupted;
  view.hide();
  return tellResult(options, folder, finished, view);
}

function countsOf(result: RunResult): NonNullable<RunFile['counts']> {
  const { personas, failed, leftOut, instances, unsatisfiedDialogues } = result;
  return { personas, failed, leftOut, instances, unsatisfiedDialogues };
}

/** Prints the result of a finished run, and why nothing is done. Missing outputs are written again. Returns the exit code. */
export async function tellUnchanged(
  options: CarryOutOptions,
  folder: RunFolder,
  run: RunFile,
  why: string,
): Promise<number> {
  await using _lock = await lockRunFolder(folder);
  const placed = await bringOutputs(folder);
  if (options.json !== true) {
    const { written } = placed;
    const done = written.length === 0 ? 'Nothing was changed.' : `Written again: ${written.join(', ')}.`;
    print(`${why}. ${done}`);
  }
  return tellResult(options, folder, { run, placed });
}

/** Prints the result of a finished run on standard output. */
async function tellResult(
  options: CarryOutOptions,
  folder: Pick<RunFolder, 'path' | 'store'>,
  { run, placed }: { readonly run: RunFile; readonly placed: PlacedOutputs },
  view?: ProgressView,
): Promise<number> {
  const failures = (await failedPersonas(folder.store)).flat();
  const isComplete = failures.length === 0 && placed.withheld.length === 0;
  const code = isComplete ? EXIT.done : EXIT.withFailures;
  const shown = (file: string) => relative(process.cwd(), join(folder.path, file)) || '.';
  if (options.json === true) {
    const result = {
      run: run.id,
      folder: folder.path,
      simulated: run.simulated,
      counts: run.counts,
      outputs: placed,
      failures,
    };
    const calls = view === undefined ? {} : { calls: view.totals() };
    print(JSON.stringify({ ...result, ...calls }, null, 2));
    return code;
  }
  const lines = [...resultLines(run, failures, shown), ...placedLines(placed, shown, AGAIN)];
  print(lines.join('\n'));
  return code;
}

const AGAIN = 'repeat the cupid synth command of this run, without --redo. It calls no model.';
