import { createServer } from 'node:http';
import type { Store } from '../../data/store/store';
import { listen } from '../ports';

/** Location of the run on the storage. */
export const LOCATION = 's3://bucket/run';

/**
 * Serves a store's texts as the objects of a run on storage, which the environment names; broken ones cannot be read.
 * @param onRead called before an object is answered
 */
export async function serveObjects(
  objects: Store,
  broken: ReadonlySet<string> = new Set(),
  onRead: (name: string) => Promise<void> = async () => undefined,
): Promise<AsyncDisposable> {
  const answer = async (url: string): Promise<readonly [status: number, body: string]> => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const prefix = searchParams.get('prefix');
    if (prefix !== null) return [200, await renderList(objects, prefix)];
    const name = pathname.replace('/bucket/run/', '');
    await onRead(name);
    if (broken.has(name)) return [403, '<Error><Code>AccessDenied</Code></Error>'];
    const text = await objects.read(name);
    return text === undefined ? [404, '<Error><Code>NoSuchKey</Code></Error>'] : [200, text];
  };
  const server = createServer((request, response) => {
    void answer(request.url ?? '').then(([status, body]) => response.writeHead(status).end(body));
  });
  const port = await listen(server);
  jest.replaceProperty(process, 'env', {
    ...process.env,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  });
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function renderList(objects: Store, prefix: string): Promise<string> {
  const contents: string[] = [];
  for await (const name of objects.all('')) {
    if (`run/${name}`.startsWith(prefix)) contents.push(`<Contents><Key>run/${name}</Key></Contents>`);
  }
  return `<ListBucketResult>${contents.join('')}</ListBucketResult>`;
}
