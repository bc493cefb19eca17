import type { SentLine } from '../../schemas/run/ledger';
import type { FailedCall } from '../../schemas/run/outcome';
import { readFailureCause } from '../folder/failed-call';
import { readOpenBatches } from '../../data/run/batches';
import { buildBatchesWorkflowId, buildLimitsWorkflowId } from '../../engine/journal/key';
import { mergeWorkerLedgers } from '../../engine/costs/ledger';
import { AnswerTimes } from '../../engine/costs/answer-times';
import { countOpenDialogues } from '../../engine/costs/run-answers';
import {
  evaluationProgress,
  modelState,
  progress,
  type EvaluationProgress,
  type RunProgress,
} from '../../workflows/messages';
import { buildStudiesWorkflowId } from '../evaluate/drive';
import { openQuestions, type EngineQuestions } from '../drive/engine-questions';
import type { FoundRun } from '../folder/find-run';
import { readLedgers } from '../estimate/ledgers';
import type { OpenRun } from '../folder/run-folder';
import { omitUndefined } from '../../schemas/omit-undefined';
import {
  buildBudgetState,
  computeSpentStatus,
  getRunPlace,
  projectStatus,
  readAnswers,
  type RunStatus,
  type WorkCounts,
} from './run-status';

/** Queries the status from a run's engine; undefined if it does not answer. @throws a gRPC error that is `unavailable` when it is slow */
export async function readLiveStatus(run: FoundRun): Promise<RunStatus | 'unattended' | undefined> {
  const { id, held, models } = run;
  await using engine = await openQuestions(run.service);
  if (engine === undefined) return undefined;
  const control = await engine.controlOf(id);
  if (typeof control !== 'object') return control;
  const [reported, answers, states, end] = await Promise.all([
    readWorkFromEngine(engine, run),
    readAnswers(held),
    Promise.all(models.map((spec) => engine.query(buildLimitsWorkflowId(spec), modelState))),
    deriveRunEnd(engine, run),
  ]);
  const { steering, workers, pause, spent } = control;
  // Only sums are known if there is no folder.
  const times = new AnswerTimes();
  const live =
    held === undefined
      ? undefined
      : await readLedgers(
          held.folder.store,
          workers.map(({ worker }) => worker),
          times,
        );
  const ledger = live && mergeWorkerLedgers(live);
  const open = live?.flatMap((workerLedger) => workerLedger.inFlight) ?? [];
  const inFlight = open.filter(({ tier }) => tier !== 'batch');
  const reportedPace = workers.reduce((sum, worker) => sum + worker.perMinute, 0);
  const perMinute = pause !== undefined || reportedPace === 0 ? undefined : reportedPace;
  const work = reported?.work ?? { unit: run.kind === 'synthesis' ? 'personas' : 'trials' };
  const state = describeEnd(end, held) ?? (pause === undefined ? 'running' : 'paused');
  return {
    ...getRunPlace(run),
    // The results of an ended run are being written while a command still drives it.
    state: end !== undefined && held?.holder !== undefined ? 'running' : state,
    ...omitUndefined({ pause, misconfiguration: await explain(held, reported?.misconfiguration) }),
    work,
    inFlight: {
      total: live === undefined ? workers.reduce((sum, worker) => sum + worker.inFlight, 0) : inFlight.length,
      calls: countCallsByStep(inFlight),
      ...(held?.kind === 'synthesis' && answers !== undefined
        ? { dialogues: countOpenDialogues(answers, held.plan.inputs.settings.nSessions) }
        : {}),
    },
    slowCalls: times.findSlow(inFlight.map((call) => ({ ...call, waitedMs: Date.now() - call.sentAtMs }))),
    ...omitUndefined({ perMinute }),
    ...(ledger === undefined
      ? omitUndefined({
          budget: steering.budget && buildBudgetState(steering.budget, spent[steering.budget.unit], 0),
          concurrency: steering.concurrency,
        })
      : computeSpentStatus(ledger, steering, open)),
    batches: held === undefined ? [] : await readOpenBatches(held.folder.store),
    models: models.map((spec, at) => states[at] ?? { spec, limits: steering.limits[spec] ?? {} }),
    workers: workers.map((worker) => ({
      ...worker,
      inFlight:
        live?.find((workerLedger) => workerLedger.worker === worker.worker)?.inFlight.length ??
        worker.inFlight,
    })),
    ...(ledger === undefined ? {} : projectStatus(held, work, answers, { ledger, steering, perMinute })),
  };
}

/** Explains why nothing further is started, with the cause from the run's store. */
async function explain(
  openRun: FoundRun['held'],
  failed: FailedCall | undefined,
): Promise<string | undefined> {
  if (failed === undefined) return undefined;
  return openRun === undefined ? failed.kind : readFailureCause(openRun.folder.store, failed);
}

async function readWorkFromEngine(
  engine: EngineQuestions,
  { id, kind }: FoundRun,
): Promise<{ work: WorkCounts; misconfiguration?: FailedCall } | undefined> {
  if (kind === 'synthesis') {
    const reported = await engine.query(id, progress);
    return (
      reported &&
      omitUndefined({ work: countPersonas(reported), misconfiguration: reported.misconfiguration })
    );
  }
  // Studies follow the trials, in a workflow of their own.
  const studies =
    (await engine.statusOf(buildStudiesWorkflowId(id))) === 'RUNNING'
      ? await engine.query(buildStudiesWorkflowId(id), evaluationProgress)
      : undefined;
  const reported = studies ?? (await engine.query(id, evaluationProgress));
  return (
    reported && omitUndefined({ work: countTrials(reported), misconfiguration: reported.misconfiguration })
  );
}

function countPersonas({ personas: all, finished, failed, open, building }: RunProgress): WorkCounts {
  return { unit: 'personas', all, finished, failed, open: open.length, ...(building ? { building } : {}) };
}

function countTrials({ phase, total, done, skipped, missing, open }: EvaluationProgress): WorkCounts {
  return omitUndefined({ unit: phase, all: total, finished: done + skipped, failed: missing, open });
}

/**
 * Describes the end of a run. Once its command has gone, workers still do what its workflows ask, but only the command places data sets and
 * results.
 */
function describeEnd(
  end: Awaited<ReturnType<typeof deriveRunEnd>>,
  openRun: OpenRun | undefined,
): RunStatus['state'] | undefined {
  const isLeft = end === 'finished' && openRun !== undefined && openRun.folder.run?.state !== 'finished';
  return isLeft ? 'stopped' : end;
}

/** Returns how the run's workflows have ended; undefined while one is running. */
async function deriveRunEnd(
  engine: EngineQuestions,
  { id, kind }: FoundRun,
): Promise<'finished' | 'ended' | undefined> {
  // A run whose batches failed may have finished without them since.
  if ((await engine.statusOf(buildBatchesWorkflowId(id))) === 'RUNNING') return undefined;
  const ids = kind === 'synthesis' ? [id] : [id, buildStudiesWorkflowId(id)];
  const ends = await Promise.all(ids.map((workflowId) => engine.statusOf(workflowId)));
  if (ends.includes('RUNNING')) return undefined;
  // A run that finished only its batches is not continued by anything.
  const isDone = ends.includes('COMPLETED') && ends.every((end) => end === 'COMPLETED' || end === undefined);
  return isDone ? 'finished' : 'ended';
}

/** Finds how a run has ended, as far as its engine knows. */
export async function findKnownEnd(run: FoundRun): Promise<'finished' | 'ended' | undefined> {
  await using engine = await openQuestions(run.service);
  try {
    return engine && (await deriveRunEnd(engine, run));
  } catch {
    return undefined;
  }
}

function countCallsByStep(inFlight: readonly SentLine[]): Record<string, number> {
  const calls: Record<string, number> = {};
  for (const { step } of inFlight) calls[step] = (calls[step] ?? 0) + 1;
  return calls;
}
