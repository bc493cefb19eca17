import { ApplicationFailure, Context } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { writeUnanswered } from '../data/run/unanswered-calls';
import { createFailure } from './create-failure';
import type { World, RunFiles } from './world';

/**
 * Makes a step an activity of this run. It sends heartbeats while it works, and `createFailure` classifies whatever it throws.
 */
export function bindActivity<Files extends RunFiles, Input extends { readonly run: string }, Output>(
  world: World<Files>,
  step: (world: World<Files>, input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return async (input) => {
    const { info } = Context.current();
    const id = `${info.workflowExecution?.runId ?? ''}/${info.activityId}`;
    try {
      requireRun(world.run, input);
      return await heartbeatDuring(() => step(world, input));
    } catch (error) {
      const failure = createFailure(error, world, id);
      const workflowId = info.workflowExecution?.workflowId;
      if (failure.nonRetryable === true && workflowId !== undefined) {
        await writeUnanswered(world.run.store, workflowId, {
          kind: failure.type ?? 'unexpected',
          cause: failure.message,
        });
      }
      throw withoutText(failure);
    }
  };
}

/**
 * Returns the failure that Temporal stores. A message may quote a model, so it goes only to the run's store, the log, and the progress of
 * the command.
 */
function withoutText({
  type,
  nonRetryable,
  nextRetryDelay,
  category,
}: ApplicationFailure): ApplicationFailure {
  return ApplicationFailure.create({
    message: `${type ?? 'unexpected'} (the cause is in the store of the run)`,
    type: type ?? 'unexpected',
    nonRetryable: nonRetryable === true,
    ...(nextRetryDelay === undefined ? {} : { nextRetryDelay }),
    ...(category === 'BENIGN' ? { category: ApplicationFailureCategory.BENIGN } : {}),
  });
}

function requireRun({ id }: RunFiles, { run }: { readonly run: string }): void {
  if (run !== id) throw new Error(`This worker belongs to run ${id}, not to run ${run}.`);
}

/** Runs the work of an activity with several heartbeats in each timeout. Sends none for short work, because Temporal Cloud bills each. */
async function heartbeatDuring<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const { heartbeatTimeoutMs = UNHEARD_MS } = context.info;
  const heartbeat = setInterval(() => context.heartbeat(), heartbeatTimeoutMs / HEARTBEATS_A_TIMEOUT);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
  }
}

const HEARTBEATS_A_TIMEOUT = 4.5;

/** Interval for activities without a heartbeat timeout. */
const UNHEARD_MS = 60_000;
