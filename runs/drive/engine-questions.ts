import type { Client, WorkflowExecutionStatusName } from '@temporalio/client';
import type { QueryDefinition } from '@temporalio/common';
import { classifyGrpcError } from '../../engine/grpc';
import { buildControlWorkflowId } from '../../engine/journal/key';
import { controlState, type ControlState } from '../../workflows/messages';
import { connectWithoutRetries, ignoreNotFound, type Service } from '../../workers/server/connection';
import { listPollerVersions } from './pollers';

/** Queries to a run's engine; each is given up after a few seconds. */
export interface EngineQuestions extends AsyncDisposable {
  readonly client: Client;
  /** Gives up a request after this many milliseconds. */
  within<T>(milliseconds: number, ask: () => Promise<T>): Promise<T>;
  /** Returns undefined if there is no such workflow, or no process that works for it. */
  query<Result>(workflowId: string, definition: QueryDefinition<Result>): Promise<Result | undefined>;
  /** Returns the status of a workflow; undefined if there is none. */
  statusOf(workflowId: string): Promise<WorkflowExecutionStatusName | undefined>;
  /**
   * Returns the state of a run's control; undefined if it is not running; `unattended` while no worker is running it, but the next one to
   * start would continue it.
   * @throws an error that `classifyGrpcError` calls `unavailable` when a process may work for it, but is slow
   */
  controlOf(run: string): Promise<ControlState | 'unattended' | undefined>;
}

/** Connects to the engine; undefined if it does not answer. */
export async function openQuestions(service: Service | undefined): Promise<EngineQuestions | undefined> {
  if (service === undefined) return undefined;
  const client = await connectWithoutRetries(service, { connectTimeout: PATIENCE }).catch(() => undefined);
  if (client === undefined) return undefined;
  const within = <T>(milliseconds: number, ask: () => Promise<T>) =>
    client.withDeadline(Date.now() + milliseconds, ask);
  const soon = <T>(ask: () => Promise<T>) => within(PATIENCE, ask);
  return {
    client,
    within,
    async query(workflowId, definition) {
      try {
        return await soon(() => client.workflow.getHandle(workflowId).query(definition));
      } catch {
        return undefined;
      }
    },
    async controlOf(run) {
      const handle = client.workflow.getHandle(buildControlWorkflowId(run));
      const description = await soon(() => handle.describe()).catch(ignoreNotFound);
      // A closed workflow would report its final state.
      if (description?.status.name !== 'RUNNING') return undefined;
      try {
        return await soon(() => handle.query(controlState));
      } catch (error) {
        // The server itself reports that no worker polls, but not while a task of the workflow waits for one.
        if (classifyGrpcError(error) !== 'unavailable') return 'unattended';
        const pollers = await soon(() =>
          listPollerVersions(client, service.namespace, description.taskQueue),
        );
        if (pollers.length === 0) return 'unattended';
        throw error;
      }
    },
    async statusOf(workflowId) {
      const handle = client.workflow.getHandle(workflowId);
      return (await soon(() => handle.describe()).catch(ignoreNotFound))?.status.name;
    },
    [Symbol.asyncDispose]: () => client.connection.close(),
  };
}

/** Milliseconds. */
const PATIENCE = 5_000;
