import type { WorkflowClientInterceptor } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { createStamp, findStampProblem, splitStamp, STAMP_VALID_MS } from '../engine/stamp';
import type { Log } from './telemetry/log';

/** Stamps the messages of a client of the embedded engine, whose workflows reject others. */
export const STAMPING: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => {
    const args = [...input.options.args, createStamp('workflow', input.workflowType, Date.now())];
    return next({ ...input, options: { ...input.options, args } });
  },
  signal: (input, next) =>
    next({ ...input, args: [...input.args, createStamp('signal', input.signalName, Date.now())] }),
  startUpdate: (input, next) =>
    next({ ...input, args: [...input.args, createStamp('update', input.updateName, Date.now())] }),
  query: (input, next) =>
    next({ ...input, args: [...input.args, createStamp('query', input.queryType, Date.now())] }),
};

/**
 * Restricts activities of the embedded engine to those that a workflow of their run has scheduled, each once: a copy of its input is
 * outdated. Results are never missing, so workflows recognize a missing one as foreign.
 * @param log receives rejected ones
 */
export function createActivityGuard(log: Log): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const { activityType, scheduledTimestampMs, workflowExecution } = info;
        const { args, stamp } = splitStamp(input.args);
        const problem = findStampProblem(
          stamp,
          'activity',
          activityType,
          scheduledTimestampMs - STAMP_VALID_MS,
        );
        if (problem !== undefined) {
          const message = `Rejected the activity ${activityType}: ${problem}.`;
          log({ level: 'WARN', message, workflowId: workflowExecution?.workflowId });
          throw ApplicationFailure.nonRetryable(message, 'rejected');
        }
        return (await next({ ...input, args })) ?? null;
      },
    },
  });
}
