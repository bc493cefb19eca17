import { isDeepStrictEqual } from 'node:util';
import type { Store } from '../../data/store/store';
import { openEvaluation, writeEvaluationPlan, type EvaluationPlan } from '../../data/run/evaluation-plan';
import { buildPlan } from '../../rules/method/evaluation-calls';
import { omitUndefined } from '../../schemas/omit-undefined';
import { listCalledSpecs } from '../../rules/trials/cells';
import { listEvaluationUses } from '../../engine/model-facts/uses';
import { listEvaluatorWarnings } from '../../engine/costs/model-warnings';
import { carryOut, type CommandOptions, type RunObserver } from '../drive/carry-out';
import { writeRunFile } from '../folder/run-folder';
import type { EvaluationFile, StudyKind, Todo } from '../../schemas/evaluation/evaluation-run';
import { EVALUATION_WORK, readEvaluationParameters } from '../../workers/world';
import type { EvaluationResult, EvaluationWork } from '../../workflows/evaluation/evaluation';
import type { EvaluationProgress } from '../../workflows/messages';
import { driveEvaluation } from './drive';
import type { StoredEvaluation } from './outcomes';
import { getEvaluationInputs } from './plan';
import { isSimulated } from './results';
import { writeEvaluation, type EvaluationFolder, type WrittenEvaluation } from './write';

/** An evaluation to start or continue: earlier and wanted plan, and what this command asks. */
export interface EvaluationRequest {
  readonly folder: EvaluationFolder;
  readonly before: EvaluationPlan | undefined;
  readonly plan: EvaluationPlan;
  /** For a new evaluation, or changed data: stores the instances, under the folder's lock, and returns the number of rows. */
  readonly keepInstances?: (store: Store) => Promise<number>;
  readonly todo: Todo;
  /** SPECs that are called, and those of them on the command line. */
  readonly asked: readonly string[];
  readonly named: readonly string[];
  /** SPECs with calls left to make. */
  readonly called: readonly string[];
  /** Reopens finished work, under the folder's lock. Returns true if there was any, so that the engine starts its workflows again. */
  readonly reopen?: (folder: EvaluationFolder) => Promise<boolean>;
  /** Draws the studies to do, once the trials are done. */
  readonly studies: (store: Store) => Promise<readonly StudyKind[]>;
  readonly compared: readonly StoredEvaluation[];
  readonly options: CommandOptions;
}

interface EvaluationObserver extends RunObserver {
  readonly onProgress: (progress: EvaluationProgress) => void | Promise<void>;
  /** Makes the lines of `results.txt`. */
  readonly render: Parameters<typeof writeEvaluation>[1]['render'];
}

interface FinishedEvaluation {
  readonly ended: EvaluationResult;
  readonly written: WrittenEvaluation;
}

/** Carries an evaluation out, and writes its results. */
export async function carryOutEvaluation(
  request: EvaluationRequest,
  observer: EvaluationObserver,
): Promise<FinishedEvaluation | 'interrupted'> {
  const { folder, before, plan, todo, asked, named, options } = request;
  const { store, run: known } = folder;
  const { cells, onlyStored, onlyRetried } = todo;
  let { inputs } = plan;
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
      async keep() {
        const instances = await request.keepInstances?.(store);
        if (instances !== undefined) inputs = { ...inputs, data: { ...inputs.data, instances } };
        await writeEvaluationPlan(store, { ...plan, inputs });
        if (before === undefined) {
          // All rows of a data set have the same origin, except for personas that were retried with another model.
          const { synthesizer } = await (await openEvaluation(store)).instance(1);
          for (const line of listEvaluatorWarnings(inputs.evaluators, [synthesizer])) observer.report(line);
        }
        const reopened = (await request.reopen?.(folder)) ?? false;
        const isKnown =
          known !== undefined &&
          !reopened &&
          isDeepStrictEqual(inputs, getEvaluationInputs(known)) &&
          isDeepStrictEqual(todo, known.told);
        return { isKnown };
      },
      describe: (host): EvaluationFile => ({
        format: 1,
        ...inputs,
        ...host,
        told: todo,
        state: 'running',
        simulated: isSimulated(inputs),
      }),
      work: EVALUATION_WORK,
      batched() {
        if (cells.length === 0) return undefined;
        const { dataState } = buildPlan(inputs);
        return { phase: 'trials', cells, onlyStored, onlyRetried, ...omitUndefined({ dataState }) };
      },
    },
    observer,
    async ({ engine, file, follow }) => {
      const run = async (work: EvaluationWork): Promise<EvaluationResult> => {
        await using driven = await driveEvaluation(engine, inputs, work, options.concurrency);
        return await follow(driven, observer.onProgress);
      };
      const trials =
        cells.length === 0 ? NO_TRIALS : await run({ phase: 'trials', cells, onlyStored, onlyRetried });
      const kinds = trials.broken > 0 ? [] : await request.studies(store);
      const ended = kinds.length === 0 ? trials : await run({ phase: 'studies', kinds, onlyRetried });
      const written = await writeEvaluation(folder, { ...observer, compared: request.compared });
      if (!written.isOpen && ended.broken === 0) {
        const parameters = await readEvaluationParameters(store, inputs);
        await writeRunFile(folder, { ...file, state: 'finished', parameters });
      }
      return { ended, written };
    },
  );
}

/** A verification has studies only. */
const NO_TRIALS: EvaluationResult = { done: 0, passed: 0, missing: 0, broken: 0, causes: [] };
