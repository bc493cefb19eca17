import { ApplicationFailure } from '@temporalio/common';
import { join } from 'node:path';
import { heartbeatDuring } from '../../activities/activity';
import { getReason } from '../../data/store/data-error';
import type { OpenOptions } from '../../data/sets/open';
import { requireDirectories } from '../../data/store/own-file';
import { buildRunQueueName, SIGNED } from '../../engine/task-queues';
import { connectTo, createClient, ignoreNotFound, type Engine } from '../../workers/server/connection';
import { driveWorkflow, endWorkflows } from '../../runs/drive/drive';
import { findServer, type Interruption } from '../../runs/drive/find-server';
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
import { isDecided } from '../../rules/review/summary';
import { getReview, type Annotations, type ReviewFolder } from '../../runs/review/folder';
import { openLog } from '../../workers/telemetry/log';
import { writeReviewedData } from './finish';

interface ReviewSurroundings extends OpenOptions, Interruption {
  readonly profile: string | undefined;
}

/** A review that waits for people. */
export interface WaitingReview {
  /** Ends the review with the decisions so far. */
  readonly finish: () => Promise<void>;
}

/**
 * Starts the workflow that waits for a review's annotations, or joins it if it still waits on a cluster. Returns its result.
 * @param serve takes annotations until the review ends; not called if every task is decided
 */
export async function carryOutReview(
  review: ReviewFolder,
  annotations: Annotations,
  surroundings: ReviewSurroundings,
  serve: (waiting: WaitingReview) => Promise<AsyncDisposable>,
): Promise<ReviewResult | 'interrupted'> {
  const { path, store, plan } = review;
  const bundle = await readWorkflowBundle();
  const binary = isClusterChosen(surroundings.profile) ? undefined : await findServer(surroundings);
  if (binary === 'interrupted') return binary;
  await using engine = await openEngine(path, binary, surroundings);
  // The workflow holds nothing that the files lack, so on a cluster another version of the program starts a new one.
  if (binary === undefined && (await store.read(VERSION)) !== bundle.version) {
    await endWorkflows(engine, plan.id);
  }
  await store.write(VERSION, bundle.version);
  const activities: ReviewActivities = {
    async writeReviewedData() {
      try {
        return await heartbeatDuring(() => writeReviewedData(review, annotations, surroundings));
      } catch (error) {
        // Not retried, because the user is at the terminal: the problem is reported at once, and the repeated command
        // tries again.
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
    concurrency: 1,
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
  // All tasks may be decided already: by annotations right before a crash, or by a changed rule.
  const isOver = isDecided(getReview(review, annotations));
  if (isOver) await waiting.finish();
  const serving = isOver ? Promise.resolve(undefined) : serve(waiting);
  try {
    // The user may interrupt as soon as the links are printed.
    const ends = [driven.result(), workers.ended, ...(engine.database ? [engine.database.damaged] : [])];
    const work = serving.then(() => Promise.race(ends));
    return await surroundings.untilInterrupted(work, () => undefined);
  } finally {
    await (await serving)?.[Symbol.asyncDispose]();
  }
}

const VERSION = 'review-version';

async function openEngine(
  path: string,
  binary: TemporalBinary | undefined,
  { profile, report }: ReviewSurroundings,
): Promise<Engine> {
  if (binary === undefined) return connectChosenCluster(profile);
  const folder = join(path, '.cupid', 'engine');
  // The embedded server creates files of its own there.
  await requireDirectories(folder, path);
  return startEmbedded(folder, binary, { report });
}

async function openWaitingReview(engine: Engine, id: string): Promise<WaitingReview & AsyncDisposable> {
  const connection = await connectTo(engine.connection);
  const handle = createClient(connection, engine).workflow.getHandle(id);
  return {
    finish: () => handle.signal(finishReview).catch(ignoreNotFound),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
