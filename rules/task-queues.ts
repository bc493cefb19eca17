/** The task queue of workflows, and of activities that ask no model. */
export const MAIN_QUEUE = 'cupid';

/** The task queue of calls to one model, so that its limits can be held by the server (decision 10). */
export function modelQueue(spec: string): string {
  return `${MAIN_QUEUE}/${spec}`;
}
