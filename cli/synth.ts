import { join, relative } from 'node:path';
import { driveRun, type DrivenRun, type RunResult } from '../client/drive';
import { differences, growRun, planRun, readWanted, type Wanted } from '../client/inputs';
import { lockRunFolder, openRunFolder, planOf, writeRunFile, type RunFolder } from '../client/run-folder';
import { failedPersonas } from '../data/artifacts';
import { keepPlan, type RunPlan } from '../data/inputs';
import { bringOutputs } from '../data/outputs';
import { parseModelSpec } from '../schemas/model-spec';
import type { RunFile } from '../schemas/run';
import { clusterChosen, connectCluster, startEmbedded } from '../workers/engine';
import { checkModels } from '../workers/models';
import { findTemporal } from '../workers/temporal-binary';
import { startWorkers } from '../workers/worker';
import { workflowBundle } from '../workers/workflow-bundle';
import { openWorld } from '../workers/world';
import { EXIT, UsageError } from './exit';
import { untilInterrupted } from './interrupt';
import { settingsOf, type SynthOptions } from './options';
import { progressView, type ProgressView } from './progress';

/** `cupid synth`: begins, continues or grows the run of a folder. Returns the exit code. */
export async function synth(options: SynthOptions): Promise<number> {
  const settings = await settingsOf(options);
  const folder = await openRunFolder(options.outputDir);
  await checkModels(Object.values(settings.models), process.env);
  const wanted = await readWanted(settings, options);
  const before = await planOf(folder);
  const plan = await planFor(before, wanted, options.outputDir);
  // Against what `run.json` says: a crash may have come after the larger plan was kept and before anything was done.
  const known = folder.run ?? before?.inputs;
  const grown = known !== undefined && plan.inputs.growth.length > known.growth.length;
  if (folder.run?.state === 'finished' && !grown) return tellFinished(options, folder, folder.run);
  return carryOut(options, folder, plan, { begun: before !== undefined, grown });
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
  plan: RunPlan,
  { begun, grown }: { readonly begun: boolean; readonly grown: boolean },
): Promise<number> {
  const { inputs } = plan;
  const models = Object.values(inputs.settings.models);
  await using view = progressView(process.stderr, options.json === true);
  // Whatever may be missing is missed before the folder is touched.
  const bundle = await workflowBundle();
  const cluster = clusterChosen(options.profile) ? await connectCluster(options.profile) : undefined;
  const binary = cluster === undefined ? await findTemporal(view.say) : undefined;

  await using _lock = await lockRunFolder(folder);
  if (!begun || grown) await keepPlan(folder.store, plan);
  const file: RunFile = {
    format: 1,
    ...inputs,
    codeVersion: bundle.version,
    simulated: models.some((spec) => parseModelSpec(spec).provider === 'simulated'),
    state: 'running',
  };
  await writeRunFile(folder, file);

  // Other code, or more personas, than the workflows left in the engine know: they start again, from the journal.
  const afresh = begun && (grown || folder.run?.codeVersion !== bundle.version);
  await using engine =
    binary === undefined
      ? (cluster ?? (await connectCluster(options.profile)))
      : await startEmbedded(folder.engine, binary, { afresh, report: view.say });
  view.say(`${begun ? 'Continuing' : 'Starting'} run ${inputs.id} on the ${engine.name}.`);
  const world = openWorld({
    storeOf: () => folder.store,
    codeVersion: bundle.version,
    concurrency: options.concurrency,
    environment: process.env,
    observe: view.observe,
  });
  await using workers = await startWorkers({
    engine,
    bundle: bundle.path,
    world,
    models,
    logFile: folder.logFile,
  });
  await using run = await driveRun(engine, inputs, { concurrency: options.concurrency, afresh });
  const ended = await watched(run, view, () =>
    untilInterrupted(Promise.race([run.result(), workers.ended]), () => {
      view.say(waitingFor(world.gate.inFlight));
      world.gate.stop();
    }),
  );
  if (ended === 'interrupted') {
    await workers.stop();
    view.say(
      `Stopped; ${view.totals().calls} calls of this command are in the journal and will not be made again.\n` +
        `Continue with the same command: cupid ${process.argv.slice(2).join(' ')}`,
    );
    return EXIT.interrupted;
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

function waitingFor(inFlight: number): string {
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
  const { counts } = run;
  const lines = [
    `${counts?.personas ?? 0} personas, ${counts?.instances ?? 0} instances, ${failures.length === 0 ? 'no failures' : `${counts?.failed ?? 0} personas failed`}.`,
    ...((counts?.leftOut ?? 0) > 0
      ? [`${counts?.leftOut} personas are left out: a dialogue of theirs never satisfied its user.`]
      : []),
    ...((counts?.unsatisfiedDialogues ?? 0) > 0
      ? [`${counts?.unsatisfiedDialogues} dialogues used up their turns; they are kept, marked unsatisfied.`]
      : []),
    `  ${shown('CUPID-Unverified/test.parquet')}  the benchmark instances`,
    `  ${shown('CUPID-Raw/test.parquet')}  personas, context factors, sessions and dialogues`,
    `  ${shown('provenance.parquet')}  where each instance comes from`,
    ...(run.simulated
      ? ['Simulated: a model of this run was simulated, so these data are for trying out only.']
      : []),
    ...failures.map((work) => {
      const place = work.session === undefined ? '' : `, session ${work.session}`;
      const step = work.step === undefined ? '' : `, step ${work.step}`;
      return `Failed: persona ${work.persona}${place}${step} (${work.kind}): ${work.cause}`;
    }),
    ...(failures.length > 0 ? [`More on what failed: ${shown('failures')}`] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return code;
}
