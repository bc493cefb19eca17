import { join, relative } from 'node:path';
import { driveRun, endWorkflows, type DrivenRun, type RunResult } from '../client/drive';
import { differences, growRun, planRun, readWanted, type Wanted } from '../client/inputs';
import {
  assertUnchanged,
  lockRunFolder,
  openRunFolder,
  planOf,
  writeRunFile,
  type RunFolder,
} from '../client/run-folder';
import { failedPersonas } from '../data/artifacts';
import { keepPlan, type RunPlan } from '../data/inputs';
import { bringOutputs } from '../data/outputs';
import { anySimulated } from '../schemas/model-spec';
import type { RunFile } from '../schemas/run';
import { clusterChosen, connectCluster, EMBEDDED, startEmbedded } from '../workers/engine';
import { checkModels } from '../workers/models';
import { findTemporal } from '../workers/temporal-binary';
import { startWorkers } from '../workers/worker';
import { workflowBundle } from '../workers/workflow-bundle';
import { openWorld } from '../workers/world';
import { COMMAND, EXIT, UsageError } from './exit';
import { untilInterrupted } from './interrupt';
import { settingsOf, type SynthOptions } from './options';
import { progressView, type ProgressView } from './progress';
import { resultLines } from './result';

/** `cupid synth`: begins, continues or grows the run of a folder. Returns the exit code. */
export async function synth(options: SynthOptions): Promise<number> {
  const settings = await settingsOf(options);
  const folder = await openRunFolder(options.outputDir);
  const wanted = await readWanted(settings, options);
  const before = await planOf(folder);
  const plan = await planFor(before, wanted, options.outputDir);
  if (folder.run?.state === 'finished' && isKnown(plan, folder.run)) {
    return tellFinished(options, folder, folder.run);
  }
  await checkModels(Object.values(settings.models), process.env);
  return carryOut(options, folder, before, plan);
}

/** True when `run.json` knows the run as large as the plan: it is written once the engine was told. */
function isKnown(plan: RunPlan, run: RunFile): boolean {
  return run.growth.length === plan.inputs.growth.length;
}

/** What the folder's run is to be: a new one, the one it holds, or that one with more personas. */
async function planFor(before: RunPlan | undefined, wanted: Wanted, name: string): Promise<RunPlan> {
  if (before === undefined) return planRun(wanted);
  const different = differences(before, wanted);
  if (different.length > 0) {
    throw new UsageError(
      [
        `${name} holds a run with other settings:`,
        ...different.map((line) => `- ${line}`),
        'Give the settings it was begun with to continue it, or name another --output-dir.',
      ].join('\n'),
    );
  }
  return wanted.settings.nPersonas > before.inputs.settings.nPersonas ? growRun(before, wanted) : before;
}

async function carryOut(
  options: SynthOptions,
  folder: RunFolder,
  before: RunPlan | undefined,
  plan: RunPlan,
): Promise<number> {
  const { inputs } = plan;
  const models = Object.values(inputs.settings.models);
  await using view = progressView(process.stderr, options.json === true);
  // Whatever may be missing is missed before the folder is touched.
  const bundle = await workflowBundle();
  const host = clusterChosen(options.profile)
    ? { cluster: await connectCluster(options.profile) }
    : { binary: await findTemporal(view.say) };

  await using _lock = await lockRunFolder(folder);
  await assertUnchanged(folder, before);
  if (plan !== before) await keepPlan(folder.store, plan);
  const file: RunFile = {
    format: 1,
    ...inputs,
    codeVersion: bundle.version,
    engine: 'cluster' in host ? host.cluster.id : EMBEDDED,
    simulated: anySimulated(models),
    state: 'running',
  };
  if (before === undefined) await writeRunFile(folder, file);

  // Other code, or more personas, than the workflows left in the engine know, or another engine than was told of the run
  // last: they start again, from the journal.
  const { run: known } = folder;
  const current =
    known !== undefined &&
    isKnown(plan, known) &&
    known.codeVersion === file.codeVersion &&
    known.engine === file.engine;
  const afresh = before !== undefined && !current;
  await using engine =
    'cluster' in host
      ? host.cluster
      : await startEmbedded(folder.engine, host.binary, { afresh, report: view.say });
  view.say(
    `${before === undefined ? 'Starting' : 'Continuing'} run ${inputs.id} on the ${engine.name}. This is process ${process.pid}.`,
  );
  if (afresh) await endWorkflows(engine, inputs.id);
  const world = openWorld({
    run: inputs.id,
    store: folder.store,
    scratch: folder.scratch,
    codeVersion: bundle.version,
    concurrency: options.concurrency,
    environment: process.env,
    observe: view.observe,
  });
  await using workers = await startWorkers({
    engine,
    bundle: bundle.path,
    world,
    run: inputs.id,
    models,
    logFile: folder.logFile,
  });
  await using run = await driveRun(engine, inputs, options.concurrency);
  // Only now: a crash before this leaves the engine to be told again.
  await writeRunFile(folder, file);
  const ended = await watched(run, view, () =>
    untilInterrupted(Promise.race([run.result(), workers.ended]), () => {
      view.say(waitingFor(world.gate.inFlight));
      world.gate.stop();
    }),
  );
  if (ended === 'interrupted') {
    await workers.stop();
    view.hide();
    view.say(
      `Stopped; ${view.totals().calls} calls of this command are in the journal and will not be made again.\n` +
        `Continue with the same command: ${COMMAND} ${process.argv.slice(2).map(quoted).join(' ')}`,
    );
    return EXIT.interrupted;
  }
  if (ended.finished + ended.failed !== inputs.settings.nPersonas) {
    throw new Error(
      `The run ended with ${ended.finished} personas finished and ${ended.failed} failed, of ${inputs.settings.nPersonas}. Nothing is lost: give the same command again.`,
    );
  }
  await bringOutputs(folder.store, folder.path);
  const finished: RunFile = { ...file, state: 'finished', counts: countsOf(ended) };
  await writeRunFile(folder, finished);
  view.hide();
  return tellResult(options, folder, finished, view);
}

/** Shows the run's progress every second while the work goes on. */
async function watched<T>(run: DrivenRun, view: ProgressView, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => {
    void show(run, view);
  }, 1_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function show(run: DrivenRun, view: ProgressView): Promise<void> {
  const progress = await run.progress();
  if (progress !== undefined) view.update(progress);
}

/** As a shell takes it for one word. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

function waitingFor(inFlight: number): string {
  if (inFlight === 0) return 'Stopping: no answer is in flight.';
  const answers = inFlight === 1 ? '1 answer is' : `${inFlight} answers are`;
  return `Stopping: ${answers} in flight and paid for, waiting for ${inFlight === 1 ? 'it' : 'them'}. Ctrl-C again stops at once.`;
}

function countsOf(result: RunResult): NonNullable<RunFile['counts']> {
  const { personas, failed, leftOut, instances, unsatisfiedDialogues } = result;
  return { personas, failed, leftOut, instances, unsatisfiedDialogues };
}

async function tellFinished(options: SynthOptions, folder: RunFolder, run: RunFile): Promise<number> {
  if (options.json !== true) {
    process.stdout.write(`${options.outputDir} is finished already; nothing was changed.\n`);
  }
  return tellResult(options, folder, run);
}

/** Tells what a finished run came to, on standard output. */
async function tellResult(
  options: SynthOptions,
  folder: RunFolder,
  run: RunFile,
  view?: ProgressView,
): Promise<number> {
  const failures = (await failedPersonas(folder.store)).flat();
  const code = failures.length > 0 ? EXIT.withFailures : EXIT.done;
  const shown = (file: string) => relative(process.cwd(), join(folder.path, file));
  if (options.json === true) {
    const result = {
      run: run.id,
      folder: folder.path,
      simulated: run.simulated,
      counts: run.counts,
      failures,
    };
    const calls = view === undefined ? {} : { calls: view.totals() };
    process.stdout.write(`${JSON.stringify({ ...result, ...calls }, null, 2)}\n`);
    return code;
  }
  process.stdout.write(`${resultLines(run, failures, shown).join('\n')}\n`);
  return code;
}
