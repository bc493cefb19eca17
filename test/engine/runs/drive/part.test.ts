import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { joinRun } from '../../../../runs/drive/run-part';
import { SYNTHESIS } from '../../../../runs/folder/run-folder';
import { writePlan } from '../../../../data/run/inputs';
import { createFolderStore } from '../../../../data/store/store';
import { SYNTHESIS_WORK } from '../../../../workers/world';
import { planSmallRun } from '../../../planned-run';
import { startCluster } from '../../../temporal-cluster';
import { createTemporaryFolder } from '../../../temporary-folder';

const MODEL = 'simulated:default';
const folder = createTemporaryFolder();
const BUNDLE = join(__dirname, '..', '..', '..', '..', 'dist', 'workers', 'workflows.bundle.js');

afterEach(() => jest.restoreAllMocks());

test('a process that cannot begin to work for a run leaves nothing behind: no leases, no workers, no connections', async () => {
  const store = createFolderStore(join(folder, 'store'));
  await writePlan(store, await planSmallRun());
  const server = await startCluster({ folder: join(folder, 'engine') });
  const opened = connectionsOpened();
  try {
    const part = joinRun({
      engine: {
        id: 'test',
        name: 'test',
        connection: { address: server.address },
        namespace: 'default',
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
      folder: {
        kind: SYNTHESIS,
        path: folder,
        store,
        scratch: join(folder, 'scratch'),
        logFile: join(folder, 'worker.log'),
      },
      bundle: { path: BUNDLE, version: 'test' },
      // The server rejects the last worker after the others have started.
      queues: { queue: 'cupid-1a2b3c4d', limitsQueue: '__temporal_reserved' },
      run: 'cupid-1a2b3c4d',
      models: [MODEL],
      mayAsk: new Set([MODEL]),
      concurrency: 1,
      observe: () => undefined,
      onDirectives: () => undefined,
      work: SYNTHESIS_WORK,
    });
    await expect(part).rejects.toThrow('__temporal_reserved');
    const [leases, workers] = opened;
    await expect(leases?.workflowService.getSystemInfo({})).rejects.toThrow('Channel has been shut down');
    await expect(workers?.workflowService.getSystemInfo({})).rejects.toThrow('closed');
    expect(opened).toHaveLength(2);
  } finally {
    await server.stop();
  }
});

/** Returns the connections that are opened from now on, in order. */
function connectionsOpened(): (Connection | NativeConnection)[] {
  const opened: (Connection | NativeConnection)[] = [];
  const lazy = Connection.lazy.bind(Connection);
  jest.spyOn(Connection, 'lazy').mockImplementation((options) => {
    const connection = lazy(options);
    opened.push(connection);
    return connection;
  });
  const connect = NativeConnection.connect.bind(NativeConnection);
  jest.spyOn(NativeConnection, 'connect').mockImplementation(async (options) => {
    const connection = await connect(options);
    opened.push(connection);
    return connection;
  });
  return opened;
}
