import { isDeepStrictEqual } from 'node:util';
import { openEvaluation } from '../../data/run/evaluation-plan';
import { buildPlan } from '../../rules/method/evaluation-calls';
import { omitUndefined } from '../../schemas/omit-undefined';
import { listCalledSpecs } from '../../rules/trials/cells';
import { listEvaluationUses } from '../../engine/model-facts/uses';
import { listEvaluatorWarnings } from '../../engine/costs/model-warnings';
import { carryOut, type RunObserver } from '../drive/carry-out';
import { writeRunFile } from '../folder/run-folder';
import type { EvaluationFile } from '../../schemas/evaluation/evaluation-run';
import { FOLDER_FORMAT } from '../../schemas/run/folder-format';
import { EVALUATION_WORK, readEvaluationParameters } from '../../workers/world';
import type { EvaluationResult, EvaluationWork } from '../../workflows/evaluation/evaluation';
import type { EvaluationProgress } from '../../workflows/messages';
import { readSteeringRequest } from '../control/request';
import { driveEvaluation } from './drive';
import { estimateStored, type EvaluationEstimate, type ReportTrials } from './estimate';
import type { EvaluationRequest } from './evaluation-request';
import { getEvaluationInputs } from './plan';
import { isSimulated } from './results';
import { storePlan } from './store-plan';
import { writeEvaluation, type WrittenEvaluation } from './write';

interface EvaluationObserver extends RunObserver {
  /** Called once, before the first call. */
  readonly onEstimate: (estimate: EvaluationEstimate) => void;
  readonly onEstimating: ReportTrials;
  readonly onProgress: (progress: EvaluationProgress) => void | Promise<void>;
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
  const { store, run: knownRun } = folder;
  const { cells, onlyStored, onlyRetried } = todo;
  const { batch } = options;
  let { inputs } = plan;
  const models = listCalledSpecs(inputs);
  const change = await readSteeringRequest(options, models);
  /** Computed while the engine starts. */
  let estimated: Promise<EvaluationEstimate> | undefined;
  return carryOut(
    {
      folder,
      before,
      id: inputs.id,
      models,
      uses: options.check ? listEvaluationUses(inputs, request.called) : [],
      asked,
      named,
      options,
      async keep() {
        const stored = await storePlan(request, folder);
        ({ inputs } = stored);
        estimated = estimateStored(store, request, change, batch !== undefined, observer.onEstimating);
        // It may fail before it is awaited.
        estimated.catch(() => undefined);
        if (before === undefined) {
          // All rows of a data set have the same origin, except for personas that were retried with another model.
          const { synthesizer } = await (await openEvaluation(store)).instance(1);
          for (const line of listEvaluatorWarnings(inputs.evaluators, [synthesizer])) observer.report(line);
        }
        const isKnown =
          knownRun !== undefined &&
          !stored.isReopened &&
          isDeepStrictEqual(inputs, getEvaluationInputs(knownRun)) &&
          isDeepStrictEqual(todo, knownRun.todo);
        return { isKnown };
      },
      async announce() {
        if (estimated !== undefined) observer.onEstimate(await estimated);
      },
      describe: (host): EvaluationFile => ({
        format: FOLDER_FORMAT,
        ...inputs,
        ...host,
        todo: todo,
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
      const result = kinds.length === 0 ? trials : await run({ phase: 'studies', kinds, onlyRetried });
      const evaluation = await writeEvaluation(folder, { ...observer, compared: request.compared });
      if (!evaluation.isOpen && result.broken === 0) {
        const parameters = await readEvaluationParameters(store, inputs);
        await writeRunFile(folder, { ...file, state: 'finished', parameters });
      }
      return { ended: result, written: evaluation };
    },
  );
}

/** A verification has studies only. */
const NO_TRIALS: EvaluationResult = { done: 0, skipped: 0, missing: 0, broken: 0, causes: [] };
