import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { builtInPrices } from '../data/prices';
import { openJournal, type Journal } from '../data/journal';
import { keepEarlierCalls, readLedgers } from '../data/ledger';
import { keepSteering, readSteering } from '../data/steering';
import type { Store } from '../data/store';
import { controlWorkflowId } from '../rules/journal-key';
import { mergeLedgers, settledLedgers } from '../rules/ledger';
import { spentOf } from '../rules/prices';
import { refusal, steered, type WantedSteering } from '../rules/steering';
import { runQueue } from '../rules/task-queues';
import type { Ledger } from '../schemas/ledger';
import type { Steering } from '../schemas/steering';
import type { control } from '../workflows/control';
import type { Service } from './drive';
import { startLimits } from './limits';
import { SteeringRefused } from './steer';

/** How a run begins: how it is steered, and what was spent on it before. */
export interface ControlStart {
  readonly steering: Steering;
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
  const ledgers = await ledgersOf(store, openJournal(store));
  const why = refusal(change, {
    steering: kept,
    outOfBudget: false,
    models,
    prices: kept.prices ?? builtInPrices(),
    spent: ({ unit }) =>
      spentOf(mergeLedgers(Object.values(ledgers)), unit, change.prices ?? kept.prices ?? builtInPrices()),
  });
  if (why !== undefined) throw new SteeringRefused(why);
  return { steering: steered(kept, change), ledgers };
}

/** Keeps how the run is steered. To be done before any worker works for it. */
export async function keepControlStart(store: Store, { steering }: ControlStart): Promise<void> {
  await keepEarlierCalls(store, openJournal(store));
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
  const { run, steering, ledgers, limitsQueue } = options;
  const models = [...new Set(options.models)];
  const connection = await Connection.connect(service.connection);
  try {
    const client = new Client({ connection, namespace: service.namespace });
    const alone = limitsQueue === runQueue(run);
    for (const spec of models) await startLimits(client, spec, limitsQueue, steering.limits[spec], alone);
    await client.workflow.start<typeof control>('control', {
      taskQueue: runQueue(run),
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      workflowId: controlWorkflowId(run),
      args: [{ run, models, steering, builtInPrices: builtInPrices(), ledgers }],
    });
  } finally {
    await connection.close();
  }
}

/** Ends the steering of a run, once there is nothing more to steer; its models' limits end by themselves. */
export async function endControl(service: Service, run: string): Promise<void> {
  const connection = await Connection.connect(service.connection);
  try {
    const { workflow } = new Client({ connection, namespace: service.namespace });
    await workflow.getHandle(controlWorkflowId(run)).terminate('The run has ended.');
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  } finally {
    await connection.close();
  }
}

/** What a run has spent so far, by worker: what they had in flight, and nobody has heard of since, is settled. */
export async function ledgersOf(store: Store, journal: Journal): Promise<Record<string, Ledger>> {
  const nobody = new Set<string>();
  const settled = await settledLedgers(await readLedgers(store, journal), nobody, (key) => journal.find(key));
  return Object.fromEntries(settled.map(({ worker, rows }) => [worker, rows]));
}
