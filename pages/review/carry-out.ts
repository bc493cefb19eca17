import { ApplicationFailure } from '@temporalio/common';
import { join } from 'node:path';
import { heartbeatDuring } from '../../activities/activity';
import { RunEvents } from '../../activities/run-events';
import { CallGate } from '../../activities/call-gate';
import { getReason } from '../../data/sets/error';
import type { OpenOptions } from '../../data/sets/open';
import { requireDirectories } from '../../data/store/own-file';
import { buildRunQueueName, SIGNED } from '../../engine/task-queues';
import { connectTo, createClient, ignoreNotFound, type Engine } from '../../workers/server/connection';
import { driveWorkflow, endWorkflows } from '../../runs/drive/drive';
import { connectChosenCluster, isClusterChosen, startEmbedded } from '../../workers/server/engine';
import type { TemporalBinary } from '../../workers/server/temporal-binary';
import { startWorkers } from '../../workers/worker';
import { readWorkflowBundle } from '../../workers/workflow-bundle';
import {
  finishReview,
  reviewState,
  type ReviewActivities,
  type ReviewResult,
  type ReviewState,
  type review as reviewWorkflow,
} from '../../workflows/review/review';
import type { Annotations, ReviewFolder } from './folder';
import { openLog } from '../../workers/telemetry/log';
import { writeReviewedData } from './finish';
import { computeReviewProgress } from './progress';

interface ReviewSurroundings extends OpenOptions {
  readonly profile: string | undefined;
  readonly findServer: () => Promise<TemporalBinary | 'interrupted'>;
  /** Waits for the work, or until the user interrupts it: then it calls `stop`. */
  readonly untilInterrupted: <T>(work: Promise<T>, stop: () => void) => Promise<T | 'interrupted'>;
}

/** A review that waits for people. */
export interface WaitingReview {
  /** Ends the review with what is decided. */
  readonly finish: () => Promise<void>;
}

/**
 * Starts the workflow that waits for a review's annotations, or finds it still waiting, and returns its result.
 * @param serve takes annotations while the review waits; ended once the review is. Not called if nothing is left to decide
 */
export async function carryOutReview(
  review: ReviewFolder,
  annotations: Annotations,
  surroundings: ReviewSurroundings,
  serve: (waiting: WaitingReview) => Promise<AsyncDisposable>,
): Promise<ReviewResult | 'interrupted'> {
  const { path, store, plan } = review;
  const bundle = await readWorkflowBundle();
  const binary = isClusterChosen(surroundings.profile) ? undefined : await surroundings.findServer();
  if (binary === 'interrupted') return binary;
  // The workflow knows only what the files say: of another version of the program it starts again.
  const startsAnew = (await store.read(VERSION)) !== bundle.version;
  await using engine = await openEngine(path, binary, startsAnew, surroundings);
  if (startsAnew) await endWorkflows(engine, plan.id);
  await store.write(VERSION, bundle.version);
  const activities: ReviewActivities = {
    async writeReviewedData() {
      try {
        return await heartbeatDuring(() => writeReviewedData(review, annotations, surroundings));
      } catch (error) {
        // The user is at the terminal, so the problem is reported immediately; repeating the command tries again.
        throw ApplicationFailure.nonRetryable(getReason(error), 'review');
      }
    },
  };
  const queue = buildRunQueueName(plan.id, engine.key === undefined ? undefined : SIGNED);
  await using workers = await startWorkers({
    engine,
    bundle: bundle.path,
    queue,
    limitsQueue: queue,
    // No model is called.
    gate: new CallGate(new RunEvents()),
    concurrency: 1,
    capacity: () => 0,
    onDrained: () => Promise.resolve(),
    activities: { asking: {}, keeping: activities },
    log: openLog(join(path, '.cupid', 'worker.log'), path),
  });
  await using driven = await driveWorkflow<typeof reviewWorkflow, ReviewState>(engine, {
    workflow: 'review',
    workflowId: plan.id,
    taskQueue: queue,
    args: [],
    window: 1,
    progress: reviewState,
  });
  await using waiting = await openWaitingReview(engine, plan.id);
  // The last task may have been annotated right before a crash, or the rule may be another one now.
  const { decided, tasks } = computeReviewProgress(review, annotations);
  const isDecided = decided === tasks;
  if (isDecided) await waiting.finish();
  const serving = isDecided ? Promise.resolve(undefined) : serve(waiting);
  try {
    // It may be interrupted as soon as it prints its links.
    const work = serving.then(() => Promise.race([driven.result(), workers.ended]));
    return await surroundings.untilInterrupted(work, () => undefined);
  } finally {
    await (await serving)?.[Symbol.asyncDispose]();
  }
}

const VERSION = 'review-version';

async function openEngine(
  path: string,
  binary: TemporalBinary | undefined,
  startsAnew: boolean,
  { profile, report }: ReviewSurroundings,
): Promise<Engine> {
  if (binary === undefined) return connectChosenCluster(profile);
  const folder = join(path, '.cupid', 'engine');
  // The embedded server opens its own files there.
  await requireDirectories(folder, path);
  return startEmbedded(folder, binary, { afresh: startsAnew, report });
}

async function openWaitingReview(engine: Engine, id: string): Promise<WaitingReview & AsyncDisposable> {
  const connection = await connectTo(engine.connection);
  const handle = createClient(connection, engine).workflow.getHandle(id);
  return {
    finish: () => handle.signal(finishReview).catch(ignoreNotFound),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
