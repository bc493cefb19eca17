import { proxyActivities, workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import type { ControlKeeping } from '../activities/control';
import type { EvaluationAsking, EvaluationKeeping } from '../activities/evaluation';
import type { SynthesisAsking, SynthesisKeeping } from '../activities/synthesis';
import { heartbeatTimeoutIn } from '../engine/heartbeats';
import { callsQueue } from '../engine/task-queues';

// Without end, since only what passes by itself is retried at all (activities/activity.ts). The first time soon: most often a worker
// was killed; a model that fails is waited for by its lease.
const retry = {
  initialInterval: '200 milliseconds',
  backoffCoefficient: 2,
  maximumInterval: '1 minute',
} as const;

/** Long enough for the slowest answer; a worker that died is noticed by its missing heartbeat. */
function modelOptions(): ActivityOptions {
  return {
    startToCloseTimeout: '1 hour',
    heartbeatTimeout: heartbeatTimeoutIn(workflowInfo().memo),
    retry,
  };
}

/** What a workflow hands on to those that it starts. */
export function inherited(): { memo: Record<string, unknown> } {
  return { memo: workflowInfo().memo ?? {} };
}

// Whoever is killed while writing data sets holds the run up for as long as its heartbeat is waited for.
const KEEPING: ActivityOptions = { startToCloseTimeout: '1 hour', heartbeatTimeout: '20 seconds', retry };

/** The activities that ask models for a synthesis run. */
export function asking(run: string): SynthesisAsking {
  return proxyActivities<SynthesisAsking>({ ...modelOptions(), taskQueue: callsQueue(run) });
}

/** The activities that read and write what a synthesis run keeps, on the workflow's own task queue. */
export const keeping = proxyActivities<SynthesisKeeping>(KEEPING);

/** The activities that ask models for an evaluation run. */
export function evaluating(run: string): EvaluationAsking {
  return proxyActivities<EvaluationAsking>({ ...modelOptions(), taskQueue: callsQueue(run) });
}

/** The activities that read and write what an evaluation run keeps, on the workflow's own task queue. */
export const keepingEvaluation = proxyActivities<EvaluationKeeping>(KEEPING);

/** The activities by which a run is steered, on the workflow's own task queue. */
export const controlling = proxyActivities<ControlKeeping>(KEEPING);
