import { findTemporal } from '../workers/server/temporal-binary';
import {
  startServer,
  type RunningServer,
  type TemporalServerOptions,
} from '../workers/server/temporal-server';

/** Starts Temporal's server as a cluster for tests. */
export async function startCluster(options: Omit<TemporalServerOptions, 'binary'>): Promise<RunningServer> {
  const { path } = await findTemporal(() => undefined);
  return startServer({ binary: path, ...options });
}

/** Starts a cluster in this folder before the tests, and stops it after them. */
export function setUpCluster(folder: string): Pick<RunningServer, 'address'> {
  let cluster: RunningServer | undefined;
  beforeAll(async () => {
    cluster = await startCluster({ folder });
  });
  afterAll(() => cluster?.stop());
  return {
    get address() {
      if (cluster === undefined) throw new Error('The cluster starts before the tests.');
      return cluster.address;
    },
  };
}
