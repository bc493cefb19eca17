/**
 * Waits until a Temporal frontend answers, and creates the namespace `default` unless it exists: deploy/local.sh calls it.
 *
 *   node deploy/temporal/create-namespace.mjs HOST:PORT
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Connection } from '@temporalio/client';

const [address] = process.argv.slice(2);
const TIMEOUT_MS = 60_000;
/** Closed workflows stay visible for this long: a large run takes days. */
const RETENTION_DAYS = 30;
const ALREADY_EXISTS = 6;

for (const deadline = performance.now() + TIMEOUT_MS; ;) {
  const connection = Connection.lazy({ address, connectTimeout: '2 seconds' });
  try {
    await connection.ensureConnected();
    await connection.workflowService
      .registerNamespace({
        namespace: 'default',
        workflowExecutionRetentionPeriod: { seconds: RETENTION_DAYS * 24 * 3600 },
      })
      .catch((error) => {
        if (error.code !== ALREADY_EXISTS) throw error;
      });
    // Each part of the server learns of a namespace after a moment.
    await connection.workflowService.listWorkflowExecutions({ namespace: 'default', pageSize: 1 });
    break;
  } catch (error) {
    if (performance.now() > deadline) throw error;
    await wait(100);
  } finally {
    await connection.close();
  }
}
