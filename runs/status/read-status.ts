import { ignoreUnavailable } from '../../engine/grpc';
import { readOpenBatches } from '../../data/run/batches';
import { listClosedPersonas } from '../../data/run/artifacts';
import { openEvaluation } from '../../data/run/evaluation-plan';
import { readSteering } from '../../data/run/steering';
import { mergeWorkerLedgers } from '../../engine/costs/ledger';
import { groupBy } from '../../rules/group-by';
import { buildTrialWork, listTrials } from '../../rules/method/evaluation-work';
import { countCalls } from '../../rules/method/trial';
import { buildCellIdentity, describeCell } from '../../rules/trials/cells';
import { getPurpose } from '../../schemas/evaluation/purpose';
import { isCluster } from '../../schemas/run/engine';
import { formatCount } from '../../schemas/text/count-text';
import { readStoredEvaluation, readTrialRows } from '../evaluate/outcomes';
import { countVerification } from '../evaluate/verdicts';
import type { FoundRun } from '../folder/find-run';
import { readLedgers } from '../estimate/ledgers';
import type { OpenRun } from '../folder/run-folder';
import { isDriven } from '../folder/run-lock';
import {
  computeSpentStatus,
  getRunPlace,
  projectStatus,
  readAnswers,
  type RunStatus,
  type WorkCounts,
} from './run-status';

/** Reads the status of a run from its engine; if that is stopped, from the folder. */
export async function readStatus(foundRun: FoundRun): Promise<RunStatus> {
  const live = await askEngine(foundRun);
  if (typeof live === 'object') return live;
  const { held } = foundRun;
  if (held === undefined) return readUnansweredStatus(foundRun);
  const status = await readStatusFromDisk(foundRun, held);
  const { run, location } = held.folder;
  // Workers elsewhere may continue without the command, or will once they start: they serve every run of their storage.
  const mayGoOn = live === 'slow' || (live === 'unattended' && location !== undefined);
  const isUnattended = mayGoOn && status.state === 'stopped' && (run === undefined || isCluster(run.engine));
  return isUnattended ? { ...status, state: 'unattended' } : status;
}

/** Reads the status of a run on a cluster without a folder, for which no process answers; it may have ended. */
async function readUnansweredStatus(run: FoundRun): Promise<RunStatus> {
  return {
    ...getRunPlace(run),
    state: (await askForEnd(run)) ?? 'unattended',
    work: { unit: run.kind === 'synthesis' ? 'personas' : 'trials' },
    batches: [],
    models: [],
    workers: [],
  };
}

/** Loads Temporal's client only if an engine answers, because it takes longer than everything else here. */
async function askEngine(run: FoundRun): Promise<RunStatus | 'unattended' | 'slow' | undefined> {
  if (run.service === undefined) return undefined;
  const { readLiveStatus } = await import('./live-status.js');
  return readLiveStatus(run).catch((error: unknown) => {
    // The engine may stop during the query.
    ignoreUnavailable(error);
    return 'slow' as const;
  });
}

async function askForEnd(run: FoundRun): Promise<'finished' | 'ended' | undefined> {
  const { findKnownEnd } = await import('./live-status.js');
  return findKnownEnd(run);
}

async function readStatusFromDisk(run: FoundRun, openRun: OpenRun): Promise<RunStatus> {
  const { store } = openRun.folder;
  // The command that continues the run sets its calls in flight.
  const { concurrency: _, ...steering } = await readSteering(store);
  const ledgers = await readLedgers(store, isDriven(openRun) ? 'all' : []);
  const ledger = mergeWorkerLedgers(ledgers);
  const batched = ledgers
    .flatMap((workerLedger) => workerLedger.inFlight)
    .filter(({ tier }) => tier === 'batch');
  const work = await readWork(openRun);
  const state = deriveRunState(openRun, work);
  return {
    ...getRunPlace(run),
    state,
    ...(steering.paused ? { pause: { by: 'user' } } : {}),
    work,
    ...computeSpentStatus(ledger, steering, batched),
    batches: await readOpenBatches(store),
    models: run.models.map((spec) => ({ spec, limits: steering.limits[spec] ?? {} })),
    workers: [],
    ...(state === 'finished'
      ? {}
      : projectStatus(openRun, work, await readAnswers(openRun), { ledger, steering })),
  };
}

async function readWork(openRun: OpenRun): Promise<WorkCounts> {
  const { store } = openRun.folder;
  if (openRun.kind === 'synthesis') {
    const { finished, failed } = await listClosedPersonas(store);
    const { nPersonas } = openRun.plan.inputs.settings;
    return { unit: 'personas', all: nPersonas, finished: finished.length, failed: failed.length };
  }
  const { inputs, index } = await openEvaluation(store);
  if (getPurpose(inputs) === 'verification') {
    return { unit: 'studies', ...(await countVerification(await readStoredEvaluation(store))) };
  }
  const all = [...listTrials(inputs, index)].length;
  // Counting reads all of them, which is too slow when the engine is about to report the number.
  if (isDriven(openRun)) return { unit: 'trials', all };
  let finished = 0;
  let callsLeft = 0;
  const commandCells = new Set(openRun.folder.run?.todo.cells.map(buildCellIdentity));
  const unnamedCells: string[] = [];
  for await (const { trial, results } of readTrialRows(await readStoredEvaluation(store))) {
    const open = results.filter(({ row }) => row.state === 'open');
    const cells = open.map(({ cell }) => cell);
    const unnamed = open.filter(({ cell }) => !commandCells.has(buildCellIdentity(cell)));
    unnamedCells.push(...unnamed.map(({ row }) => describeCell(row)));
    if (cells.length === 0) finished += 1;
    else callsLeft += countCalls(buildTrialWork(inputs, { ...trial, cells }));
  }
  const unnamed = [...groupBy(unnamedCells, (name) => name)].map(
    ([name, { length }]) => `${formatCount(length, 'instance')} of ${name}`,
  );
  return { unit: 'trials', all, finished, callsLeft, ...(unnamed.length > 0 && { unnamed }) };
}

function deriveRunState(openRun: OpenRun, { all, finished, failed }: WorkCounts): RunStatus['state'] {
  const { kind, folder } = openRun;
  if (isDriven(openRun)) return 'starting';
  if (folder.run?.state !== 'finished') return 'stopped';
  // A run that has grown since is no longer finished.
  const closed = (finished ?? 0) + (kind === 'synthesis' ? (failed ?? 0) : 0);
  return closed === all ? 'finished' : 'stopped';
}
