import { createServer } from 'node:http';
import { once } from 'node:events';
import { runWorker } from '../../../../cli/run/worker';
import { NOBODY } from '../../../stand-in/nobody';

afterEach(() => jest.restoreAllMocks());

test.each([
  ['SignatureDoesNotMatch', 403, 'Check the credentials'],
  ['NoSuchBucket', 404, 'Create the bucket bucket'],
  ['AuthorizationHeaderMalformed', 400, 'Set AWS_REGION to the region of bucket.'],
  ['InvalidRequest', 400, 'Check AWS_ENDPOINT_URL_S3 and AWS_REGION.'],
])('a worker of a store that answers %s does not start', async (code, status, remedy) => {
  const server = createServer((_, response) => {
    response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  jest.replaceProperty(process, 'env', {
    ...process.env,
    TEMPORAL_ADDRESS: NOBODY,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'wrong',
  });
  try {
    const started = runWorker(undefined, { store: 's3://bucket/runs', concurrency: 1 });
    await expect(started).rejects.toThrow(remedy);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
