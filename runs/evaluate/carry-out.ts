import { isDeepStrictEqual } from 'node:util';
import { openEvaluation, writeEvaluationPlan, type EvaluationPlan } from '../../data/run/evaluation-plan';
import { buildPlan } from '../../rules/method/evaluation-calls';
import { omitUndefined } from '../../schemas/omit-undefined';
import { listCalledSpecs } from '../../rules/trials/cells';
import { listEvaluationUses } from '../../engine/model-facts/uses';
import { listEvaluatorWarnings } from '../../engine/model-facts/warnings';
import { carryOut, type CommandOptions, type Host, type RunObserver } from '../drive/carry-out';
import { carryOutBatches, type BatchObserver, refuseOpenBatches } from '../drive/drive-batches';
import { writeRunFile, type RunFolder } from '../folder/run-folder';
import type { EvaluationFile, StudyKind, Todo } from '../../schemas/evaluation/evaluation-run';
import { EVALUATION_WORK } from '../../workers/world';
import type { EvaluationResult, EvaluationWork } from '../../workflows/evaluation/evaluation';
import type { EvaluationProgress } from '../../workflows/messages';
import { driveEvaluation } from './drive';
import type { StoredEvaluation } from './outcomes';
import { getEvaluationInputs } from './plan';
import { isSimulated } from './results';

export type EvaluationFolder = RunFolder<EvaluationFile, EvaluationPlan>;

/** An evaluation to start or continue: earlier and wanted plan, and what this command asks. */
export interface EvaluationRequest {
  readonly folder: EvaluationFolder;
  readonly before: EvaluationPlan | undefined;
  readonly plan: EvaluationPlan;
  /** For a new evaluation, or changed data: stores the instances, under the folder's lock, and returns the number of rows. */
  readonly keepInstances?: () => Promise<number>;
  readonly todo: Todo;
  /** SPECs that are called, and those of them on the command line. */
  readonly asked: readonly string[];
  readonly named: readonly string[];
  /** SPECs with calls left to make. */
  readonly called: readonly string[];
  /** Reopens finished work, under the folder's lock. Returns true if there was any, so that the engine starts its workflows again. */
  readonly reopen?: () => Promise<boolean>;
  /** Lists the studies to do, once the trials are done. */
  readonly studies: () => Promise<readonly StudyKind[]>;
  readonly compared: readonly StoredEvaluation[];
  readonly options: CommandOptions;
}

interface EvaluationObserver<Written extends WrittenResults> extends RunObserver, BatchObserver {
  readonly onProgress: (progress: EvaluationProgress) => void | Promise<void>;
  readonly writeResults: (
    folder: EvaluationFolder,
    compared: readonly StoredEvaluation[],
  ) => Promise<Written>;
}

export interface WrittenResults {
  /** True while a part of the evaluation was not asked yet. */
  readonly isOpen: boolean;
}

interface FinishedEvaluation<Written> {
  readonly ended: EvaluationResult;
  readonly written: Written;
}

export async function carryOutEvaluation<Written extends WrittenResults>(
  request: EvaluationRequest,
  observer: EvaluationObserver<Written>,
): Promise<FinishedEvaluation<Written> | 'interrupted'> {
  const { folder, before, plan, todo, asked, named, options } = request;
  const { store, run: known } = folder;
  if (options.batchWaitMs === undefined) await refuseOpenBatches(folder);
  let { inputs } = plan;
  const fileAt = (host: Host): EvaluationFile => ({
    format: 1,
    ...inputs,
    ...host,
    told: todo,
    state: 'running',
    simulated: isSimulated(inputs),
  });
  let file: EvaluationFile | undefined;
  return carryOut(
    {
      folder,
      before,
      id: inputs.id,
      models: listCalledSpecs(inputs),
      uses: options.check ? listEvaluationUses(inputs, request.called) : [],
      asked,
      named,
      options,
      async keep(host) {
        const instances = await request.keepInstances?.();
        if (instances !== undefined) inputs = { ...inputs, data: { ...inputs.data, instances } };
        await writeEvaluationPlan(store, { ...plan, inputs });
        file = fileAt(host);
        if (before === undefined) {
          await writeRunFile(folder, file);
          // All rows of a data set have the same origin, except for personas that were retried with another model.
          const { synthesizer } = await (await openEvaluation(store)).instance(1);
          for (const line of listEvaluatorWarnings(inputs.evaluators, [synthesizer])) observer.report(line);
        }
        const reopened = (await request.reopen?.()) ?? false;
        const isKnown =
          known !== undefined &&
          !reopened &&
          isDeepStrictEqual(inputs, getEvaluationInputs(known)) &&
          isDeepStrictEqual(todo, known.told);
        return { isKnown };
      },
      onEngineStarted: (host) => writeRunFile(folder, fileAt(host)),
      read: () => EVALUATION_WORK.readFiles(store),
      activities: EVALUATION_WORK.activities,
    },
    observer,
    async ({ engine, follow }) => {
      const { cells, onlyStored, onlyRetried } = todo;
      const run = async (work: EvaluationWork): Promise<EvaluationResult> => {
        await using driven = await driveEvaluation(engine, inputs, work, options.concurrency);
        return await follow(driven, observer.onProgress);
      };
      if (options.batchWaitMs !== undefined && cells.length > 0) {
        const { dataState } = buildPlan(inputs);
        const trials = {
          phase: 'trials' as const,
          cells,
          onlyStored,
          onlyRetried,
          ...omitUndefined({ dataState }),
        };
        await carryOutBatches({ engine, follow }, inputs.id, trials, options.batchWaitMs, observer);
      }
      const trials =
        cells.length === 0 ? NO_TRIALS : await run({ phase: 'trials', cells, onlyStored, onlyRetried });
      const kinds = trials.broken > 0 ? [] : await request.studies();
      const ended = kinds.length === 0 ? trials : await run({ phase: 'studies', kinds, onlyRetried });
      const written = await observer.writeResults(folder, request.compared);
      if (file !== undefined && !written.isOpen && ended.broken === 0) {
        const parameters = await EVALUATION_WORK.readParameters(store, inputs);
        await writeRunFile(folder, { ...file, state: 'finished', parameters });
      }
      return { ended, written };
    },
  );
}

/** A verification has studies only. */
const NO_TRIALS: EvaluationResult = { done: 0, passed: 0, missing: 0, broken: 0, causes: [] };
