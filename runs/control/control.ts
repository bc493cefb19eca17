import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { buildModelTable } from '../../data/model-table';
import { readAdaptiveLimits } from '../../data/run/adaptive-limits';
import { readSteering } from '../../data/run/steering';
import type { Store } from '../../data/store/store';
import { buildControlWorkflowId, buildLimitsWorkflowId } from '../../engine/journal/key';
import { mergeWorkerLedgers } from '../../engine/costs/ledger';
import { computeSpentByWorker } from '../../engine/costs/prices';
import type { SteeringRequest } from '../../engine/limits/steering';
import { buildRunQueueName, isSignedQueue, SIGNED } from '../../engine/task-queues';
import { isCluster } from '../../schemas/run/engine';
import type { SpentAmounts, Steering } from '../../schemas/run/steering';
import type { control, ControlInput } from '../../workflows/control/control';
import { endControl as end, setLimits, type Pause } from '../../workflows/messages';
import {
  connectWithoutRetries,
  ignoreNotFound,
  useClient,
  type Service,
} from '../../workers/server/connection';
import { readLedgers, readSentLately } from '../estimate/ledgers';
import { readLastLimits } from './last-limits';
import { findPauseAtRest, applySteeringAtRest } from './at-rest';

/** Initial steering of a run, and its spending so far. */
interface ControlStart {
  readonly steering: Steering;
  /** Changes that the command makes to the stored steering. */
  readonly wanted: SteeringRequest;
  /** Reason for a pause; absent when the run may call models. */
  readonly paused?: Pause;
  /** By worker. */
  readonly settled: Readonly<Record<string, SpentAmounts>>;
}

/**
 * Builds the steering of a run that is about to start or continue: the stored one, with the changes of its command. Calls in flight are not
 * stored, so the command decides them anew. Writes nothing.
 * @throws InputError, LedgerError
 */
export async function buildControlStart(
  store: Store,
  models: readonly string[],
  request: SteeringRequest,
): Promise<ControlStart> {
  const { concurrency: _, ...storedSteering } = await readSteering(store);
  const ledgers = await readLedgers(store);
  const ledger = mergeWorkerLedgers(ledgers);
  const steering = applySteeringAtRest(storedSteering, request, { models, ledger });
  const spending = computeSpentByWorker(ledgers, buildModelTable(steering));
  return { steering, wanted: request, settled: spending, ...findPauseAtRest(steering, ledger) };
}

/** Task queues of a run's workflows, and of those that control its models: shared by the runs of a cluster, else the run's own. */
export interface TaskQueues {
  readonly queue: string;
  readonly limitsQueue: string;
}

/** Builds the names of the queues. On a cluster each version of the workflows has its own: none could continue the workflows of another. */
export function buildTaskQueues(
  run: string,
  { engine, codeVersion }: { readonly engine: string; readonly codeVersion: string },
): TaskQueues {
  const queue = buildRunQueueName(run, getQueueVersion({ engine, codeVersion }));
  return { queue, limitsQueue: isCluster(engine) ? `cupid-limits/${codeVersion}` : queue };
}

/** Returns the version in the names of an engine's task queues, or its equivalent on the embedded engine. */
export function getQueueVersion(host: { readonly engine: string; readonly codeVersion: string }): string {
  return isCluster(host.engine) ? host.codeVersion : SIGNED;
}

/**
 * Starts the workflows that control a run and its models, in place of earlier ones, because all their state is in the store. The controls
 * of models that other runs use continue.
 */
export async function startControl(
  service: Service,
  options: ControlStart &
    TaskQueues & {
      readonly run: string;
      readonly store: Store;
      readonly models: readonly string[];
    },
): Promise<void> {
  const { run, store, steering, wanted, settled, queue, limitsQueue } = options;
  const models = [...new Set(options.models)];
  const isShared = limitsQueue !== queue;
  // A shared control knows the recent requests.
  const sent = isShared ? [] : await readSentLately(store);
  const adaptiveLimits = await readAdaptiveLimits(store);
  await useClient(service, async (client) => {
    for (const spec of models) {
      const id = buildLimitsWorkflowId(spec);
      const limits = wanted.limits?.[spec] ?? steering.limits[spec];
      const input: ControlInput = {
        model: { spec, limits: limits ?? {}, adaptiveLimit: adaptiveLimits[spec] },
        leases: { members: [], past: sent.filter((sentCalls) => sentCalls.spec === spec) },
      };
      await start(client, id, limitsQueue, input, isShared ? 'USE_EXISTING' : 'TERMINATE_EXISTING');
      // Another run may have started it with its own limits.
      if (isShared && limits !== undefined) await client.workflow.getHandle(id).signal(setLimits, limits);
    }
    const input: ControlInput = { run: { run, models, steering, departedSpending: settled } };
    await start(client, buildControlWorkflowId(run), queue, input, 'TERMINATE_EXISTING');
  });
}

async function start(
  client: Client,
  workflowId: string,
  taskQueue: string,
  input: ControlInput,
  workflowIdConflictPolicy: 'USE_EXISTING' | 'TERMINATE_EXISTING',
): Promise<void> {
  const options = { workflowId, taskQueue, workflowIdConflictPolicy, args: [input] as const };
  await client.workflow.start<typeof control>('control', options);
}

/**
 * Starts the control of a run again if it was ended or failed, or does not answer because it belongs to another version. It gets its state
 * from the store. A control that has ended with its run stays ended.
 */
export async function reviveControl(
  client: Client,
  store: Store,
  {
    run,
    models,
    queue,
  }: { readonly run: string; readonly models: readonly string[]; readonly queue: string },
): Promise<void> {
  await revive(client, buildControlWorkflowId(run), queue, async (hasEnded) => {
    if (hasEnded) return undefined;
    const steering = await readSteering(store);
    const spending = computeSpentByWorker(await readLedgers(store), buildModelTable(steering));
    return { run: { run, models: [...new Set(models)], steering, departedSpending: spending } };
  });
}

/**
 * Starts the control of a model if it is gone, or does not answer because it belongs to another version, whose processes are gone. The
 * limits of the old one stay, because other runs may have set them.
 */
export async function reviveModelControl(
  client: Client,
  store: Store,
  spec: string,
  limitsQueue: string,
): Promise<void> {
  const id = buildLimitsWorkflowId(spec);
  await revive(client, id, limitsQueue, async (hasEnded, execution) => {
    // On the embedded engine no other run sets limits, and a history also has the requests of other runs on this machine.
    const isKept = hasEnded || execution === undefined || isSignedQueue(limitsQueue);
    const last = isKept ? undefined : await readLastLimits(client, id, execution);
    const limits = last ?? (await readSteering(store)).limits[spec] ?? {};
    return { model: { spec, limits, adaptiveLimit: (await readAdaptiveLimits(store))[spec] } };
  });
}

/**
 * Starts a control workflow again.
 * @param read returns its input; undefined when it is to stay as it is. Receives whether the last one ended by itself, and its execution
 * (`runId`), if there was one
 */
async function revive(
  client: Client,
  workflowId: string,
  taskQueue: string,
  read: (hasEnded: boolean, execution: string | undefined) => Promise<ControlInput | undefined>,
): Promise<void> {
  const state = await client.workflow.getHandle(workflowId).describe().catch(ignoreNotFound);
  const isRunning = state?.status.name === 'RUNNING';
  if (isRunning && state.taskQueue === taskQueue) return;
  const hasEnded = state?.status.name === 'COMPLETED';
  const input = await read(hasEnded, state?.runId);
  if (input === undefined) return;
  // A control that ended by itself had no workers left, so none of its leases is in use.
  const replaces = state === undefined || hasEnded ? {} : { replaces: true as const };
  // If none is running, another worker may have started one meanwhile.
  const policy = isRunning ? 'TERMINATE_EXISTING' : 'USE_EXISTING';
  await start(client, workflowId, taskQueue, { ...input, ...replaces }, policy);
}

/**
 * Ends the control of a run that has nothing left to steer, while another process still runs its workflows. The controls of its models end
 * by themselves.
 */
export async function endControl(service: Service, run: string): Promise<void> {
  const client = await connectWithoutRetries(service);
  const handle = client.workflow.getHandle(buildControlWorkflowId(run));
  try {
    await handle.signal(end);
    await Promise.race([handle.result(), wait(5_000, undefined, { ref: false })]);
  } catch (error) {
    const hasEnded = error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError;
    if (!hasEnded) throw error;
  } finally {
    await client.connection.close();
  }
}
