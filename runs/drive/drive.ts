import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import * as z from 'zod';
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
  connectWithoutRetries,
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
  /** Minimum interval of these queries, because a cluster may bill each. */
  readonly leastQueryMs: number;
}

/** The run ended without a result. No answer is lost, and the same command continues from there. */
export class RunFailed extends Error {
  override readonly name: string = 'RunFailed';

  /** @param call the call or workflow whose cause is in the run's store */
  constructor(
    message: string,
    readonly call?: FailedCall,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export class RunCancelled extends RunFailed {
  override readonly name = 'RunCancelled';
  /** @param next sentence that says how the run is continued */
  constructor(next = 'Repeat the same command to continue.') {
    super(`The run was cancelled. Everything answered is kept. ${next}`);
  }
}

/** A Temporal service on which runs are started. */
export interface IdentifiedService extends Service, Pick<NamedService, 'id'> {
  /** Location of the run's store, such as `s3://bucket/run`, by which workers find runs. Absent if it is the run's folder. */
  readonly store?: string;
  /** Suffix of the task queues: the version of the workflows, or a mark that they are signed; absent if there is none. */
  readonly version?: string;
}

/** A run whose workflows this process starts and follows. */
export interface RunInProgress<Run = unknown> {
  readonly engine: IdentifiedService;
  /** Content of its `run.json`. */
  readonly file: Run;
  /** Shows a workflow's progress until it ends. @throws when the user interrupts it */
  readonly follow: <Progress, Result>(
    driven: DrivenWorkflow<Progress, Result>,
    show: (progress: Progress) => void | Promise<void>,
  ) => Promise<Result>;
}

/** A workflow to drive: its type, id and input, and the query of its progress. */
interface Drive<W extends Workflow, Progress> {
  readonly workflow: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly args: Parameters<W>;
  /** Maximum work items open at once. */
  readonly window: number;
  readonly progress: QueryDefinition<Progress>;
}

/** Starts a run's workflow, or continues with the running one. */
export async function driveWorkflow<W extends Workflow, Progress>(
  service: IdentifiedService,
  target: Drive<W, Progress>,
): Promise<DrivenWorkflow<Progress, WorkflowResultType<W>>> {
  await startOrContinue(service, target);
  const client = await connectWithoutRetries(service);
  const disposed = new AbortController();
  return {
    leastQueryMs: getHeartbeats(service.id).queryMs,
    result: () => awaitResult<W>(client, target.workflowId, disposed.signal),
    async progress() {
      try {
        return await client.workflow.getHandle<W>(target.workflowId).query(target.progress);
      } catch {
        return undefined;
      }
    },
    async [Symbol.asyncDispose]() {
      // The server answers a request for the result only after up to twenty seconds, and until then the process would not end.
      disposed.abort();
      await client.connection.close();
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

/** Key of the memo with the store's location in a run's workflows. */
const STORE_MEMO = 'store';

/** Types of the workflows that do the work of runs. */
const WORKFLOW_TYPES = ['run', 'evaluation', 'batches'].map((type) => `"${type}"`).join(', ');

/** A run in progress whose store is on object storage. */
export interface StoredRun {
  readonly id: string;
  readonly store: string;
  /** Workflows that do its work, with the task queue of their version. */
  readonly workflows: readonly RunWorkflow[];
}

export interface RunWorkflow {
  readonly workflowId: string;
  readonly execution: string;
  readonly queue: string;
}

/**
 * Lists the runs in progress whose stores are at or below a place on object storage, in order, evaluations first.
 * @param root such as `s3://bucket/prefix`
 */
export async function listStoredRuns(
  service: Service,
  root: string,
  kinds: readonly RunKind[],
): Promise<StoredRun[]> {
  return useClient(service, async (client) => {
    const runs = new Map<string, StoredRun & { readonly kind: RunKind; readonly workflows: RunWorkflow[] }>();
    const query = `ExecutionStatus = "Running" AND WorkflowType IN (${WORKFLOW_TYPES})`;
    for await (const { memo, workflowId, runId, taskQueue } of client.workflow.list({ query })) {
      const store = memo?.[STORE_MEMO];
      if (typeof store !== 'string' || !`${store}/`.startsWith(`${root}/`)) continue;
      // Batches and studies have ids below the run's.
      const [id = workflowId] = workflowId.split('/');
      const kind = parseRunKind(id);
      if (kind === undefined || !kinds.includes(kind)) continue;
      const { workflows = [] } = runs.get(store) ?? {};
      workflows.push({ workflowId, execution: runId, queue: taskQueue });
      runs.set(store, { id, store, kind, workflows });
    }
    return [...runs.values()].toSorted((a, b) =>
      a.kind === b.kind ? (a.store < b.store ? -1 : 1) : a.kind === 'synthesis' ? 1 : -1,
    );
  });
}

/**
 * Returns whether workers of another version serve a run: true if they live, false if they are gone; undefined if no other version has it.
 */
export async function isServedByAnother(
  service: Service,
  run: string,
  version: string,
): Promise<boolean | undefined> {
  return useClient(service, async ({ workflow }) => {
    const query = `ExecutionStatus = "Running" AND WorkflowId STARTS_WITH "${run}" AND WorkflowType IN (${WORKFLOW_TYPES})`;
    const otherVersions = new Set<string>();
    for await (const { taskQueue } of workflow.list({ query })) {
      const queueVersion = readQueueVersion(taskQueue);
      if (queueVersion !== undefined && queueVersion !== version) otherVersions.add(queueVersion);
    }
    if (otherVersions.size === 0) return undefined;
    for (;;) {
      const atWork = await findVersionsAtWork(workflow, run);
      if (atWork === undefined) return false;
      if ([...otherVersions].some((otherVersion) => atWork.versions.has(otherVersion))) return true;
      if (atWork.isComplete) return false;
      await wait(1_000);
    }
  });
}

/** Sends the window to a running run; undefined if it is not running. */
async function widenWindow(client: Client, workflowId: string, window: number): Promise<true | undefined> {
  return client.workflow
    .getHandle(workflowId)
    .signal(setWindow, window)
    .then(() => true as const, ignoreNotFound);
}

/**
 * Terminates all workflows of a run in the engine, so that it starts again from the journal. Must run before any worker polls: a run that
 * saw its personas end would count them as failed.
 */
export async function endWorkflows(service: Service, runId: string): Promise<void> {
  await useClient(service, async (client) => {
    // By name first, because the list may lag behind.
    await terminate(client, runId);
    const query = `ExecutionStatus = "Running" AND WorkflowId STARTS_WITH "${runId}"`;
    for (;;) {
      const open: string[] = [];
      for await (const { workflowId } of client.workflow.list({ query })) open.push(workflowId);
      if (open.length === 0) return;
      // Parents first: their ids are shorter.
      for (const id of open.toSorted((a, b) => a.length - b.length)) await terminate(client, id);
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

/** Returns the call that made a workflow fail; the workflow itself if one of its activities failed. */
function readFailedCall(failure: Error, workflowId: string): FailedCall | undefined {
  if (!(failure instanceof ApplicationFailure)) return undefined;
  const { type, details } = failure;
  return failedCallSchema.safeParse(details?.[0]).data ?? { kind: type ?? 'unexpected', key: workflowId };
}

/** Finds the original error, which activities and child workflows wrap. */
function findInnermost(error: Error): Error {
  return error.cause instanceof Error ? findInnermost(error.cause) : error;
}

// Waits for the result, through outages of the server.
async function awaitResult<W extends Workflow>(
  client: Client,
  workflowId: string,
  disposed: AbortSignal,
): Promise<WorkflowResultType<W>> {
  for (;;) {
    // The client adds a listener to the signal with each request and never removes it, so each signal is used for only two minutes. Not
    // `AbortSignal.any`: Node.js keeps such a signal and its listeners as long as the signal that it follows.
    const stop = new AbortController();
    const passOn = () => stop.abort();
    disposed.addEventListener('abort', passOn, { once: true });
    if (disposed.aborted) passOn();
    // A run that continues as new often takes more requests in that time than Node.js warns about.
    setMaxListeners(0, stop.signal);
    try {
      return await client.withAbortSignal(stop.signal, () =>
        client.withDeadline(Date.now() + RESULT_WAIT_MS, () => client.workflow.result<W>(workflowId)),
      );
    } catch (error) {
      // The caller no longer waits.
      if (disposed.aborted) return await new Promise(() => undefined);
      const failure = classifyGrpcError(error);
      if (failure !== undefined && failure !== 'permanent') {
        // `ref: false`, because the connection may be closed by then, and the command be about to end.
        await wait(1_000, undefined, { ref: false });
        continue;
      }
      if (!(error instanceof WorkflowFailedError)) throw error;
      if (error.cause instanceof CancelledFailure) throw new RunCancelled();
      // Another version has replaced it, because the workers of the old one are gone.
      if (error.cause instanceof TerminatedFailure && (await isRunning(client, workflowId))) continue;
      const innermost = findInnermost(error);
      throw new RunFailed(innermost.message, readFailedCall(innermost, workflowId), { cause: error });
    } finally {
      disposed.removeEventListener('abort', passOn);
    }
  }
}

const RESULT_WAIT_MS = 120_000;
