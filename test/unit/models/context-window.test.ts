import { describeExcess } from '../../../models/context-window';
import type { ModelAnswer } from '../../../models/model';
import { ProviderServer } from './providers/provider-server';
import { catchModelError, openModelAt, PROVIDER_CASES, requestOf, UNHURRIED } from './providers/providers';

/** About 10,000 tokens of four characters. */
const LONG = 'She asked for it. '.repeat(2_222);

const READ_LESS = /dropped the rest/;
const FULL = /fill its context window/;

test.each<[string, string, ModelAnswer['finish'], ModelAnswer['usage'], RegExp | undefined]>([
  ['a window of 2,048 tokens (Ollama)', LONG, 'complete', { input: 2_050, output: 40 }, READ_LESS],
  ['a window of 4,096 tokens (Ollama)', LONG, 'complete', { input: 4_096, output: 40 }, READ_LESS],
  ['a tokenizer with long tokens', LONG, 'complete', { input: 7_100, output: 40 }, undefined],
  ['a tokenizer with short tokens', LONG, 'complete', { input: 19_000, output: 40 }, undefined],
  ['no usage', LONG, 'complete', {}, undefined],
  ['usage of nothing', LONG, 'complete', { input: 0, output: 0 }, undefined],
  ['a short prompt', 'Hi. '.repeat(500), 'complete', { input: 60, output: 40 }, undefined],
  ['an answer that fills the window', LONG, 'length', { input: 8_152, output: 40 }, FULL],
  ['one that fills it but for a token', LONG, 'length', { input: 8_151, output: 40 }, FULL],
  ['an answer that reached its own limit', LONG, 'length', { input: 6_144, output: 2_048 }, undefined],
  ['an answer that a server cut at its limit', LONG, 'length', { input: 7_321, output: 1_000 }, undefined],
  ['an answer that ended by itself there', LONG, 'complete', { input: 8_152, output: 40 }, undefined],
])('%s', (_, content, finish, usage, said) => {
  const request = requestOf({ messages: [{ role: 'user', content }] });
  const found = describeExcess({ finish, usage }, request, 2_048);
  if (said === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(said);
});

const server = ProviderServer.inEachTest();

test('an answer to a part of a prompt is not taken, and the message names the options', async () => {
  const usage = { prompt_tokens: 4_096, completion_tokens: 12 };
  const choices = [{ message: { content: 'Hi.' }, finish_reason: 'stop' }];
  server.reply = { body: { choices, usage } };
  const asked = openModelAt(PROVIDER_CASES['openai-compatible'], server.url).ask(
    requestOf({ messages: [{ role: 'user', content: LONG }] }),
    UNHURRIED,
  );
  const { kind, message } = await catchModelError(asked);
  expect(kind).toBe('window-exceeded');
  expect(message).toMatch(/read 4,096 tokens of a prompt of about 10,00\d.*OLLAMA_CONTEXT_LENGTH/);
});
