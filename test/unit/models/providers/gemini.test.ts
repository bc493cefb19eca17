import { ASSISTANT_FIRST, openModelAt, PROVIDER_CASES, requestOf, UNHURRIED } from './providers';
import { ProviderServer } from './provider-server';

const { gemini } = PROVIDER_CASES;
const server = ProviderServer.inEachTest({ body: gemini.answer('Hi.') });

test('the system prompt is an instruction, the limits stand in generationConfig', async () => {
  await openModelAt(gemini, server.url).ask(requestOf(), UNHURRIED);

  expect(server.request.path).toBe('/v1beta/models/gemini-2.5-flash:generateContent');
  expect(server.request.headers['x-goog-api-key']).toBe(gemini.secret);
  expect(server.request.body).toEqual({
    systemInstruction: expect.objectContaining({ parts: [{ text: 'Be brief.' }] }),
    contents: [{ role: 'user', parts: [{ text: 'Hello?' }] }],
    generationConfig: { temperature: 0.3, maxOutputTokens: 2048 + 8192, seed: 7 },
  });
});

test('a conversation alternates from user, its assistant as model', async () => {
  await openModelAt(gemini, server.url).ask(ASSISTANT_FIRST, UNHURRIED);

  expect(server.request.body).toMatchObject({
    contents: [
      { role: 'user', parts: [{ text: 'Please begin.' }] },
      { role: 'model', parts: [{ text: 'I need a plan.' }] },
      { role: 'user', parts: [{ text: 'Here is one.' }] },
      { role: 'model', parts: [{ text: 'Shorter.' }] },
      { role: 'user', parts: [{ text: 'Here it is.' }] },
    ],
  });
});

test('GOOGLE_API_KEY goes before GEMINI_API_KEY', async () => {
  const both = {
    ...gemini,
    environment: (url: string) => ({ ...gemini.environment(url), GOOGLE_API_KEY: 'google-0123456789' }),
  };
  await openModelAt(both, server.url).ask(requestOf(), UNHURRIED);

  expect(server.request.headers['x-goog-api-key']).toBe('google-0123456789');
});

test('thoughts are no text, but count as output', async () => {
  server.reply = {
    body: {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [{ text: 'Hm.', thought: true }, { text: 'One. ' }, { text: 'Two.' }],
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: 1000,
        cachedContentTokenCount: 900,
        candidatesTokenCount: 40,
        thoughtsTokenCount: 60,
        totalTokenCount: 1100,
      },
      modelVersion: 'gemini-2.5-flash-002',
      responseId: 'x',
    },
  };

  await expect(openModelAt(gemini, server.url).ask(requestOf(), UNHURRIED)).resolves.toEqual({
    text: 'One. Two.',
    finish: 'complete',
    model: 'gemini-2.5-flash-002',
    usage: { input: 1000, output: 100, cachedRead: 900, reasoning: 60 },
  });
});

test('a blocked prompt is refused, without a text', async () => {
  server.reply = {
    body: {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
      modelVersion: 'gemini-2.5-flash',
    },
  };

  await expect(openModelAt(gemini, server.url).ask(requestOf(), UNHURRIED)).resolves.toEqual({
    text: '',
    finish: 'refused',
    model: 'gemini-2.5-flash',
    usage: { input: 9, output: 0 },
  });
});

test('a prompt with an empty block reason is not blocked', async () => {
  server.reply = {
    body: {
      candidates: [
        { content: { role: 'model', parts: [{ text: 'Hi.', thought: null }] }, finishReason: 'STOP' },
      ],
      promptFeedback: { blockReason: '' },
    },
  };

  await expect(openModelAt(gemini, server.url).ask(requestOf(), UNHURRIED)).resolves.toMatchObject({
    text: 'Hi.',
    finish: 'complete',
  });
});

test('a candidate that spent all its tokens on thinking is an empty answer, cut off', async () => {
  server.reply = {
    body: {
      candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }],
      usageMetadata: { promptTokenCount: 9, thoughtsTokenCount: 50, totalTokenCount: 59 },
    },
  };

  await expect(openModelAt(gemini, server.url).ask(requestOf(), UNHURRIED)).resolves.toMatchObject({
    text: '',
    finish: 'reasoning',
    usage: { input: 9, output: 50, reasoning: 50 },
  });
});
