/**
 * Returns the task queue of a run's workflows, and of its activities that ask no model. It is the run's own: a worker works only for runs that it
 * can read and whose models it may ask.
 * @param version of the workflows, on a cluster: what one version has begun is continued by workers of that version only; on the embedded
 *   engine `SIGNED`
 */
export function buildRunQueueName(run: string, version?: string): string {
  return version === undefined ? run : `${run}@${version}`;
}

/**
 * In place of a version, on the embedded engine. It has one version at a time, and its workflows follow signed messages only: they know by
 * the name of their queue, which nobody else can give them.
 */
export const SIGNED = 'signed';

/** Returns whether the workflows of a task queue follow signed messages only. */
export function isSignedQueue(queue: string): boolean {
  return readQueueVersion(queue) === SIGNED;
}

/** Returns the version that works for a run's task queue; undefined where the queue names none. */
export function readQueueVersion(queue: string): string | undefined {
  const at = queue.indexOf('@');
  return at < 0 ? undefined : queue.slice(at + 1);
}

/** Returns the task queue of a run's activities that ask models, beside the one of its workflows. */
export function buildCallsQueueName(queue: string): string {
  return `${queue}/calls`;
}

/** The Worker Deployment that the versions of this program are registered in, and the task queue by which they are. */
export const DEPLOYMENT = 'cupid';
