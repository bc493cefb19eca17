import { ProviderServer } from './provider-server';
import { ALL_CASES, openModelAt, requestOf, UNHURRIED } from './providers';

const HEADERS = 'X-Foreign: hunter2\nAuthorization: Bearer hunter2';
const LOUD = ['error', 'warn', 'info', 'log', 'debug'] as const;

/** Variables that the SDKs would read from the process by themselves. */
const READ_BY_SDKS = {
  OPENAI_API_KEY: 'hunter2',
  OPENAI_ADMIN_KEY: 'hunter2',
  OPENAI_BASE_URL: 'http://hunter2.example/v1',
  OPENAI_CUSTOM_HEADERS: HEADERS,
  OPENAI_LOG: 'debug',
  OPENAI_ORG_ID: 'hunter2',
  OPENAI_PROJECT_ID: 'hunter2',
  TOGETHER_API_KEY: 'hunter2',
  TOGETHER_BASE_URL: 'http://hunter2.example/v1',
  TOGETHER_CUSTOM_HEADERS: HEADERS,
  TOGETHER_LOG: 'debug',
  TOGETHER_PROJECT_ID: 'hunter2',
  ANTHROPIC_API_KEY: 'hunter2',
  ANTHROPIC_AUTH_TOKEN: 'hunter2',
  ANTHROPIC_BASE_URL: 'http://hunter2.example',
  ANTHROPIC_CUSTOM_HEADERS: HEADERS,
  ANTHROPIC_LOG: 'debug',
  GOOGLE_API_KEY: 'hunter2',
  GEMINI_API_KEY: 'hunter2',
  GOOGLE_GEMINI_BASE_URL: 'http://hunter2.example',
  GOOGLE_CLOUD_PROJECT: 'hunter2',
  GOOGLE_GENAI_API_VERSION: 'hunter2',
  GOOGLE_GENAI_USE_VERTEXAI: 'true',
};

const server = ProviderServer.inEachTest();
const environment = process.env;

beforeEach(() => {
  process.env = { ...environment, ...READ_BY_SDKS };
});
afterEach(() => {
  process.env = environment;
});

// Bedrock's credentials come from the AWS default chain, which reads the process on purpose.
const CASES = ALL_CASES.filter(({ provider }) => provider !== 'bedrock');

test.each(CASES)('$provider sends nothing that its SDK finds in the process', async (provider) => {
  const spies = LOUD.map((method) => jest.spyOn(console, method).mockImplementation(() => {}));
  server.reply = { body: provider.answer('Hi.') };

  await openModelAt(provider, server.url).ask(requestOf(), UNHURRIED);

  expect(JSON.stringify(server.request)).toContain(provider.secret);
  expect(JSON.stringify(server.request)).not.toContain('hunter2');
  expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([]);
  expect(process.env['OPENAI_API_KEY']).toBe('hunter2');
});
