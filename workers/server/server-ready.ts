import { setTimeout as wait } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';

/** Resolves when the frontend answers; sets the retention on the way. */
export async function waitUntilReady(address: string, exited: Promise<void>): Promise<void> {
  let gone = false;
  void exited.then(() => (gone = true));
  for (let tries = 0; ; tries += 1) {
    if (gone) throw new Error('The server ended before it answered.');
    // Not `connect`, which leaves its channel open when it fails.
    const connection = Connection.lazy({ address, connectTimeout: '2 seconds', channelArgs: IMPATIENT });
    try {
      await connection.ensureConnected();
      await connection.workflowService.updateNamespace({
        namespace: 'default',
        config: { workflowExecutionRetentionTtl: msToTs(RETENTION_MS) },
      });
      return;
    } catch (error) {
      if (tries >= 300) throw error;
      await wait(100);
    } finally {
      await connection.close();
    }
  }
}

/** By default a second passes between one attempt to connect and the next, and a server starts in half of that. */
const IMPATIENT = { 'grpc.initial_reconnect_backoff_ms': 50, 'grpc.max_reconnect_backoff_ms': 100 };

/** How long closed workflows stay visible: longer than the longest run (the server's own default is one day). */
const RETENTION_MS = 365 * 24 * 3600 * 1000;
