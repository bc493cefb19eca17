import type { ModelRequest } from '../../../../models/model';
import { OPENED_PROVIDERS, OPENING_MESSAGE } from '../../../../models/opening';
import { ProviderServer } from './provider-server';
import {
  ASSISTANT_FIRST,
  openModelAt,
  PROVIDER_CASES,
  PROVIDER_NAMES,
  requestOf,
  UNHURRIED,
  type ProviderName,
} from './providers';

const server = ProviderServer.inEachTest();

/** Asks a provider, and returns what it received. */
async function receive(
  name: ProviderName,
  request: Partial<ModelRequest>,
  changes: { readonly spec?: string; readonly environment?: NodeJS.ProcessEnv } = {},
) {
  const provider = PROVIDER_CASES[name];
  server.reply = { body: provider.answer('Hi.') };
  const environment = (url: string) => ({ ...provider.environment(url), ...changes.environment });
  await openModelAt({ ...provider, environment }, server.url, changes).ask(requestOf(request), UNHURRIED);
  return server.request;
}

const SAMPLING = { temperature: 0.3, seed: 7 };
const SYSTEM = { role: 'system', content: 'Be brief.' };
const HELLO = { role: 'user', content: 'Hello?' };
const SAID = ASSISTANT_FIRST.messages;
const BEGIN = { role: 'user', content: 'Please begin.' };
const GPT = { model: 'gpt-4o-2024-11-20', max_completion_tokens: 2048, ...SAMPLING };
const QWEN = { model: 'qwen', max_tokens: 2048, ...SAMPLING, stream: false };
const LLAMA = { model: 'meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo', max_tokens: 2048, ...SAMPLING };
const CLAUDE = {
  model: 'claude-3-5-sonnet-20241022',
  max_tokens: 2048,
  system: 'Be brief.',
  temperature: 0.3,
};
const GEMINI = {
  systemInstruction: expect.objectContaining({ parts: [{ text: 'Be brief.' }] }),
  generationConfig: { temperature: 0.3, maxOutputTokens: 2048 + 8192, seed: 7 },
};
const CONVERSE = {
  system: [{ text: 'Be brief.' }],
  inferenceConfig: { maxTokens: 2048, temperature: 0.3 },
};

/** The bodies that each provider is sent for one prompt, and for a conversation that the assistant begins. */
const BODIES: Readonly<Record<ProviderName, readonly [prompt: object, chat: object]>> = {
  openai: [
    { ...GPT, messages: [{ ...SYSTEM, role: 'developer' }, HELLO] },
    { ...GPT, messages: [SYSTEM, ...SAID] },
  ],
  'openai-compatible': [
    { ...QWEN, messages: [SYSTEM, HELLO] },
    { ...QWEN, messages: [SYSTEM, ...SAID] },
  ],
  together: [
    { ...LLAMA, messages: [SYSTEM, HELLO] },
    { ...LLAMA, messages: [SYSTEM, ...SAID] },
  ],
  anthropic: [
    { ...CLAUDE, messages: [HELLO] },
    { ...CLAUDE, messages: [BEGIN, ...SAID] },
  ],
  gemini: [
    { ...GEMINI, contents: [{ role: 'user', parts: [{ text: 'Hello?' }] }] },
    {
      ...GEMINI,
      contents: [BEGIN, ...SAID].map(({ role, content }) => ({
        role: role === 'user' ? 'user' : 'model',
        parts: [{ text: content }],
      })),
    },
  ],
  bedrock: [
    { ...CONVERSE, messages: [{ role: 'user', content: [{ text: 'Hello?' }] }] },
    {
      ...CONVERSE,
      messages: [BEGIN, ...SAID].map(({ role, content }) => ({ role, content: [{ text: content }] })),
    },
  ],
};

test.each(PROVIDER_NAMES)('%s is sent one prompt', async (name) => {
  expect((await receive(name, {})).body).toEqual(BODIES[name][0]);
});

test.each(PROVIDER_NAMES)('%s is sent a conversation that begins with the assistant', async (name) => {
  const { body } = await receive(name, ASSISTANT_FIRST);
  expect(body).toEqual(BODIES[name][1]);
  // The card of a data set lists these.
  expect(OPENED_PROVIDERS.has(name)).toBe(JSON.stringify(body).includes(OPENING_MESSAGE.content));
});

test.each<[ProviderName, string, object]>([
  ['openai', '/v1/chat/completions', { authorization: `Bearer ${PROVIDER_CASES.openai.secret}` }],
  [
    'openai-compatible',
    '/v1/chat/completions',
    { authorization: `Bearer ${PROVIDER_CASES['openai-compatible'].secret}` },
  ],
  ['together', '/v1/chat/completions', { authorization: `Bearer ${PROVIDER_CASES.together.secret}` }],
  ['anthropic', '/v1/messages', { authorization: `Bearer ${PROVIDER_CASES.anthropic.secret}` }],
  [
    'gemini',
    '/v1beta/models/gemini-2.5-flash:generateContent',
    { 'x-goog-api-key': PROVIDER_CASES.gemini.secret },
  ],
  [
    'bedrock',
    '/model/anthropic.claude-3-5-sonnet-20241022-v2:0/converse',
    {
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=access-0123456789\/\d{8}\/us-east-1\/bedrock\/aws4_request/,
      ),
    },
  ],
])('%s is asked at %s, with its key', async (name, path, headers) => {
  expect(await receive(name, {})).toMatchObject({ method: 'POST', path, headers });
});

test.each<[string, ProviderName, NodeJS.ProcessEnv, object]>([
  [
    'organisation and project',
    'openai',
    { OPENAI_ORG_ID: 'org-1', OPENAI_PROJECT_ID: 'proj-1' },
    { 'openai-organization': 'org-1', 'openai-project': 'proj-1' },
  ],
  [
    'GOOGLE_API_KEY before GEMINI_API_KEY',
    'gemini',
    { GOOGLE_API_KEY: 'google-0123456789' },
    { 'x-goog-api-key': 'google-0123456789' },
  ],
  [
    'a Bedrock API key as a bearer token',
    'bedrock',
    { AWS_BEARER_TOKEN_BEDROCK: 'ABSK0123456789' },
    { authorization: 'Bearer ABSK0123456789' },
  ],
])('the environment gives %s', async (_, name, environment, headers) => {
  expect((await receive(name, {}, { environment })).headers).toMatchObject(headers);
});

test("without a key of its own nothing of OpenAI's is sent to a compatible server", async () => {
  const environment = {
    OPENAI_COMPATIBLE_API_KEY: undefined,
    OPENAI_API_KEY: 'sk-only-for-openai',
    OPENAI_ORG_ID: 'org-1',
  };
  const { headers } = await receive('openai-compatible', {}, { environment });
  expect(headers).not.toHaveProperty('authorization');
  expect(headers).not.toHaveProperty('openai-organization');
});

// Anthropic and Bedrock reject a blank block.
test.each(PROVIDER_NAMES)('%s is sent no blank system prompt', async (name) => {
  const sent = [(await receive(name, { system: '' })).body];
  server.received.length = 0;
  sent.push((await receive(name, { system: ' \n\u00A0' })).body);
  expect(sent[0]).toEqual(sent[1]);
  expect(JSON.stringify(sent[1])).not.toMatch(/system|developer/);
});

test.each([
  ['o1-2024-12-17', { temperature: 1 }],
  ['o3-mini-2025-01-31', {}],
  ['o4-mini', {}],
  ['gpt-4.1', SAMPLING],
])('%s is asked with the temperature and seed that it takes: %j', async (model, sampling) => {
  const { body } = await receive('openai', {}, { spec: `openai:${model}` });
  expect(body).toEqual({ model, messages: expect.any(Array), max_completion_tokens: 2048, ...sampling });
});

test.each([
  [2048, 2048],
  [1024, 2048],
  [1025, 1025],
  [200, 1224],
])(
  'claude-3-7 thinks at temperature 1: of %d tokens asked for, max_tokens is %d',
  async (maxTokens, sent) => {
    const claude = 'claude-3-7-sonnet-20250219';
    const { body } = await receive('anthropic', { maxTokens }, { spec: `anthropic:${claude}` });
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    expect(body).toMatchObject({ max_tokens: sent, temperature: 1, thinking });
  },
);

test('so it does on Bedrock', async () => {
  const spec = 'bedrock:us.anthropic.claude-3-7-sonnet-20250219-v1:0';
  expect((await receive('bedrock', { maxTokens: 500 }, { spec })).body).toMatchObject({
    inferenceConfig: { maxTokens: 1524, temperature: 1 },
    additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } },
  });
});

// A model that takes a temperature is asked in the API version that takes one.
test.each([
  ['claude-opus-4-20250514', true],
  ['claude-sonnet-4-5-20250929', true],
  ['claude-opus-4-6', true],
  ['claude-3-haiku-20240307', true],
  ['claude-opus-4-7', false],
  ['claude-fable-5', false],
  ['claude-sonnet-5-5', false],
  ['claude-mythos-preview', false],
])('%s is sent a temperature: %j', async (name, isSent) => {
  const { body, headers } = await receive('anthropic', {}, { spec: `anthropic:${name}` });
  expect(body).toMatchObject(isSent ? { temperature: 0.3 } : {});
  expect(JSON.stringify(body).includes('temperature')).toBe(isSent);
  expect(headers['anthropic-version'] === '2023-06-01').toBe(isSent);
});

test.each([
  'us.anthropic.claude-3-5-sonnet-20241022-v2:0',
  'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3',
  'meta.llama3-1-8b-instruct-v1:0',
])('%s is asked under its whole id', async (id) => {
  const { path, body } = await receive('bedrock', {}, { spec: `bedrock:${id}` });
  expect(path).toBe(`/model/${id}/converse`);
  expect(body).toMatchObject({ inferenceConfig: { maxTokens: 2048, temperature: 0.3 } });
});
