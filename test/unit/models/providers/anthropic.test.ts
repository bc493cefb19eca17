import { ASSISTANT_FIRST, openModelAt, PROVIDER_CASES, requestOf, UNHURRIED } from './providers';
import { ProviderServer } from './provider-server';

const { anthropic } = PROVIDER_CASES;
const server = ProviderServer.inEachTest({ body: anthropic.answer('Hi.') });

test('the system prompt is a parameter of its own, and no seed is sent', async () => {
  await openModelAt(anthropic, server.url).ask(requestOf(), UNHURRIED);

  expect(server.request.path).toBe('/v1/messages');
  expect(server.request.headers.authorization).toBe(`Bearer ${anthropic.secret}`);
  expect(server.request.body).toEqual({
    model: 'claude-3-5-sonnet-20241022',
    max_tokens: 2048,
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'Hello?' }],
    temperature: 0.3,
  });
});

test('a conversation that begins with the assistant is opened by a user message', async () => {
  await openModelAt(anthropic, server.url).ask(ASSISTANT_FIRST, UNHURRIED);

  expect(server.request.body).toMatchObject({
    messages: [{ role: 'user', content: 'Please begin.' }, ...ASSISTANT_FIRST.messages],
  });
});

test.each([
  [2048, 2048],
  [1024, 2048],
  [1025, 1025],
  [200, 1224],
])(
  'claude-3-7 thinks, at temperature 1; of %d tokens asked for, max_tokens is %d',
  async (maxTokens, sent) => {
    const model = openModelAt(anthropic, server.url, { spec: 'anthropic:claude-3-7-sonnet-20250219' });
    await model.ask(requestOf({ maxTokens }), UNHURRIED);

    expect(server.request.body).toMatchObject({
      max_tokens: sent,
      temperature: 1,
      thinking: { type: 'enabled', budget_tokens: 1024 },
    });
  },
);

test.each([
  'claude-opus-4-20250514',
  'claude-sonnet-4-5-20250929',
  'claude-opus-4-6',
  'claude-3-haiku-20240307',
])('%s is sent a temperature, and asked in the API version that takes one', async (name) => {
  await openModelAt(anthropic, server.url, { spec: `anthropic:${name}` }).ask(requestOf(), UNHURRIED);

  expect(server.request.body).toMatchObject({ temperature: 0.3 });
  expect(server.request.headers['anthropic-version']).toBe('2023-06-01');
});

test.each(['claude-opus-4-7', 'claude-fable-5', 'claude-sonnet-5-5', 'claude-mythos-preview'])(
  '%s is sent no temperature, and asked in the API version of the SDK',
  async (name) => {
    await openModelAt(anthropic, server.url, { spec: `anthropic:${name}` }).ask(requestOf(), UNHURRIED);

    expect(server.request.body).not.toHaveProperty('temperature');
    expect(server.request.headers['anthropic-version']).not.toBe('2023-06-01');
  },
);

test('text blocks are joined by a blank, thinking is left out, cached tokens count as input', async () => {
  server.reply = {
    body: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-3-7-sonnet-20250219',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'text', text: 'One.' },
        { type: 'text', text: 'Two.' },
      ],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 100,
        cache_read_input_tokens: 1000,
        output_tokens: 50,
        output_tokens_details: { thinking_tokens: 30 },
        service_tier: 'standard',
      },
    },
  };

  await expect(openModelAt(anthropic, server.url).ask(requestOf(), UNHURRIED)).resolves.toEqual({
    text: 'One. Two.',
    finish: 'complete',
    model: 'claude-3-7-sonnet-20250219',
    usage: { input: 1110, output: 50, cachedRead: 1000, cachedWrite: 100, reasoning: 30 },
  });
});

test('an answer without a block is empty', async () => {
  server.reply = { body: { ...anthropic.answer(''), content: [] } };
  const answer = await openModelAt(anthropic, server.url).ask(requestOf(), UNHURRIED);
  expect(answer).toMatchObject({ text: '', finish: 'complete' });
});
