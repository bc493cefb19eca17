import { defaultPayloadConverter } from '@temporalio/common';
import { jsonPayloadSchema, toJson } from '../../../../data/encryption/payloads';
import { z } from 'zod';
import { openCodecEndpoint } from '../../../../workers/server/codec-endpoint';
import { buildKeyring } from '../../../keyring';

const UI = 'http://127.0.0.1:8233';
let endpoint: Awaited<ReturnType<typeof openCodecEndpoint>>;

beforeAll(async () => {
  endpoint = await openCodecEndpoint({ keys: buildKeyring('new', 'old'), origins: [UI], port: 0 });
});
afterAll(() => endpoint.close());

const post = async (path: string, payloads: unknown, headers: Record<string, string> = {}) =>
  fetch(`${endpoint.url}${path}`, { method: 'POST', body: JSON.stringify({ payloads }), headers });
const readPayloads = async (response: Response) =>
  z.object({ payloads: z.array(jsonPayloadSchema) }).parse(await response.json()).payloads;

const plain = toJson(defaultPayloadConverter.toPayload('A dialogue.'));

test('encodes and decodes payloads, also below the name of a namespace, and leaves plain ones', async () => {
  const [encoded] = await readPayloads(await post('/encode', [plain], { 'X-Namespace': 'default' }));
  expect(encoded?.metadata).toMatchObject({ 'encryption-key-id': Buffer.from('new').toString('base64') });
  expect(await readPayloads(await post('/default/decode', [encoded, plain]))).toEqual([plain, plain]);
});

test('says which key is missing, and what is not of its form', async () => {
  const other = await openCodecEndpoint({ keys: buildKeyring('old'), origins: [], port: 0 });
  try {
    const encoded = await readPayloads(await post('/encode', [plain]));
    const body = JSON.stringify({ payloads: encoded });
    const response = await fetch(`${other.url}/decode`, { method: 'POST', body });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('is encrypted with key new, and CUPID_ENCRYPTION_KEYS has only old.'),
    ]);
  } finally {
    other.close();
  }
  expect((await post('/decode', 'none')).status).toBe(400);
});

test('pages of the UI may ask, those of other origins and hosts may not', async () => {
  const preflight = await fetch(`${endpoint.url}/decode`, {
    method: 'OPTIONS',
    headers: { Origin: UI, 'Access-Control-Request-Headers': 'content-type,x-namespace' },
  });
  expect(preflight.headers.get('access-control-allow-origin')).toBe(UI);
  expect(preflight.headers.get('access-control-allow-headers')).toBe(
    'Authorization,Content-Type,X-Namespace',
  );
  expect((await post('/decode', [plain], { Origin: UI })).headers.get('access-control-allow-origin')).toBe(
    UI,
  );
  const foreign = await post('/decode', [plain], { Origin: 'http://evil.example' });
  expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});

test('a port that is in use is an error that says so', async () => {
  const port = Number(new URL(endpoint.url).port);
  await expect(openCodecEndpoint({ keys: buildKeyring('a'), origins: [], port })).rejects.toThrow(
    `Port ${port} cannot be used`,
  );
});
