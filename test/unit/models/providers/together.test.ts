import { ASSISTANT_FIRST, openModelAt, PROVIDER_CASES, requestOf, UNHURRIED } from './providers';
import { ProviderServer } from './provider-server';

const { together } = PROVIDER_CASES;
const server = ProviderServer.inEachTest({ body: together.answer('Hi.') });

test('a conversation goes out with system, max_tokens and the seed', async () => {
  await openModelAt(together, server.url).ask(ASSISTANT_FIRST, UNHURRIED);

  expect(server.request.path).toBe('/v1/chat/completions');
  expect(server.request.headers.authorization).toBe(`Bearer ${together.secret}`);
  expect(server.request.body).toEqual({
    model: 'meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo',
    messages: [{ role: 'system', content: 'Be brief.' }, ...ASSISTANT_FIRST.messages],
    max_tokens: 2048,
    temperature: 0.3,
    seed: 7,
  });
});

test.each([
  ['eos', 'complete'],
  ['stop', 'complete'],
  ['length', 'length'],
])('an answer that ended with %s is %s', async (finish_reason, finish) => {
  server.reply = {
    body: {
      id: 'nKpQ',
      object: 'chat.completion',
      created: 1,
      model: 'meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo',
      prompt: [],
      choices: [
        {
          index: 0,
          finish_reason,
          seed: 7,
          logprobs: null,
          message: { role: 'assistant', content: 'Hi.', tool_calls: [] },
        },
      ],
      usage: { prompt_tokens: 31, completion_tokens: 2, total_tokens: 33 },
    },
  };

  await expect(openModelAt(together, server.url).ask(requestOf(), UNHURRIED)).resolves.toEqual({
    text: 'Hi.',
    finish,
    model: 'meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo',
    usage: { input: 31, output: 2 },
  });
});
