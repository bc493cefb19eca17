import type { Client } from '@temporalio/client';
import { buildRunQueueName, readQueueVersion } from '../../engine/task-queues';
import { findVersionsAtWork, haveGone } from '../../engine/versions-at-work';
import { ignoreNotFound } from '../../workers/server/connection';
import { moveTo, workersGone } from '../../workflows/messages';
import type { RunWorkflow } from './drive';
import { readWorkflowInput } from '../folder/workflow-input';

/**
 * Moves a run to the version of this process, once no call in flight would be repeated; call it again and again. The workflow continues as
 * new with its input and without its state: the new version reads the store. If the workers of the old version have sent no report for
 * the length of a lease, the workflow is replaced. The run then restarts the personas that they left behind.
 */
export class RunMover {
  readonly #signaled = new Set<string>();
  #looks = 0;

  constructor(
    private readonly client: Client,
    private readonly run: string,
    private readonly version: string,
  ) {}

  get #queue(): string {
    return buildRunQueueName(this.run, this.version);
  }

  /** @param workflows that do the run's work */
  async move(workflows: readonly RunWorkflow[]): Promise<void> {
    const elsewhere = workflows.filter(({ queue }) => queue !== this.#queue);
    for (const workflow of elsewhere) {
      if (await this.#isAbandoned(workflow.queue)) await this.#replace(workflow);
      else await this.#signalMove(workflow);
    }
    this.#looks += 1;
    if (elsewhere.length === 0 && this.#looks % LOOKS_BETWEEN_LISTS === 0) await this.#findAbandoned();
  }

  /** Returns whether workflows of a run are left on a version's task queue. */
  async hasWork(): Promise<boolean> {
    const { count } = await this.client.workflow.count(
      `ExecutionStatus = "Running" AND TaskQueue = "${this.#queue}" AND WorkflowType != "control"`,
    );
    return count > 0;
  }

  async #isAbandoned(queue: string): Promise<boolean> {
    const version = readQueueVersion(queue);
    if (version === undefined) return false;
    return haveGone(version, await findVersionsAtWork(this.client.workflow, this.run));
  }

  /** Signals a workflow with living workers to continue on this version's task queue once it can. */
  async #signalMove({ workflowId, execution }: RunWorkflow): Promise<void> {
    if (this.#signaled.has(execution)) return;
    await this.client.workflow
      .getHandle(workflowId, execution)
      .signal(moveTo, this.#queue)
      .catch(ignoreNotFound);
    this.#signaled.add(execution);
  }

  /** Starts a workflow without living workers again, from the journal. */
  async #replace({ workflowId, execution }: RunWorkflow): Promise<void> {
    const { workflow } = this.client;
    const { runId, taskQueue, status, memo, type } = await workflow.getHandle(workflowId).describe();
    // Another process was faster.
    if (runId !== execution || taskQueue === this.#queue || status.name !== 'RUNNING') return;
    const [input] = await readWorkflowInput(this.client, workflowId, execution);
    await workflow.start(type, {
      workflowId,
      taskQueue: this.#queue,
      args: [removeProgress(input)],
      ...(memo === undefined ? {} : { memo }),
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    });
  }

  /** Makes the run look at once for personas whose workers are gone; otherwise it looks every minute. */
  async #findAbandoned(): Promise<void> {
    const query = `ExecutionStatus = "Running" AND WorkflowType = "persona" AND WorkflowId STARTS_WITH "${this.run}/" AND TaskQueue != "${this.#queue}"`;
    for await (const { taskQueue } of this.client.workflow.list({ query, pageSize: 1 })) {
      if (await this.#isAbandoned(taskQueue))
        await this.client.workflow.getHandle(this.run).signal(workersGone).catch(ignoreNotFound);
      return;
    }
  }
}

/** Removes the progress from the input of a workflow that continued as new: only its own version can read it. The initial input remains. */
function removeProgress(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('state' in input)) return input;
  const { state: _, ...begun } = input;
  return begun;
}

/** Number of checks between two lists of remaining workflows, about fifteen seconds. */
const LOOKS_BETWEEN_LISTS = 5;
