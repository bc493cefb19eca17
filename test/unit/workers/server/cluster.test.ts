import { connectCluster } from '../../../../workers/server/cluster';

afterEach(() => jest.restoreAllMocks());

test('an address without a port is rejected before anything is sent', async () => {
  jest.replaceProperty(process, 'env', { ...process.env, TEMPORAL_ADDRESS: 'localhost' });
  await expect(connectCluster(undefined)).rejects.toThrow('"localhost", is not of the form HOST:PORT');
});

test('an API key is not sent unencrypted to another machine', async () => {
  const settings = {
    TEMPORAL_ADDRESS: 'temporal.invalid:7233',
    TEMPORAL_TLS: 'false',
    TEMPORAL_API_KEY: 'key',
  };
  jest.replaceProperty(process, 'env', { ...process.env, ...settings });
  await expect(connectCluster(undefined)).rejects.toThrow(
    'The API key would be sent to the Temporal cluster at temporal.invalid:7233 unencrypted',
  );
});
