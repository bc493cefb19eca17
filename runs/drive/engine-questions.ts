import { type Client, WorkflowNotFoundError, type WorkflowExecutionStatusName } from '@temporalio/client';
import type { QueryDefinition } from '@temporalio/common';
import { buildControlWorkflowId } from '../../journal/key';
import { controlState, type ControlState } from '../../workflows/messages';
import { connectTo, createClient } from './connection';
import type { Service } from './drive';

/** Asks a run's engine; no answer is awaited for longer than some seconds. */
export interface EngineQuestions extends AsyncDisposable {
  readonly client: Client;
  /** Gives up a question after this many milliseconds. */
  within<T>(milliseconds: number, ask: () => Promise<T>): Promise<T>;
  /** Undefined when there is no such workflow, or no process that works for it. */
  query<Result>(workflowId: string, definition: QueryDefinition<Result>): Promise<Result | undefined>;
  /** How a workflow stands; undefined when there is none. */
  statusOf(workflowId: string): Promise<WorkflowExecutionStatusName | undefined>;
  /** How a run is steered; undefined while no process works for it. */
  controlOf(run: string): Promise<ControlState | undefined>;
}

/** @throws Error when the engine does not answer */
export async function openQuestions(service: Service): Promise<EngineQuestions> {
  // Without the client's own retries: the caller asks again if it wants to.
  const connection = await connectTo({ ...service.connection, connectTimeout: PATIENCE, interceptors: [] });
  const client = createClient(connection, service);
  const within = <T>(milliseconds: number, ask: () => Promise<T>) =>
    connection.withDeadline(Date.now() + milliseconds, ask);
  const soon = <T>(ask: () => Promise<T>) => within(PATIENCE, ask);
  const questions: EngineQuestions = {
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
      const id = buildControlWorkflowId(run);
      // A workflow that has ended would report its state at that time.
      return (await questions.statusOf(id)) === 'RUNNING' ? questions.query(id, controlState) : undefined;
    },
    async statusOf(workflowId) {
      try {
        return (await soon(() => client.workflow.getHandle(workflowId).describe())).status.name;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
  return questions;
}

/** Milliseconds. */
const PATIENCE = 5_000;
