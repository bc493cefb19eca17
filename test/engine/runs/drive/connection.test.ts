import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { probeCluster } from '../../../../runs/drive/cluster-probes';
import { classifyGrpcError } from '../../../../engine/grpc';
import { buildControlWorkflowId } from '../../../../engine/journal/key';
import { endControl } from '../../../../runs/control/control';
import { cancelRun } from '../../../../runs/steer/steer';
import { endWorkflows } from '../../../../runs/drive/drive';
import { openQuestions } from '../../../../runs/drive/engine-questions';
import { readHistory } from '../../../../runs/failures/recording';
import { connectCluster } from '../../../../workers/server/cluster';
import { startCluster } from '../../../temporal-cluster';
import { NOBODY } from '../../../stand-in/nobody';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const opened: Connection[] = [];

beforeEach(() => {
  opened.length = 0;
  // The SDK's `connect` uses it as well.
  const lazy = Connection.lazy.bind(Connection);
  jest.spyOn(Connection, 'lazy').mockImplementation((options) => {
    const connection = lazy(options);
    opened.push(connection);
    return connection;
  });
});
afterEach(() => jest.restoreAllMocks());

test('nothing is left open of a connection to a service that does not answer', async () => {
  jest.replaceProperty(process, 'env', { ...process.env, TEMPORAL_ADDRESS: NOBODY });
  const nobody = { connection: { address: NOBODY }, namespace: 'default' };
  const asked = [
    probeCluster(nobody),
    readHistory(nobody, 'cupid-1a2b3c4d'),
    endControl(nobody, 'cupid-1a2b3c4d'),
    endWorkflows(nobody, 'cupid-1a2b3c4d'),
    connectCluster(undefined),
  ];
  const [questions, ...outcomes] = await Promise.allSettled([openQuestions(nobody), ...asked]);
  expect(questions).toEqual({ status: 'fulfilled', value: undefined });
  expect(outcomes.map(({ status }) => status)).toEqual(asked.map(() => 'rejected'));
  expect(opened).toHaveLength(asked.length + 1);
  await expectClosed(opened);
});

test('nothing is left open of a connection to a cluster that does not have the namespace', async () => {
  const server = await startCluster({ folder: join(folder, 'cluster') });
  opened.length = 0;
  try {
    const chosen = { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: 'nowhere' };
    jest.replaceProperty(process, 'env', { ...process.env, ...chosen });
    await expect(connectCluster(undefined)).rejects.toThrow('for namespace nowhere');
    expect(opened).toHaveLength(1);
    await expectClosed(opened);
  } finally {
    await server.stop();
  }
});

test('a run whose workers are slow is distinguished from one that no process works for, which is cancelled without them', async () => {
  const server = await startCluster({ folder: join(folder, 'slow') });
  const service = { connection: { address: server.address }, namespace: 'default' };
  await using engine = await openQuestions(service);
  if (engine === undefined) throw new Error('The server does not answer.');
  try {
    for (const run of ['alone', 'slow']) {
      const workflowId = buildControlWorkflowId(run);
      await engine.client.workflow.start('control', { workflowId, taskQueue: run });
      await engine.client.workflow.start('run', { workflowId: run, taskQueue: run });
    }
    // Polls for a task and for another one, and answers nothing.
    const poll = () =>
      engine.within(30_000, () =>
        engine.client.workflowService.pollWorkflowTaskQueue({
          namespace: 'default',
          taskQueue: { name: 'slow' },
          identity: 'slow worker',
        }),
      );
    await poll();
    const polling = poll().catch(() => undefined);
    const ask = (run: string) => engine.controlOf(run).catch(classifyGrpcError);
    expect(await ask('slow')).toBe('unavailable');
    expect(await ask('alone')).toBe('unattended');
    const alone = {
      id: 'alone',
      kind: 'synthesis',
      name: 'alone',
      models: [],
      engine: 'test',
      service,
    } as const;
    expect(
      (
        await cancelRun(
          async () => alone,
          () => undefined,
        )
      ).how,
    ).toBe('cancelled');
    expect(await engine.statusOf('alone')).toBe('TERMINATED');
    expect(await ask('alone')).toBeUndefined();
    expect(
      (
        await cancelRun(
          async () => alone,
          () => undefined,
        )
      ).how,
    ).toBe('idle');
    await server.stop();
    await polling;
  } finally {
    await server.stop();
  }
});

/** Expects closed connections, which reject every request at once. */
async function expectClosed(connections: readonly Connection[]): Promise<void> {
  for (const connection of connections) {
    const asked = connection.withDeadline(Date.now() + 1_000, () =>
      connection.workflowService.getSystemInfo({}),
    );
    await expect(asked).rejects.toThrow('Channel has been shut down');
  }
}
