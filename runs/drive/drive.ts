import { setTimeout as wait } from 'node:timers/promises';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { z } from 'zod';
import {
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  type QueryDefinition,
  type Workflow,
  type WorkflowResultType,
} from '@temporalio/common';
import { classifyGrpcError } from '../../engine/grpc';
import { buildHeartbeatMemo, getHeartbeats } from '../../engine/heartbeats';
import { readQueueVersion } from '../../engine/task-queues';
import { findVersionsAtWork } from '../../engine/versions-at-work';
import type { FailedCall } from '../../schemas/run/outcome';
import type { RunKind } from '../../schemas/run/run';
import { setWindow } from '../../workflows/messages';
import { parseRunKind } from '../folder/run-id';
import {
  connectTo,
  createClient,
  ignoreNotFound,
  useClient,
  type NamedService,
  type Service,
} from '../../workers/server/connection';

export interface DrivenWorkflow<Progress, Result> extends AsyncDisposable {
  /** @throws RunFailed when it ended without a result */
  result(): Promise<Result>;
  /** Returns undefined while the workflow does not answer. */
  progress(): Promise<Progress | undefined>;
  /** Between two such queries, at least: a cluster may bill each. */
  readonly leastQueryMs: number;
}

/** The run ended without a result; nothing is lost, and the same command continues from there. */
export class RunFailed extends Error {
  override readonly name: string = 'RunFailed';

  /** @param call the call or the workflow whose cause the store of the run has */
  constructor(
    message: string,
    readonly call?: FailedCall,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Somebody cancelled the run. */
export class RunCancelled extends RunFailed {
  override readonly name = 'RunCancelled';
  constructor() {
    super('The run was cancelled. Everything answered is kept. Repeat the same command to continue.');
  }
}

/** A Temporal service that a run is started on. */
export interface IdentifiedService extends Service, Pick<NamedService, 'id'> {
  /** Where the run has its store, such as `s3://bucket/run`: workers find runs by it. Absent when that is its folder. */
  readonly store?: string;
  /** Suffix of the task queues there: the version of the workflows, or that they are signed; absent if they have none. */
  readonly version?: string;
}

/** A workflow to be driven: how it is called and named, what it is given, how it is asked how far it is. */
interface Drive<W extends Workflow, Progress> {
  readonly workflow: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly args: Parameters<W>;
  /** Pieces of work open at once. */
  readonly window: number;
  readonly progress: QueryDefinition<Progress>;
}

/** Starts a run's workflow, or finds it still running and continues with it. */
export async function driveWorkflow<W extends Workflow, Progress>(
  service: IdentifiedService,
  what: Drive<W, Progress>,
): Promise<DrivenWorkflow<Progress, WorkflowResultType<W>>> {
  await startOrContinue(service, what);
  // Without the client's own retries: one still waiting for its moment when the connection is closed would throw where
  // nothing catches it. What is asked from here on is asked again anyway.
  const connection = await connectTo({ ...service.connection, interceptors: [] });
  const client = createClient(connection, service);
  const disposed = new AbortController();
  return {
    leastQueryMs: getHeartbeats(service.id).queryMs,
    result: () => awaitResult<W>(client, what.workflowId, disposed.signal),
    async progress() {
      try {
        return await client.workflow.getHandle<W>(what.workflowId).query(what.progress);
      } catch {
        return undefined;
      }
    },
    async [Symbol.asyncDispose]() {
      // The server answers a request for the result after twenty seconds at the latest, and until then the process would not end.
      disposed.abort();
      await connection.close();
    },
  };
}

async function startOrContinue<W extends Workflow, Progress>(
  service: IdentifiedService,
  { workflow, workflowId, taskQueue, args, window }: Drive<W, Progress>,
): Promise<void> {
  await useClient(service, async (client) => {
    if (await widenWindow(client, workflowId, window)) return;
    const memo = {
      ...buildHeartbeatMemo(getHeartbeats(service.id)),
      ...(service.store === undefined ? {} : { [STORE_MEMO]: service.store }),
    };
    await client.workflow.start(workflow, { workflowId, taskQueue, memo, args: [...args] });
  });
}

/** Under this name a run's workflows have where its store is. */
const STORE_MEMO = 'store';

/** The types of the workflows that carry runs out. */
const WORKFLOW_TYPES = ['run', 'evaluation', 'batches'].map((type) => `"${type}"`).join(', ');

/** A run in progress whose store is on object storage. */
export interface StoredRun {
  readonly id: string;
  readonly store: string;
  /** What carries it out, with the task queue of the version that does. */
  readonly workflows: readonly RunWorkflow[];
}

export interface RunWorkflow {
  readonly workflowId: string;
  readonly execution: string;
  readonly queue: string;
}

/**
 * Returns the runs in progress whose stores are at or below a place on object storage, in order, evaluations first.
 * @param root such as `s3://bucket/prefix`
 */
export async function listStoredRuns(
  service: Service,
  root: string,
  kinds: readonly RunKind[],
): Promise<StoredRun[]> {
  return useClient(service, async (client) => {
    const found = new Map<
      string,
      StoredRun & { readonly kind: RunKind; readonly workflows: RunWorkflow[] }
    >();
    const query = `ExecutionStatus = "Running" AND WorkflowType IN (${WORKFLOW_TYPES})`;
    for await (const { memo, workflowId, runId, taskQueue } of client.workflow.list({ query })) {
      const store = memo?.[STORE_MEMO];
      if (typeof store !== 'string' || !`${store}/`.startsWith(`${root}/`)) continue;
      // Its batches and its studies have ids below its own.
      const [id = workflowId] = workflowId.split('/');
      const kind = parseRunKind(id);
      if (kind === undefined || !kinds.includes(kind)) continue;
      const { workflows = [] } = found.get(store) ?? {};
      workflows.push({ workflowId, execution: runId, queue: taskQueue });
      found.set(store, { id, store, kind, workflows });
    }
    return [...found]
      .toSorted(([one, { kind }], [other, { kind: otherKind }]) =>
        kind === otherKind ? (one < other ? -1 : 1) : kind === 'synthesis' ? 1 : -1,
      )
      .map(([, run]) => run);
  });
}

/**
 * Returns whether workers of another version carry a run out: true where they live, false where they have gone; undefined where no other version
 * has it.
 */
export async function isServedByAnother(
  service: Service,
  run: string,
  version: string,
): Promise<boolean | undefined> {
  return useClient(service, async ({ workflow }) => {
    const query = `ExecutionStatus = "Running" AND WorkflowId STARTS_WITH "${run}" AND WorkflowType IN (${WORKFLOW_TYPES})`;
    const others = new Set<string>();
    for await (const { taskQueue } of workflow.list({ query })) {
      const other = readQueueVersion(taskQueue);
      if (other !== undefined && other !== version) others.add(other);
    }
    if (others.size === 0) return undefined;
    for (;;) {
      const atWork = await findVersionsAtWork(workflow, run);
      if (atWork === undefined) return false;
      if ([...others].some((other) => atWork.versions.has(other))) return true;
      if (atWork.isComplete) return false;
      await wait(1_000);
    }
  });
}

/** Sends a run that is still running its window; undefined when none is running. */
async function widenWindow(client: Client, workflowId: string, window: number): Promise<true | undefined> {
  return client.workflow
    .getHandle(workflowId)
    .signal(setWindow, window)
    .then(() => true as const, ignoreNotFound);
}

/**
 * Ends all workflows that a run has in the engine, so that it starts again from the journal. To be done before any worker polls: a run
 * that saw its personas end would count them as failed.
 */
export async function endWorkflows(service: Service, runId: string): Promise<void> {
  await useClient(service, async (client) => {
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
  });
}

async function terminate(client: Client, workflowId: string): Promise<void> {
  await client.workflow
    .getHandle(workflowId)
    .terminate('Ended, to be continued from the journal.')
    .catch(ignoreNotFound);
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  return status.name === 'RUNNING';
}

const failedCallSchema = z.object({ kind: z.string(), key: z.string() });

/** Returns the call that a workflow failed of; the workflow itself, where one of its activities failed. */
function readFailedCall(failure: Error, workflowId: string): FailedCall | undefined {
  if (!(failure instanceof ApplicationFailure)) return undefined;
  const { type, details } = failure;
  return failedCallSchema.safeParse(details?.[0]).data ?? { kind: type ?? 'unexpected', key: workflowId };
}

/** What was thrown in the first place: activities and children wrap it. */
function findInnermost(error: Error): Error {
  return error.cause instanceof Error ? findInnermost(error.cause) : error;
}

// The server may go away for a while, and come back: that is no result.
async function awaitResult<W extends Workflow>(
  client: Client,
  workflowId: string,
  disposed: AbortSignal,
): Promise<WorkflowResultType<W>> {
  for (;;) {
    try {
      // The client adds a listener to the signal with each request and never removes it, so a signal is used for two minutes only.
      return await client.withAbortSignal(AbortSignal.any([disposed]), () =>
        client.withDeadline(Date.now() + RESULT_WAIT_MS, () => client.workflow.result<W>(workflowId)),
      );
    } catch (error) {
      // Nobody waits any more.
      if (disposed.aborted) return new Promise(() => undefined);
      const failure = classifyGrpcError(error);
      if (failure !== undefined && failure !== 'permanent') {
        // Not kept waiting for: by then the connection may be closed, and the command about to end.
        await wait(1_000, undefined, { ref: false });
        continue;
      }
      if (!(error instanceof WorkflowFailedError)) throw error;
      if (error.cause instanceof CancelledFailure) throw new RunCancelled();
      // Another version has replaced it: workers that had it are gone.
      if (error.cause instanceof TerminatedFailure && (await isRunning(client, workflowId))) continue;
      const innermost = findInnermost(error);
      throw new RunFailed(innermost.message, readFailedCall(innermost, workflowId), { cause: error });
    }
  }
}

const RESULT_WAIT_MS = 120_000;
