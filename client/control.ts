import { setTimeout as wait } from 'node:timers/promises';
import { Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { builtInTable, tableFor } from '../data/model-table';
import { keepSteering, readSteering } from '../data/steering';
import type { Store } from '../data/store';
import { entriesFor } from '../rules/model-facts';
import { controlWorkflowId } from '../rules/journal-key';
import { mergeLedgers } from '../rules/ledger';
import { spentOf } from '../rules/prices';
import type { WantedSteering } from '../rules/steering';
import { runQueue } from '../rules/task-queues';
import type { Ledger } from '../schemas/ledger';
import type { Steering } from '../schemas/steering';
import type { control } from '../workflows/control';
import { endControl as end } from '../workflows/messages';
import { connectTo } from './connection';
import type { Service } from './drive';
import { ledgersOf } from './ledgers';
import { startLimits } from './limits';
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
  return spentOf(mergeLedgers(Object.values(ledgers)), budget.unit, tableFor(steering)) < budget.cap;
}

/** Keeps how the run is steered. To be done before any worker works for it. */
export async function keepControlStart(store: Store, { steering }: ControlStart): Promise<void> {
  await keepSteering(store, steering);
}

/**
 * Starts the workflows that steer a run and limit its models, in place of those that were left: whatever they knew is kept in the
 * store. The run's models are those its calls name.
 */
export async function startControl(
  service: Service,
  options: ControlStart & {
    readonly run: string;
    readonly models: readonly string[];
    readonly limitsQueue: string;
  },
): Promise<void> {
  const { run, steering, wanted, limitsQueue } = options;
  const connection = await connectTo(service.connection);
  try {
    const client = new Client({ connection, namespace: service.namespace });
    const alone = limitsQueue === runQueue(run);
    for (const spec of new Set(options.models)) {
      const limits = { kept: steering.limits[spec], wanted: wanted.limits?.[spec] };
      await startLimits(client, spec, limitsQueue, limits, alone);
    }
    await startControlWorkflow(client, options);
  } finally {
    await connection.close();
  }
}

async function startControlWorkflow(
  client: Client,
  options: Pick<ControlStart, 'steering' | 'ledgers'> & {
    readonly run: string;
    readonly models: readonly string[];
  },
): Promise<void> {
  const { run, models, steering, ledgers } = options;
  await client.workflow.start<typeof control>('control', {
    taskQueue: runQueue(run),
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    workflowId: controlWorkflowId(run),
    args: [
      {
        run,
        models: [...new Set(models)],
        steering,
        builtInTable: entriesFor(models, builtInTable()),
        ledgers,
      },
    ],
  });
}

/**
 * Starts the control workflow again when somebody ended it, or it failed: what it knew is read from the store. One that has ended
 * with its run stays ended.
 */
export async function reviveControl(
  client: Client,
  store: Store,
  run: string,
  models: readonly string[],
): Promise<void> {
  const status = await statusOf(client, controlWorkflowId(run));
  if (status === 'RUNNING' || status === 'COMPLETED') return;
  const steering = await readSteering(store);
  const ledgers = await ledgersOf(store);
  await startControlWorkflow(client, { run, models, steering, ledgers });
}

async function statusOf(client: Client, workflowId: string): Promise<string> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'NOT FOUND';
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
