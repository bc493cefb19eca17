/**
 * Names the task queue of a run's workflows, and of its activities that ask no model. It is the run's own: a worker works only for runs
 * that it can read and whose models it may ask. Each version on a cluster has queues of its own, so workflows stay with their code.
 * Worker Versioning could route on one queue, but a deployment has at most 100 queues and a namespace 100 deployments (server 1.31).
 * It only says which version is current (`runs/drive/deployment.ts`).
 * @param version of the workflows, on a cluster: what one version has begun is continued by workers of that version only; on the embedded
 *   engine `SIGNED`
 */
export function buildRunQueueName(run: string, version?: string): string {
  return version === undefined ? run : `${run}@${version}`;
}

/**
 * Takes the place of a version on the embedded engine, which has one version at a time. Its workflows follow signed messages only. They know that
 * from the name of their queue, which nobody else can give them.
 */
export const SIGNED = 'signed';

/** Returns true if the workflows of a task queue follow signed messages only. */
export function isSignedQueue(queue: string): boolean {
  return readQueueVersion(queue) === SIGNED;
}

/** Returns the version that serves a run's task queue; undefined if the queue names none. */
export function readQueueVersion(queue: string): string | undefined {
  const at = queue.indexOf('@');
  return at < 0 ? undefined : queue.slice(at + 1);
}

/**
 * Names the task queue of a run's activities that ask models. All models share it, and a process takes as many calls as its leases allow.
 * Temporal's priority and fairness keys are not used: they order tasks of one queue, while runs compete for the limits of a model.
 * Priority for dialogues in progress was tried (`bench/schedule.mjs synth:16:4000:24`, 2026-11-24): 1.26 times the shortest time with it,
 * 1.23 times without.
 */
export function buildCallsQueueName(queue: string): string {
  return `${queue}/calls`;
}

/** The Worker Deployment, and its task queue, in which the versions of this program are registered. */
export const DEPLOYMENT = 'cupid';
