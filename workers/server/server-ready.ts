import { setTimeout as wait } from 'node:timers/promises';
import { msToTs } from '@temporalio/common/lib/time';
import { connectTo } from './connection';

/** Waits until the frontend answers, and sets the retention. */
export async function waitUntilReady(address: string, exited: Promise<void>): Promise<void> {
  let hasExited = false;
  void exited.then(() => (hasExited = true));
  const givesUpAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    if (hasExited) throw new Error('The server ended before it answered.');
    try {
      await setRetention(address);
      return;
    } catch (error) {
      if (performance.now() > givesUpAtMs) throw error;
      await wait(100);
    }
  }
}

async function setRetention(address: string): Promise<void> {
  const connection = await connectTo({ address, connectTimeout: '2 seconds', channelArgs: IMPATIENT });
  try {
    await connection.workflowService.updateNamespace({
      namespace: 'default',
      config: { workflowExecutionRetentionTtl: msToTs(RETENTION_MS) },
    });
  } finally {
    await connection.close();
  }
}

/** The server usually answers within a second; a slow machine needs more. */
const PATIENCE_MS = 60_000;

/** A server starts in half a second, the default delay between two attempts to connect is one second. */
const IMPATIENT = { 'grpc.initial_reconnect_backoff_ms': 50, 'grpc.max_reconnect_backoff_ms': 100 };

/** Time that closed workflows stay visible: longer than the longest run (the server's default is one day). */
const RETENTION_MS = 365 * 24 * 3600 * 1000;
