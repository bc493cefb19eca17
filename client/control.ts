import { setTimeout as wait } from 'node:timers/promises';
import { Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { tableFor } from '../data/model-table';
import { keepSteering, readSteering } from '../data/steering';
import type { Store } from '../data/store';
import { controlWorkflowId, limitsWorkflowId } from '../rules/journal-key';
import { mergeLedgers } from '../rules/ledger';
import { spentIn } from '../rules/prices';
import type { WantedSteering } from '../rules/steering';
import { runQueue, sharedLimitsQueue } from '../rules/task-queues';
import type { Ledger } from '../schemas/ledger';
import { EMBEDDED } from '../schemas/run';
import type { ModelLimits, Steering } from '../schemas/steering';
import type { control, ControlInput } from '../workflows/control';
import { endControl as end, setLimits } from '../workflows/messages';
import { connectTo } from './connection';
import type { Service } from './drive';
import { ledgersOf, sentLately, type SentLately } from './ledgers';
import { steeredAtRest } from './steer';

/** How a run begins: how it is steered, and what was spent on it before. */
export interface ControlStart {
  readonly steering: Steering;
  /** What the command wants besides what is kept. */
  readonly wanted: WantedSteering;
  /** By worker. */
  readonly ledgers: Readonly<Record<string, Ledger>>;
}

/**
 * How a run about to be begun or continued is to be steered: as it is kept, with what its command wants besides. The calls in
 * flight are the command's own matter again. Writes nothing.
 * @throws SteeringRefused, LedgerError
 */
export async function controlStart(
  store: Store,
  models: readonly string[],
  change: WantedSteering,
): Promise<ControlStart> {
  const { concurrency: _, ...kept } = await readSteering(store);
  const ledgers = await ledgersOf(store);
  const steering = steeredAtRest(kept, change, { models, ledger: mergeLedgers(Object.values(ledgers)) });
  return { steering, wanted: change, ledgers };
}

/** False while a run stands still: its user paused it, or its budget is spent. */
export function maySpend({ steering, ledgers }: ControlStart): boolean {
  const { paused, budget } = steering;
  if (paused || budget === undefined) return !paused;
  return spentIn(mergeLedgers(Object.values(ledgers)), tableFor(steering))[budget.unit] < budget.cap;
}

/** Keeps how the run is steered. To be done before any worker works for it. */
export async function keepControlStart(store: Store, { steering }: ControlStart): Promise<void> {
  await keepSteering(store, steering);
}

/** The task queue of the workflows that control a run's models: shared by the runs of a cluster; on its own engine the run's own. */
export function limitsQueueFor(
  run: string,
  { engine, codeVersion }: { readonly engine: string; readonly codeVersion: string },
): string {
  return engine === EMBEDDED ? runQueue(run) : sharedLimitsQueue(codeVersion);
}

/**
 * Starts the workflows that control a run and its models, in place of those that were left: whatever they knew is kept in the store. The
 * controls of models that other runs use go on.
 */
export async function startControl(
  service: Service,
  options: ControlStart & {
    readonly run: string;
    readonly store: Store;
    readonly models: readonly string[];
    readonly limitsQueue: string;
  },
): Promise<void> {
  const { run, store, steering, wanted, ledgers, limitsQueue } = options;
  const models = [...new Set(options.models)];
  const connection = await connectTo(service.connection);
  try {
    const client = new Client({ connection, namespace: service.namespace });
    const isShared = limitsQueue !== runQueue(run);
    // Where other runs may use them, they know what was sent.
    const sent = isShared ? new Map<string, SentLately[]>() : await sentLately(store);
    for (const spec of models) {
      const limits = wanted.limits?.[spec];
      const input: ControlInput = {
        model: { spec, limits: limits ?? steering.limits[spec] ?? {} },
        leases: { members: [], past: sent.get(spec) ?? [] },
      };
      const policy = isShared ? 'USE_EXISTING' : 'TERMINATE_EXISTING';
      await startWorkflow(client, limitsWorkflowId(spec), limitsQueue, input, policy);
      if (limits !== undefined)
        await client.workflow.getHandle(limitsWorkflowId(spec)).signal(setLimits, limits);
    }
    const settled = settledIn(ledgers, steering);
    const input: ControlInput = { run: { run, models, steering, settled } };
    await startWorkflow(client, controlWorkflowId(run), runQueue(run), input, 'TERMINATE_EXISTING');
  } finally {
    await connection.close();
  }
}

async function startWorkflow(
  client: Client,
  workflowId: string,
  taskQueue: string,
  input: ControlInput,
  workflowIdConflictPolicy: 'USE_EXISTING' | 'TERMINATE_EXISTING',
): Promise<void> {
  await client.workflow.start<typeof control>('control', {
    workflowId,
    taskQueue,
    workflowIdConflictPolicy,
    args: [input],
  });
}

function settledIn(
  ledgers: Readonly<Record<string, Ledger>>,
  steering: Steering,
): Record<string, ReturnType<typeof spentIn>> {
  const table = tableFor(steering);
  return Object.fromEntries(
    Object.entries(ledgers).flatMap(([worker, rows]) =>
      rows.length === 0 ? [] : [[worker, spentIn(rows, table)]],
    ),
  );
}

/**
 * Starts the control of a run again when somebody ended it, or it failed: what it knew is read from the store. One that has ended with its
 * run stays ended.
 */
export async function reviveControl(
  client: Client,
  store: Store,
  run: string,
  models: readonly string[],
): Promise<void> {
  const id = controlWorkflowId(run);
  const state = await stateOf(client, id);
  if (state?.status === 'RUNNING' || state?.status === 'COMPLETED') return;
  const steering = await readSteering(store);
  const settled = settledIn(await ledgersOf(store), steering);
  const input: ControlInput = {
    run: { run, models: [...new Set(models)], steering, settled },
    ...replacing(state),
  };
  // Another worker may have started it meanwhile.
  await startWorkflow(client, id, runQueue(run), input, 'USE_EXISTING');
}

/**
 * Starts the control of a model when it is gone; and in place of one that does not answer, since it belongs to another version of the
 * workflows, whose processes are gone.
 */
export async function reviveModelControl(
  client: Client,
  spec: string,
  queue: string,
  limits: ModelLimits,
): Promise<void> {
  const id = limitsWorkflowId(spec);
  const state = await stateOf(client, id);
  if (state?.status === 'RUNNING' && state.taskQueue === queue) return;
  const input: ControlInput = { model: { spec, limits }, ...replacing(state) };
  const isOther = state?.status === 'RUNNING';
  await startWorkflow(client, id, queue, input, isOther ? 'TERMINATE_EXISTING' : 'USE_EXISTING');
}

/** One that ended by itself had no workers left: nothing of its leases is in use. */
function replacing(state: { readonly status: string } | undefined): { readonly replaces?: true } {
  return state === undefined || state.status === 'COMPLETED' ? {} : { replaces: true };
}

async function stateOf(
  client: Client,
  workflowId: string,
): Promise<{ readonly status: string; readonly taskQueue: string } | undefined> {
  try {
    const { status, taskQueue } = await client.workflow.getHandle(workflowId).describe();
    return { status: status.name, taskQueue };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/**
 * Ends the steering of a run, once there is nothing more to steer, while somebody still carries its workflows on; its models'
 * limits end by themselves.
 */
export async function endControl(service: Service, run: string): Promise<void> {
  const connection = await connectTo(service.connection);
  try {
    const { workflow } = new Client({ connection, namespace: service.namespace });
    const handle = workflow.getHandle(controlWorkflowId(run));
    await handle.signal(end);
    await Promise.race([handle.result(), wait(5_000, undefined, { ref: false })]);
  } catch (error) {
    if (error instanceof WorkflowFailedError) return;
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  } finally {
    await connection.close();
  }
}
