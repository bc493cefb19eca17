import {
  ApplicationFailure,
  log,
  workflowInfo,
  type UpdateInput,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptors,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';
import { createStamp, findStampProblem, splitStamp, STAMP_VALID_MS, type StampKind } from '../engine/stamp';
import { isSignedQueue } from '../engine/task-queues';
import type { control } from './control/control';
import { endControl, report, setLimits, steer, steerLater } from './messages';

/**
 * Makes a workflow of the embedded engine accept only messages that are signed for it, and stamp every message that it sends. The worker has
 * already removed unsigned content (workers/signed-payloads.ts). Workflows of a cluster use no stamps.
 */
export function interceptors(): WorkflowInterceptors {
  const stamps = new Stamps();
  return { inbound: [stamps.inbound], outbound: [stamps.outbound] };
}

class Stamps {
  /** A replayed recording has no task queue, so the value is derived from the workflow's input. */
  #isSigned = false;
  /** Time of the last message among those that must arrive in order. */
  #orderedAtMs = 0;

  readonly inbound: WorkflowInboundCallsInterceptor = {
    execute: async (input, next) => {
      const { workflowType, taskQueue, startTime, runStartTime, continuedFromExecutionRunId } =
        workflowInfo();
      const { args, stamp } = splitStamp(input.args);
      if (stamp === undefined && !isSignedQueue(taskQueue)) return next(input);
      this.#isSigned = true;
      // The run starts for a worker with its first task: after messages that were sent at once. A chain's first run starts with the chain.
      const isFirst = continuedFromExecutionRunId === undefined;
      this.#orderedAtMs = (isFirst ? startTime : runStartTime).getTime();
      const sinceMs = workflowType === CONTROL ? Date.now() - STAMP_VALID_MS : undefined;
      const problem = findStampProblem(stamp, 'workflow', workflowType, sinceMs);
      if (problem !== undefined) throw reject('workflow', workflowType, problem);
      return next({ ...input, args });
    },
    handleSignal: async (input, next) => {
      const { args, rejection } = this.#open('signal', input.signalName, input.args);
      if (rejection === undefined) await next({ ...input, args });
    },
    validateUpdate: (input, next) => next(this.#openUpdate(input)),
    handleUpdate: async (input, next) => next(this.#openUpdate(input)),
    handleQuery: async (input, next) => {
      const { args, rejection } = this.#open('query', input.queryName, input.args);
      if (rejection !== undefined) throw rejection;
      return next({ ...input, args });
    },
  };

  readonly outbound: WorkflowOutboundCallsInterceptor = {
    scheduleActivity: async (input, next) => {
      const args = this.#stamp('activity', input.activityType, input.args);
      const result = await next({ ...input, args });
      if (!this.#isSigned) return result;
      // The worker passes null for an empty result (workers/stamps.ts).
      if (result === undefined) throw reject('result of', input.activityType, 'it is not signed');
      return result ?? undefined;
    },
    startChildWorkflowExecution: (input, next) => {
      const args = this.#stamp('workflow', input.workflowType, input.options.args);
      return next({ ...input, options: { ...input.options, args } });
    },
    signalWorkflow: (input, next) =>
      next({ ...input, args: this.#stamp('signal', input.signalName, input.args) }),
    continueAsNew: (input, next) =>
      next({ ...input, args: this.#stamp('workflow', input.options.workflowType, input.args) }),
  };

  #stamp(kind: StampKind, name: string, args: unknown[]): unknown[] {
    return this.#isSigned ? [...args, createStamp(kind, name, Date.now())] : args;
  }

  #openUpdate(input: UpdateInput): UpdateInput {
    const { args, rejection } = this.#open('update', input.name, input.args);
    if (rejection !== undefined) throw rejection;
    return { ...input, args };
  }

  /** Returns the arguments of a message, or the reason to reject it. */
  #open(
    kind: StampKind,
    name: string,
    received: unknown[],
  ): { readonly args: unknown[]; readonly rejection?: ApplicationFailure } {
    if (!this.#isSigned) return { args: received };
    const { args, stamp } = splitStamp(received);
    const isOrdered = ORDERED.has(name);
    const sinceMs =
      name === report.name ? Date.now() - STAMP_VALID_MS : isOrdered ? this.#orderedAtMs : undefined;
    const problem = findStampProblem(stamp, kind, name, sinceMs);
    if (problem !== undefined) return { args, rejection: reject(kind, name, problem) };
    if (isOrdered && stamp !== undefined) this.#orderedAtMs = stamp.at;
    return { args };
  }
}

function reject(messageKind: string, name: string, problem: string): ApplicationFailure {
  const message = `Rejected the ${messageKind} ${name}: ${problem}.`;
  log.warn(message);
  return ApplicationFailure.nonRetryable(message, 'rejected');
}

/** The input of a control contains the steering of the run, so an earlier input would undo later changes. */
const CONTROL: (typeof control)['name'] = 'control';

/** Messages that must not be repeated: an earlier one would undo a later one. A report has its own sequence number. */
const ORDERED: ReadonlySet<string> = new Set(
  [steer, steerLater, setLimits, endControl].map(({ name }) => name),
);
