import { Context } from '@temporalio/activity';

/** Does work of an activity that takes long, and tells the server all the while that it lives. */
export async function whileAlive<T>(work: () => Promise<T>, intervalMs = 5_000): Promise<T> {
  const heartbeat = setInterval(() => Context.current().heartbeat(), intervalMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
  }
}
