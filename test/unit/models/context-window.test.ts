import * as fc from 'fast-check';
import { createWindowCheck } from '../../../models/context-window';
import type { ModelAnswer } from '../../../models/model';
import { ProviderServer } from './providers/provider-server';
import { catchModelError, openModelAt, PROVIDER_CASES, requestOf, UNHURRIED } from './providers/providers';

/** Builds a request of so many pieces of text: common words, each a token in every tokenizer. */
function promptOf(pieces: number) {
  return promptWith(' word'.repeat(pieces));
}

function promptWith(content: string) {
  return requestOf({ system: '', messages: [{ role: 'user', content }] });
}

/** Says what the check finds in the last answer of a model. */
function findLast(
  answers: readonly (readonly [pieces: number, usage: ModelAnswer['usage']])[],
  finish: ModelAnswer['finish'] = 'complete',
): string | undefined {
  const describeExcess = createWindowCheck();
  return answers.map(([pieces, usage]) => describeExcess({ finish, usage }, promptOf(pieces), 2_048)).at(-1);
}

const LESS = /^read [\d,]+ tokens of a prompt of at least [\d,]+, and dropped the rest/;
const SAME = /^read exactly [\d,]+ tokens of each of 3 prompts of different lengths/;

/** Returns prompts of these pieces, with the same number of tokens read of each. */
const readAll = (input: number, pieces: readonly number[]): [number, object][] =>
  pieces.map((count) => [count, { input }]);

/** Returns three short prompts of a model with so many tokens for a piece, and 20 of its chat template. */
const shorts = (ratio: number): [number, object][] =>
  [800, 1_000, 1_200].map((pieces) => [pieces, { input: Math.round(pieces * ratio) + 20 }]);

// Tokens for a piece: 1.12 in English (GPT-4o, Llama 3), 1.3 (Mistral), 1.6 in German, 2.2 in Russian, 1.03 in tables.
test.each<[string, Parameters<typeof findLast>[0], RegExp | undefined]>([
  ['61 % of a prompt', [[10_000, { input: 6_832 }]], LESS],
  ['64 % of it', [[10_000, { input: 7_168 }]], LESS],
  ['75 % of it', [[10_000, { input: 8_400 }]], LESS],
  ['a window of 2,048 tokens (Ollama)', [[10_000, { input: 2_050 }]], LESS],
  ['all of it', [[10_000, { input: 11_200 }]], undefined],
  ['all of one with nothing but common words', [[10_000, { input: 10_000 }]], undefined],
  ['all of it, with short tokens', [[10_000, { input: 19_000 }]], undefined],
  ['75 % with short tokens, and no short prompt before', [[10_000, { input: 9_750 }]], undefined],
  ['75 % with short tokens', [...shorts(1.3), [10_000, { input: 9_750 }]], LESS],
  ['64 % in German', [...shorts(1.6), [10_000, { input: 10_240 }]], LESS],
  ['75 % in German', [...shorts(1.6), [10_000, { input: 12_000 }]], LESS],
  ['75 % in Russian', [...shorts(2.2), [10_000, { input: 16_500 }]], LESS],
  ['all of a table, after prose', [...shorts(1.12), [10_000, { input: 10_300 }]], undefined],
  [
    'all in English, after a prompt in it among German ones',
    [...shorts(1.6), ...shorts(1.12), [9_000, { input: 10_080 }]],
    undefined,
  ],
  ['all, counted as a quarter of the characters', [...shorts(0.7), [10_000, { input: 7_000 }]], undefined],
  [
    'all, as two short prompts are not enough to know',
    [...shorts(1.6).slice(1), [10_000, { input: 11_200 }]],
    undefined,
  ],
  [
    'all, as tiny prompts are mostly template',
    [...shorts(1.12), [10, { input: 200 }], [10_000, { input: 11_200 }]],
    undefined,
  ],
  ['a short prompt', [[1_000, { input: 60 }]], undefined],
  [
    'what was not cached, as its window held more before',
    [
      [10_000, { input: 11_200 }],
      [9_000, { input: 900 }],
    ],
    undefined,
  ],
  ['what was not cached of 3 tokens', [[10_000, { input: 3 }]], undefined],
  [
    'what was not cached, as it was once',
    [
      [10_000, { input: 3 }],
      [9_000, { input: 4_000 }],
    ],
    undefined,
  ],
  ['no usage', [[10_000, {}]], undefined],
  ['usage of nothing', [[10_000, { input: 0 }]], undefined],
  ['the same count a second time', readAll(8_192, [8_000, 9_000]), undefined],
  ['the same count a third time', readAll(8_192, [7_000, 7_800, 8_600]), SAME],
  ['the same count for similar prompts', readAll(8_192, [8_000, 8_010, 8_020]), undefined],
  [
    'the same count below a larger one',
    [[9_000, { input: 9_500 }], ...readAll(8_192, [7_000, 7_800, 8_600])],
    undefined,
  ],
])('a server that read %s', (_, answers, said) => {
  if (said === undefined) expect(findLast(answers)).toBeUndefined();
  else expect(findLast(answers)).toMatch(said);
});

/** Counts the pieces of a long text, which the message of the check names. */
function countPieces(text: string): number {
  const excess = createWindowCheck()({ finish: 'complete', usage: { input: 300 } }, promptWith(text), 2_048);
  return Number(/at least ([\d,]+)/.exec(excess ?? '')?.[1]?.replaceAll(',', ''));
}

test('a text of ASCII characters has as many pieces as beside others', () => {
  const long = ' word'.repeat(2_000);
  const ascii = fc.string({ unit: 'binary-ascii', maxLength: 60 });
  fc.assert(
    fc.property(ascii, (text) => {
      expect(countPieces(`${long}\n${text}\n é`)).toBe(countPieces(`${long}\n${text}\n`) + 1);
    }),
    { examples: [['Don\'t: "it\'s" 12345 a_b-c x1!\r\n\n  (y)\t-- z']] },
  );
});

const FULL = /fill its context window of 8,192 tokens/;

test.each<[string, ModelAnswer['finish'], ModelAnswer['usage'], RegExp | undefined]>([
  ['fills the window', 'length', { input: 8_152, output: 40 }, FULL],
  ['fills it but for a token', 'length', { input: 8_151, output: 40 }, FULL],
  ['reached its own limit', 'length', { input: 6_144, output: 2_048 }, undefined],
  ['a server cut at its limit', 'length', { input: 7_321, output: 1_000 }, undefined],
  ['ended by itself there', 'complete', { input: 8_152, output: 40 }, undefined],
])('an answer that %s', (_, finish, usage, said) => {
  const found = findLast([[6_000, usage]], finish);
  if (said === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(said);
});

const server = ProviderServer.inEachTest();

test.each([
  ['leaves out cached tokens', { prompt_tokens: 3, completion_tokens: 12, total_tokens: 114 }],
  ['has cached tokens beside the others', { prompt_tokens: 900, cached_tokens: 10_300 }],
])('an answer whose usage %s is taken', async (_, usage) => {
  server.reply = { body: { choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }], usage } };
  const model = openModelAt(PROVIDER_CASES['openai-compatible'], server.url);
  await expect(model.ask(promptOf(10_000), UNHURRIED)).resolves.toMatchObject({ text: 'Hi.' });
});

/** Lets the server read so many tokens of each prompt in turn, of all further ones as many as of the last; 0 is a failure. */
function readInTurn(...counts: readonly number[]): void {
  const choices = [{ message: { content: 'Hi.' }, finish_reason: 'stop' }];
  server.reply = {
    find: () => {
      const prompt_tokens = counts[Math.min(server.received.length, counts.length) - 1];
      return prompt_tokens === 0
        ? { status: 503, body: { error: { message: 'Busy' } } }
        : { body: { choices, usage: { prompt_tokens, completion_tokens: 12 } } };
    },
  };
}

test('an answer to a part of a prompt is not taken, and the message names the options', async () => {
  readInTurn(4_096);
  const model = openModelAt(PROVIDER_CASES['openai-compatible'], server.url);
  const error = await catchModelError(model.ask(promptOf(10_000), UNHURRIED));
  expect(error).toMatchObject({ kind: 'window-exceeded', usage: { input: 8_192, output: 24 } });
  expect(error.message).toMatch(/read 4,096 tokens of a prompt of at least 10,000.*OLLAMA_CONTEXT_LENGTH/);
});

test('a window is confirmed once, by a prompt that is read again', async () => {
  readInTurn(4_096);
  const model = openModelAt(PROVIDER_CASES['openai-compatible'], server.url);
  for (const requests of [2, 3, 4]) {
    const error = await catchModelError(model.ask(promptOf(10_000 + requests), UNHURRIED));
    expect(error.kind).toBe('window-exceeded');
    expect(server.received).toHaveLength(requests);
  }
});

test.each([
  ['is cached in full by then', 300],
  ['is not in the cache of another server', 11_200],
])('a first prompt whose beginning was cached is answered: read again, it %s', async (_, count) => {
  readInTurn(1_500, count, 700);
  const model = openModelAt(PROVIDER_CASES['openai-compatible'], server.url);
  await expect(model.ask(promptOf(10_000), UNHURRIED)).resolves.toMatchObject({
    text: 'Hi.',
    usage: { input: 1_500 + count, output: 24 },
  });
  await expect(model.ask(promptOf(9_000), UNHURRIED)).resolves.toMatchObject({ usage: { input: 700 } });
  expect(server.received).toHaveLength(3);
});

test('a prompt that cannot be read again is charged all the same, and judged when it is sent again', async () => {
  readInTurn(4_096, 0, 4_096);
  const model = openModelAt(PROVIDER_CASES['openai-compatible'], server.url);
  const asked = () => catchModelError(model.ask(promptOf(10_000), UNHURRIED));
  expect(await asked()).toMatchObject({ kind: 'unavailable', usage: { input: 4_096, output: 12 } });
  expect(await asked()).toMatchObject({ kind: 'window-exceeded', usage: { input: 8_192, output: 24 } });
});
