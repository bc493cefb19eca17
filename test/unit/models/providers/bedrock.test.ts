import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ASSISTANT_FIRST,
  catchModelError,
  openModelAt,
  PROVIDER_CASES,
  requestOf,
  UNHURRIED,
} from './providers';
import { ProviderServer } from './provider-server';

const { bedrock } = PROVIDER_CASES;
const server = ProviderServer.inEachTest({ body: bedrock.answer('Hi.') });

// First in this file, because the SDK warns once per process. It does so on Node.js 20 only.
test('no warning about the Node.js version is written over the progress display', async () => {
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
  await openModelAt(bedrock, server.url).ask(requestOf(), UNHURRIED);

  expect(emitWarning).not.toHaveBeenCalled();
});

test('Converse is asked, signed, with the system prompt as a parameter and no seed', async () => {
  await openModelAt(bedrock, server.url).ask(requestOf(), UNHURRIED);

  expect(server.request.method).toBe('POST');
  expect(server.request.path).toBe('/model/anthropic.claude-3-5-sonnet-20241022-v2:0/converse');
  expect(server.request.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=access-0123456789\/\d{8}\/us-east-1\/bedrock\/aws4_request/,
  );
  expect(server.request.body).toEqual({
    messages: [{ role: 'user', content: [{ text: 'Hello?' }] }],
    system: [{ text: 'Be brief.' }],
    inferenceConfig: { maxTokens: 2048, temperature: 0.3 },
  });
});

test.each([
  'us.anthropic.claude-3-5-sonnet-20241022-v2:0',
  'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3',
  'meta.llama3-1-8b-instruct-v1:0',
])('%s is asked under its whole id', async (id) => {
  await openModelAt(bedrock, server.url, { spec: `bedrock:${id}` }).ask(requestOf(), UNHURRIED);

  expect(server.request.path).toBe(`/model/${id}/converse`);
  expect(server.request.body).toMatchObject({ inferenceConfig: { maxTokens: 2048, temperature: 0.3 } });
});

test('a conversation that begins with the assistant is opened by a user message', async () => {
  await openModelAt(bedrock, server.url).ask(ASSISTANT_FIRST, UNHURRIED);

  expect(server.request.body).toMatchObject({
    messages: [
      { role: 'user', content: [{ text: 'Please begin.' }] },
      { role: 'assistant', content: [{ text: 'I need a plan.' }] },
      { role: 'user', content: [{ text: 'Here is one.' }] },
      { role: 'assistant', content: [{ text: 'Shorter.' }] },
      { role: 'user', content: [{ text: 'Here it is.' }] },
    ],
  });
});

test('claude-3-7 thinks, at temperature 1, within more tokens than its budget', async () => {
  const model = openModelAt(bedrock, server.url, {
    spec: 'bedrock:us.anthropic.claude-3-7-sonnet-20250219-v1:0',
  });
  await model.ask(requestOf({ maxTokens: 500 }), UNHURRIED);

  expect(server.request.body).toMatchObject({
    inferenceConfig: { maxTokens: 1524, temperature: 1 },
    additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } },
  });
});

test('a Bedrock API key is sent as a bearer token', async () => {
  const keyed = {
    ...bedrock,
    environment: (url: string) => ({
      AWS_BEARER_TOKEN_BEDROCK: 'ABSK0123456789',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: url,
    }),
  };
  await openModelAt(keyed, server.url).ask(requestOf(), UNHURRIED);

  expect(server.request.headers.authorization).toBe('Bearer ABSK0123456789');
});

test('text blocks are joined by a blank, reasoning is left out, cached tokens count as input', async () => {
  server.reply = {
    body: {
      output: {
        message: {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
            { text: 'One.' },
            { text: 'Two.' },
          ],
        },
      },
      stopReason: 'end_turn',
      usage: {
        inputTokens: 10,
        outputTokens: 50,
        totalTokens: 1160,
        cacheReadInputTokens: 1000,
        cacheWriteInputTokens: 100,
      },
      metrics: { latencyMs: 900 },
    },
  };

  await expect(openModelAt(bedrock, server.url).ask(requestOf(), UNHURRIED)).resolves.toEqual({
    text: 'One. Two.',
    finish: 'complete',
    model: 'anthropic.claude-3-5-sonnet-20241022-v2:0',
    usage: { input: 1110, output: 50, cachedRead: 1000, cachedWrite: 100 },
  });
});

test('a prompt router’s answer is by the model it chose', async () => {
  const invokedModelId = 'arn:aws:bedrock:us-east-1::foundation-model/meta.llama3-1-8b-instruct-v1:0';
  server.reply = { body: { ...bedrock.answer('Hi.'), trace: { promptRouter: { invokedModelId } } } };

  await expect(openModelAt(bedrock, server.url).ask(requestOf(), UNHURRIED)).resolves.toMatchObject({
    model: invokedModelId,
  });
});

test.each([
  ['max_tokens', 'length'],
  ['content_filtered', 'refused'],
  ['guardrail_intervened', 'refused'],
  ['stop_sequence', 'complete'],
])('an answer that ended with %s is %s, with what was said', async (stopReason, finish) => {
  server.reply = { body: { ...bedrock.answer('Half'), stopReason } };

  await expect(openModelAt(bedrock, server.url).ask(requestOf(), UNHURRIED)).resolves.toMatchObject({
    text: 'Half',
    finish,
  });
});

test('an answer without content is an empty text', async () => {
  server.reply = { body: { ...bedrock.answer(''), output: { message: { role: 'assistant', content: [] } } } };

  await expect(openModelAt(bedrock, server.url).ask(requestOf(), UNHURRIED)).resolves.toMatchObject({
    text: '',
  });
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

test('credentials that a profile was to give and does not are a bad key, not a bug', async () => {
  const profiled = {
    ...bedrock,
    environment: (url: string) => ({
      AWS_PROFILE: 'no-such-profile-anywhere',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: url,
    }),
  };

  await withoutAws(async () => {
    const error = await catchModelError(openModelAt(profiled, server.url).ask(requestOf(), UNHURRIED));
    expect(error.kind).toBe('bad-key');
    expect(error.message).toContain('AWS_PROFILE');
    expect(server.received).toEqual([]);
  });
});

test('a region that nobody names says what to set', async () => {
  const placeless = {
    ...bedrock,
    environment: (url: string) => ({ AWS_BEARER_TOKEN_BEDROCK: 'ABSK0123456789', AWS_ENDPOINT_URL: url }),
  };

  await withoutAws(async () => {
    const error = await catchModelError(openModelAt(placeless, server.url).ask(requestOf(), UNHURRIED));
    expect(error.kind).toBe('bad-request');
    expect(error.message).toContain('set AWS_REGION');
  });
});
