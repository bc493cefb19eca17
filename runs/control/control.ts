import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { buildModelTable } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import type { Store } from '../../data/store/store';
import { buildControlWorkflowId, buildLimitsWorkflowId } from '../../engine/journal/key';
import { mergeLedgers } from '../../engine/costs/ledger';
import { computeSpentByWorker } from '../../engine/costs/prices';
import type { SteeringRequest } from '../../engine/limits/steering';
import { buildRunQueueName, isSignedQueue, SIGNED } from '../../engine/task-queues';
import { EMBEDDED } from '../../schemas/run/run';
import type { SpentAmounts, Steering } from '../../schemas/run/steering';
import type { control, ControlInput } from '../../workflows/control/control';
import { endControl as end, setLimits, type Pause } from '../../workflows/messages';
import { ignoreNotFound, useClient, type Service } from '../../workers/server/connection';
import { readLedgers, readSentLately } from '../estimate/ledgers';
import { readLastLimits } from './last-limits';
import { findPauseAtRest, applySteeringAtRest } from './steer';

/** How a run begins: how it is steered, and what was spent on it before. */
export interface ControlStart {
  readonly steering: Steering;
  /** What the command wants besides what is kept. */
  readonly wanted: SteeringRequest;
  /** Why the run stands still; absent when it may call models. */
  readonly paused?: Pause;
  /** By worker. */
  readonly settled: Readonly<Record<string, SpentAmounts>>;
}

/**
 * How a run about to be begun or continued is to be steered: as it is kept, with what its command wants besides. The calls in
 * flight are the command's own matter again. Writes nothing.
 * @throws SteeringRefused, LedgerError
 */
export async function buildControlStart(
  store: Store,
  models: readonly string[],
  wanted: SteeringRequest,
): Promise<ControlStart> {
  const { concurrency: _, ...kept } = await readSteering(store);
  const ledgers = await readLedgers(store);
  const ledger = mergeLedgers(ledgers.map(({ rows }) => rows));
  const steering = applySteeringAtRest(kept, wanted, { models, ledger });
  const settled = computeSpentByWorker(ledgers, buildModelTable(steering));
  return { steering, wanted, settled, ...findPauseAtRest(steering, ledger) };
}

/** The task queues of a run's workflows, and of those that control its models: shared by the runs of a cluster, else the run's own. */
export interface TaskQueues {
  readonly queue: string;
  readonly limitsQueue: string;
}

/** On a cluster each version of the workflows has its own queues: none could continue with what another has begun. */
export function buildTaskQueues(
  run: string,
  { engine, codeVersion }: { readonly engine: string; readonly codeVersion: string },
): TaskQueues {
  const queue = buildRunQueueName(run, getQueueVersion({ engine, codeVersion }));
  return { queue, limitsQueue: engine === EMBEDDED ? queue : `cupid-limits/${codeVersion}` };
}

/** Returns the version that the task queues of an engine name, or what the embedded one has in its place. */
export function getQueueVersion(host: { readonly engine: string; readonly codeVersion: string }): string {
  return host.engine === EMBEDDED ? SIGNED : host.codeVersion;
}

/**
 * Starts the workflows that control a run and its models, in place of those that were left: all that they knew is in the store. The
 * controls of models that other runs use continue.
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
  // Where other runs may use them, they know what was sent.
  const sent = isShared ? [] : await readSentLately(store);
  await useClient(service, async (client) => {
    for (const spec of models) {
      const id = buildLimitsWorkflowId(spec);
      const limits = wanted.limits?.[spec] ?? steering.limits[spec];
      const input: ControlInput = {
        model: { spec, limits: limits ?? {} },
        leases: { members: [], past: sent.filter((one) => one.spec === spec) },
      };
      await start(client, id, limitsQueue, input, isShared ? 'USE_EXISTING' : 'TERMINATE_EXISTING');
      // Another run may have started it, with its own.
      if (isShared && limits !== undefined) await client.workflow.getHandle(id).signal(setLimits, limits);
    }
    const input: ControlInput = { run: { run, models, steering, settled } };
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
 * Starts the control of a run again when it was ended or failed, and in place of one that does not answer, since it belongs to another
 * version of the workflows: what it knew is read from the store. One that has ended with its run stays ended.
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
    const settled = computeSpentByWorker(await readLedgers(store), buildModelTable(steering));
    return { run: { run, models: [...new Set(models)], steering, settled } };
  });
}

/**
 * Starts the control of a model when it is gone; and in place of one that does not answer, since it belongs to another version of the
 * workflows, whose processes are gone. The limits of that one continue: other runs may have set them.
 */
export async function reviveModelControl(
  client: Client,
  store: Store,
  spec: string,
  limitsQueue: string,
): Promise<void> {
  const id = buildLimitsWorkflowId(spec);
  await revive(client, id, limitsQueue, async (hasEnded, execution) => {
    // On the embedded engine no other run sets them, and a history has what others of the machine sent as well.
    const isKept = hasEnded || execution === undefined || isSignedQueue(limitsQueue);
    const last = isKept ? undefined : await readLastLimits(client, id, execution);
    return { model: { spec, limits: last ?? (await readSteering(store)).limits[spec] ?? {} } };
  });
}

/**
 * @param read what the workflow starts with; undefined when it is to stay as it is. It gets whether the last one ended by itself, and its
 *   execution (`runId`), if there was one
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
  // One that ended by itself had no workers left: nothing of its leases is in use.
  const replaces = state === undefined || hasEnded ? {} : { replaces: true as const };
  // Where it is not running, another worker may have started it meanwhile.
  const policy = isRunning ? 'TERMINATE_EXISTING' : 'USE_EXISTING';
  await start(client, workflowId, taskQueue, { ...input, ...replaces }, policy);
}

/**
 * Ends the steering of a run, once there is nothing more to steer, while another process still runs its workflows; its models'
 * limits end by themselves.
 */
export async function endControl(service: Service, run: string): Promise<void> {
  // Without the client's own retries: one still waiting for its moment when the connection is closed would throw where nothing catches it.
  const connection = { ...service.connection, interceptors: [] };
  await useClient({ ...service, connection }, async ({ workflow }) => {
    const handle = workflow.getHandle(buildControlWorkflowId(run));
    try {
      await handle.signal(end);
      await Promise.race([handle.result(), wait(5_000, undefined, { ref: false })]);
    } catch (error) {
      const hasEnded = error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError;
      if (!hasEnded) throw error;
    }
  });
}
