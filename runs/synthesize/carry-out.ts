import { writePlan, type RunPlan } from '../../data/run/inputs';
import { readCard } from '../../data/card/read';
import { DATASETS, placeRunOutputs } from '../../data/run/outputs';
import type { OutputPlacement } from '../../data/run/place-outputs';
import type { Store } from '../../data/store/store';
import { buildModelTable } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import { isSimulatedRun, listModels } from '../../engine/model-facts/roles';
import { listSynthesisUses } from '../../engine/model-facts/uses';
import { findAssistantWarning } from '../../engine/costs/model-warnings';
import { formatCount } from '../../schemas/text/count-text';
import { FOLDER_FORMAT } from '../../schemas/run/folder-format';
import type { RunFile } from '../../schemas/run/run';
import { SYNTHESIS_STEPS, type SynthesisStep } from '../../schemas/run/step';
import { readSynthesisParameters, SYNTHESIS_WORK } from '../../workers/world';
import type { RunProgress } from '../../workflows/messages';
import type { RunResult } from '../../workflows/synthesis/run';
import { projectPlan } from './estimate';
import { AnswersReader } from './read-answers';
import { writeRunFile, type RunFolder } from '../folder/run-folder';
import { isRecorded } from './inputs';
import { reopenPersonas, type PlannedRestarts } from './restarts';
import { carryOut, type CommandOptions, type RunObserver } from '../drive/carry-out';
import { driveRun } from './drive';
import { buildBatches } from '../../engine/journal/batches';

/** A synthesis run to start or continue. */
interface PlannedSynthesis {
  readonly folder: RunFolder<RunFile, RunPlan>;
  /** Plan in the folder when it was read; undefined if nothing was started there. */
  readonly before: RunPlan | undefined;
  readonly planned: PlannedRestarts;
  /** SPECs on the command line. */
  readonly named: readonly string[];
  readonly options: CommandOptions;
}

interface SynthesisObserver extends RunObserver {
  readonly onProgress: (progress: RunProgress) => Promise<void>;
}

/** A finished run, and its files. */
interface FinishedSynthesis {
  readonly run: RunFile;
  readonly placement: OutputPlacement;
}

/** Runs a synthesis to its end: the work in its folder, and the additions of this command. */
export async function carryOutSynthesis(
  { folder, before, planned, named, options }: PlannedSynthesis,
  observer: SynthesisObserver,
): Promise<FinishedSynthesis | 'interrupted'> {
  const { plan, resumed, lines } = planned;
  const { inputs } = plan;
  const { run: knownRun, store } = folder;
  const models = listModels(inputs);
  const reopened =
    planned.damaged !== undefined ||
    resumed.length > 0 ||
    inputs.restarts.length > (before?.inputs.restarts.length ?? 0);
  // Personas that this command reopens still count as done in the folder.
  const stepsLeft = async () =>
    reopened || before === undefined ? SYNTHESIS_STEPS : readStepsLeft(plan, folder);
  return carryOut(
    {
      folder,
      before,
      id: inputs.id,
      models,
      uses: options.check ? listSynthesisUses(inputs, await stepsLeft()) : [],
      asked: models,
      named,
      options,
      async keep() {
        if (plan !== before) await writePlan(store, plan);
        await reopenPersonas(folder, planned, reopened);
        if (before === undefined) {
          const table = buildModelTable(await readSteering(store));
          const warning = findAssistantWarning(inputs.settings.models, table);
          if (warning !== undefined) observer.report(warning);
        }
        for (const line of lines) observer.report(line);
        return { isKnown: knownRun !== undefined && !reopened && isRecorded(plan, knownRun) };
      },
      describe: (host): RunFile => ({
        format: FOLDER_FORMAT,
        kind: 'synthesis',
        ...inputs,
        ...host,
        simulated: isSimulatedRun(inputs),
        state: 'running',
      }),
      work: SYNTHESIS_WORK,
      batched: () => ({ phase: 'plans', descriptions: buildBatches(inputs), restarts: inputs.restarts }),
    },
    observer,
    async ({ engine, file, follow }) => {
      await using run = await driveRun(engine, inputs, options.concurrency);
      const result = await follow(run, observer.onProgress);
      if (result.finished + result.failed !== inputs.settings.nPersonas) {
        throw new Error(
          `The run ended early: ${result.finished} of ${formatCount(inputs.settings.nPersonas, 'persona')} finished and ${result.failed} failed. Nothing is lost. Repeat the same command.`,
        );
      }
      const placement = await placeRunOutputs(folder);
      const parameters = await readSynthesisParameters(store, inputs.settings);
      const simulated = (await readSimulated(store)) ?? file.simulated;
      const counts = getCounts(result);
      const complete: RunFile = { ...file, simulated, state: 'finished', parameters, counts };
      await writeRunFile(folder, complete);
      return { run: complete, placement };
    },
  );
}

/** Returns whether the data sets have simulated answers, as their cards say. A failed model that was replaced gave none. */
async function readSimulated(store: Store): Promise<boolean | undefined> {
  const card = await store.read(DATASETS.unverifiedCard);
  return card === undefined ? undefined : readCard(card).simulated === true;
}

async function readStepsLeft(
  plan: RunPlan,
  { store }: Pick<RunFolder, 'store'>,
): Promise<readonly SynthesisStep[]> {
  const { rows } = projectPlan(plan, await new AnswersReader(plan.inputs, store).read());
  return rows.flatMap(({ step, remaining }) => (remaining.likely.calls > 0 ? [step] : []));
}

function getCounts(result: RunResult): NonNullable<RunFile['counts']> {
  const { personas, failed: failedPersonas, excludedPersonas, instances, unsatisfiedDialogues } = result;
  return { personas, failedPersonas, excludedPersonas, instances, unsatisfiedDialogues };
}
