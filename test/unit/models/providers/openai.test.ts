import { ASSISTANT_FIRST, openModelAt, PROVIDER_CASES, requestOf, UNHURRIED } from './providers';
import { ProviderServer } from './provider-server';

const { openai } = PROVIDER_CASES;
const server = ProviderServer.inEachTest({ body: openai.answer('Hi.') });

test('one prompt goes out with its system text as developer, and nothing of the step or its values', async () => {
  await openModelAt(openai, server.url).ask(requestOf(), UNHURRIED);

  expect(server.request.method).toBe('POST');
  expect(server.request.path).toBe('/v1/chat/completions');
  expect(server.request.headers.authorization).toBe(`Bearer ${openai.secret}`);
  expect(server.request.body).toEqual({
    model: 'gpt-4o-2024-11-20',
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Hello?' },
    ],
    max_completion_tokens: 2048,
    temperature: 0.3,
    seed: 7,
  });
});

test('a conversation goes out with its system text as system, and may begin with the assistant', async () => {
  await openModelAt(openai, server.url).ask(ASSISTANT_FIRST, UNHURRIED);

  expect(server.request.body).toMatchObject({
    messages: [{ role: 'system', content: 'Be brief.' }, ...ASSISTANT_FIRST.messages],
  });
});

test('an empty system prompt is not sent', async () => {
  await openModelAt(openai, server.url).ask(requestOf({ system: '' }), UNHURRIED);

  expect(server.request.body).toMatchObject({ messages: [{ role: 'user', content: 'Hello?' }] });
});

test.each([
  ['o1-2024-12-17', { temperature: 1 }],
  ['o3-mini-2025-01-31', {}],
  ['o4-mini', {}],
  ['gpt-4.1', { temperature: 0.3, seed: 7 }],
])('%s is asked with the temperature and seed that it takes: %j', async (name, sampling) => {
  await openModelAt(openai, server.url, { spec: `openai:${name}` }).ask(requestOf(), UNHURRIED);

  expect(server.request.body).toEqual({
    model: name,
    messages: expect.any(Array),
    max_completion_tokens: 2048,
    ...sampling,
  });
});

test('the answer has text, model and all tokens, cached and reasoning ones too', async () => {
  server.reply = {
    body: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-4o-2024-11-20',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: '  Hi.\n', refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 2006,
        completion_tokens: 300,
        total_tokens: 2306,
        prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 256, audio_tokens: 0 },
      },
      system_fingerprint: null,
    },
  };

  await expect(openModelAt(openai, server.url).ask(requestOf(), UNHURRIED)).resolves.toEqual({
    text: '  Hi.\n',
    finish: 'complete',
    model: 'gpt-4o-2024-11-20',
    usage: { input: 2006, output: 300, cachedRead: 1920, reasoning: 256 },
  });
});

test.each([
  ['cut off', { content: 'Half of' }, 'length', { text: 'Half of', finish: 'length' }],
  ['filtered', { content: 'Half' }, 'content_filter', { text: 'Half', finish: 'refused' }],
  ['refused', { content: null, refusal: 'I cannot.' }, 'stop', { text: 'I cannot.', finish: 'refused' }],
  ['empty', { content: null, refusal: null }, 'length', { text: '', finish: 'length' }],
  ['not refused', { content: 'Hi.', refusal: '' }, 'stop', { text: 'Hi.', finish: 'complete' }],
])('an answer that was %s says so', async (_, message, finish_reason, expected) => {
  server.reply = { body: { model: 'm', choices: [{ index: 0, message, finish_reason }] } };

  await expect(openModelAt(openai, server.url).ask(requestOf(), UNHURRIED)).resolves.toMatchObject(expected);
});

test('organisation and project go along when the environment names them', async () => {
  const environment = openai.environment;
  const named = {
    ...openai,
    environment: (url: string) => ({
      ...environment(url),
      OPENAI_ORG_ID: 'org-1',
      OPENAI_PROJECT_ID: 'proj-1',
    }),
  };
  await openModelAt(named, server.url).ask(requestOf(), UNHURRIED);

  expect(server.request.headers).toMatchObject({
    'openai-organization': 'org-1',
    'openai-project': 'proj-1',
  });
});
