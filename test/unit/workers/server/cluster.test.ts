import { connectCluster } from '../../../../workers/server/cluster';

afterEach(() => jest.restoreAllMocks());

test('an address without a port is rejected before anything is sent', async () => {
  jest.replaceProperty(process, 'env', { ...process.env, TEMPORAL_ADDRESS: 'localhost' });
  await expect(connectCluster(undefined)).rejects.toThrow('"localhost", is not of the form HOST:PORT');
});
