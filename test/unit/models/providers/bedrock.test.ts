import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catchModelError, openModelAt, PROVIDER_CASES, requestOf, UNHURRIED } from './providers';
import { ProviderServer } from './provider-server';

const { bedrock } = PROVIDER_CASES;
const server = ProviderServer.inEachTest({ body: bedrock.answer('Hi.') });

// First in this file, because the SDK warns once per process. It does so on Node.js 20 only.
test('no warning about the Node.js version is written over the progress display', async () => {
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
  await openModelAt(bedrock, server.url).ask(requestOf(), UNHURRIED);

  expect(emitWarning).not.toHaveBeenCalled();
});

/** Runs a test without the SDK's own sources: this machine may have a region, files or an instance role. */
async function withoutAws(body: () => Promise<void>): Promise<void> {
  const before = { ...process.env };
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
  process.env['AWS_CONFIG_FILE'] = join(tmpdir(), 'no-such-config');
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = join(tmpdir(), 'no-such-credentials');
  try {
    await body();
  } finally {
    process.env = before;
  }
}

test.each([
  [
    'credentials that a profile was to give and does not are a bad key, not a bug',
    { AWS_PROFILE: 'no-such-profile-anywhere', AWS_REGION: 'us-east-1' },
    { kind: 'bad-key', message: expect.stringContaining('AWS_PROFILE') },
  ],
  [
    'a region that nobody names says what to set',
    { AWS_BEARER_TOKEN_BEDROCK: 'ABSK0123456789' },
    { kind: 'bad-request', message: expect.stringContaining('set AWS_REGION') },
  ],
])('%s', async (_, given, expected) => {
  const environment = (url: string) => ({ ...given, AWS_ENDPOINT_URL: url });
  await withoutAws(async () => {
    const asked = openModelAt({ ...bedrock, environment }, server.url).ask(requestOf(), UNHURRIED);
    expect(await catchModelError(asked)).toMatchObject(expected);
    expect(server.received).toEqual([]);
  });
});
