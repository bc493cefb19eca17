import { setTimeout as wait } from 'node:timers/promises';
import {
  Connection,
  Client,
  isGrpcServiceError,
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type ConnectionOptions,
} from '@temporalio/client';
import { progress, setWindow, type RunProgress } from '../workflows/messages';
import type { Batch, run, RunResult } from '../workflows/run';
import { runQueue } from '../rules/task-queues';
import type { RunInputs } from '../schemas/run';

export type { RunProgress, RunResult };

/** A run workflow, seen from a command. */
export interface DrivenRun extends AsyncDisposable {
  /** @throws RunFailed when the run ended without a result */
  result(): Promise<RunResult>;
  /** Undefined while nobody answers. */
  progress(): Promise<RunProgress | undefined>;
}

/** The run ended without a result; nothing is lost, and the same command goes on from there. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed';
}

type Service = { readonly connection: ConnectionOptions; readonly namespace: string };

/**
 * Starts a run's workflow, or finds it still running and goes on with it.
 * @param concurrency most model calls in flight: the window of open personas follows from it
 */
export async function driveRun(service: Service, inputs: RunInputs, concurrency: number): Promise<DrivenRun> {
  await startOrGoOn(service, inputs, windowFor(concurrency));
  // Without the client's own retries: one still waiting for its moment when the connection is closed would throw where
  // nobody catches it. What is asked from here on is asked again anyway.
  const connection = await Connection.connect({ ...service.connection, interceptors: [] });
  const client = new Client({ connection, namespace: service.namespace });
  return {
    result: () => resultOf(client, inputs.id),
    async progress() {
      try {
        return await client.workflow.getHandle<typeof run>(inputs.id).query(progress);
      } catch {
        return undefined;
      }
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

async function startOrGoOn(service: Service, inputs: RunInputs, window: number): Promise<void> {
  const connection = await Connection.connect(service.connection);
  try {
    const client = new Client({ connection, namespace: service.namespace });
    if (!(await widened(client, inputs.id, window))) {
      await client.workflow.start<typeof run>('run', {
        workflowId: inputs.id,
        taskQueue: runQueue(inputs.id),
        args: [{ settings: inputs.settings, batches: batchesOf(inputs), window }],
      });
    }
  } finally {
    await connection.close();
  }
}

/**
 * Personas open at once, and a batch more. A persona has one call in flight while it is planned and up to twelve while its
 * dialogues run: with one for every four calls the planning of some overlaps with the dialogues of others.
 */
function windowFor(concurrency: number): number {
  return Math.max(4, Math.ceil(concurrency / 4));
}

/** Batches of descriptions; none reaches over a number of personas the run once had, so that growing changes none. */
function batchesOf({ settings, growth }: RunInputs): Batch[] {
  const batches: Batch[] = [];
  let first = 1;
  for (const personas of growth) {
    for (; first <= personas; first += settings.describeBatch) {
      batches.push({ first, count: Math.min(settings.describeBatch, personas - first + 1) });
    }
    first = personas + 1;
  }
  return batches;
}

/** Tells a run that is still running its window; false when there is none to tell. */
async function widened(client: Client, workflowId: string, window: number): Promise<boolean> {
  try {
    await client.workflow.getHandle<typeof run>(workflowId).signal(setWindow, window);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/**
 * Ends whatever a run has in the engine, so that it starts again from the journal. To be done before any worker polls: a
 * persona that saw its dialogues end would count them as failed.
 */
export async function endWorkflows(service: Service, runId: string): Promise<void> {
  const connection = await Connection.connect(service.connection);
  try {
    const client = new Client({ connection, namespace: service.namespace });
    // By name first, since what the list shows may lag behind.
    await terminate(client, runId);
    const query = `ExecutionStatus = "Running" AND WorkflowId STARTS_WITH "${runId}"`;
    for (;;) {
      const open: string[] = [];
      for await (const { workflowId } of client.workflow.list({ query })) open.push(workflowId);
      if (open.length === 0) return;
      // Parents first: their ids are the shorter ones.
      for (const id of open.toSorted((one, other) => one.length - other.length)) await terminate(client, id);
      await wait(500);
    }
  } finally {
    await connection.close();
  }
}

async function terminate(client: Client, workflowId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).terminate('Started again from the journal.');
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** What was thrown in the first place: activities and children wrap it. */
function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error;
}

/** gRPC codes that no waiting changes: invalid argument, permission denied, unimplemented, unauthenticated. */
const FINAL: ReadonlySet<number> = new Set([3, 7, 12, 16]);

// The server may go away for a while, and come back: that is no result.
async function resultOf(client: Client, workflowId: string): Promise<RunResult> {
  for (;;) {
    try {
      return await client.workflow.result<typeof run>(workflowId);
    } catch (error) {
      // The client hides what gRPC said in the cause.
      const grpc = error instanceof ServiceError ? error.cause : error;
      if (isGrpcServiceError(grpc) && !FINAL.has(grpc.code)) {
        // Not kept waiting for: by then the connection may be closed, and the command about to end.
        await wait(1_000, undefined, { ref: false });
        continue;
      }
      if (!(error instanceof WorkflowFailedError)) throw error;
      throw new RunFailed(innermost(error).message, { cause: error });
    }
  }
}
