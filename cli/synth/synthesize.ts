import { projectPlan } from '../../runs/estimate/estimate';
import type { RunResult } from '../../workflows/synthesis/run';
import { driveRun } from '../../runs/drive/drive-run';
import { modelsOf } from '../../model-facts/roles';
import { synthesisUses } from '../../model-facts/uses';
import { synthesisWarnings } from '../../runs/plan/model-warnings';
import { AnswersReader } from '../../runs/estimate/read-answers';
import { reopenPersonas, type PlannedRestarts } from '../../runs/plan/restarts';
import { writeRunFile, type RunFolder } from '../../runs/folder/run-folder';
import { keepPlan, type RunPlan } from '../../data/run/inputs';
import { bringOutputs } from '../../data/run/outputs';
import { counted } from '../../schemas/count-text';
import { anySimulated } from '../../schemas/model-spec';
import type { RunFile } from '../../schemas/run';
import { SYNTHESIS_STEPS } from '../../schemas/step';
import { SYNTHESIS_WORK } from '../../workers/world';
import { carryOut, type Host } from '../run/carry-out';
import { EXIT } from '../exit';
import type { CarryOutOptions } from '../options';
import { progressView } from '../run/progress';
import { runStatus } from './run-status';
import { steeringOf } from '../steer/steering';
import { isKnown, tellResult } from './synthesis-result';

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
    return { answers, callsLeft: projectPlan(plan, answers).left.likely.calls };
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
    reopened || before === undefined
      ? SYNTHESIS_STEPS
      : projectPlan(plan, await reader.read())
          .rows.filter(({ left }) => left.likely.calls > 0)
          .map(({ step }) => step);
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
      read: ({ codeVersion }) => SYNTHESIS_WORK.readFiles(store, { codeVersion, scratch: folder.scratch }),
      activities: SYNTHESIS_WORK.activities,
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
      const parameters = await SYNTHESIS_WORK.readParameters(store, inputs.settings);
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
