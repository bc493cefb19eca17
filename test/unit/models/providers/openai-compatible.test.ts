import {
  ASSISTANT_FIRST,
  catchModelError,
  openModelAt,
  PROVIDER_CASES,
  requestOf,
  UNHURRIED,
} from './providers';
import { ProviderServer } from './provider-server';

const compatible = PROVIDER_CASES['openai-compatible'];
const keyless = {
  ...compatible,
  environment: () => ({ OPENAI_API_KEY: 'sk-only-for-openai', OPENAI_ORG_ID: 'org-1' }),
};
const server = ProviderServer.inEachTest({ body: compatible.answer('Hi.') });

test('a conversation goes out in the form vLLM, llama.cpp and Ollama take', async () => {
  await openModelAt(compatible, server.url).ask(ASSISTANT_FIRST, UNHURRIED);

  expect(server.request.path).toBe('/v1/chat/completions');
  expect(server.request.headers.authorization).toBe(`Bearer ${compatible.secret}`);
  expect(server.request.body).toEqual({
    model: 'qwen',
    messages: [{ role: 'system', content: 'Be brief.' }, ...ASSISTANT_FIRST.messages],
    max_tokens: 2048,
    temperature: 0.3,
    seed: 7,
    stream: false,
  });
});

test('one prompt keeps the system role here', async () => {
  await openModelAt(compatible, server.url).ask(requestOf(), UNHURRIED);

  expect(server.request.body).toMatchObject({ messages: [{ role: 'system' }, { role: 'user' }] });
});

test("without a key of its own nothing of OpenAI's is sent to the server", async () => {
  await openModelAt(keyless, server.url).ask(requestOf(), UNHURRIED);

  expect(server.request.headers).not.toHaveProperty('authorization');
  expect(server.request.headers).not.toHaveProperty('openai-organization');
});

test('what a server does not report stays unknown', async () => {
  server.reply = { body: { choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }], usage: null } };

  await expect(openModelAt(compatible, server.url).ask(requestOf(), UNHURRIED)).resolves.toEqual({
    text: 'Hi.',
    finish: 'complete',
    model: 'qwen',
    usage: {},
  });
});

test('a count that is none stays unknown, the others are kept', async () => {
  const usage = { prompt_tokens: null, completion_tokens: 4, prompt_tokens_details: null };
  server.reply = { body: { choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }], usage } };

  const { usage: counted } = await openModelAt(compatible, server.url).ask(requestOf(), UNHURRIED);
  expect(counted).toEqual({ output: 4 });
});

test.each([
  ['an answer that broke off', brokenOff('error', { message: 'Upstream failed', code: 502 }), 'unavailable'],
  [
    'an answer that broke off at a rate limit',
    brokenOff('stop', { message: 'Slow', code: 429 }),
    'rate-limit',
  ],
  ['an answer that was aborted', brokenOff('abort'), 'unavailable'],
])('status 200 with %s is an error', async (_, body, kind) => {
  server.reply = { body };

  const error = await catchModelError(openModelAt(compatible, server.url).ask(requestOf(), UNHURRIED));
  expect(error.kind).toBe(kind);
});

test('JSON under another content type is still read', async () => {
  server.reply = { headers: { 'content-type': 'text/plain' }, body: compatible.answer('Hi.') };

  await expect(openModelAt(compatible, server.url).ask(requestOf(), UNHURRIED)).resolves.toMatchObject({
    text: 'Hi.',
  });
});

function brokenOff(finish_reason: string, error?: object) {
  return { choices: [{ message: { content: 'Here is the first half of' }, finish_reason, error }] };
}
