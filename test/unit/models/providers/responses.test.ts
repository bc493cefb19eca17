import { ProviderServer } from './provider-server';
import {
  catchModelError,
  openModelAt,
  PROVIDER_CASES,
  requestOf,
  UNHURRIED,
  type ProviderName,
} from './providers';

const server = ProviderServer.inEachTest();

function askWith(name: ProviderName, body: unknown, headers?: Readonly<Record<string, string>>) {
  server.reply = { body, ...(headers === undefined ? {} : { headers }) };
  return openModelAt(PROVIDER_CASES[name], server.url).ask(requestOf(), UNHURRIED);
}

/** A whole answer of each provider, with the tokens that were cached or spent on reasoning. */
const WHOLE: readonly (readonly [ProviderName, body: object, answer: object])[] = [
  [
    'openai',
    {
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
    {
      text: '  Hi.\n',
      model: 'gpt-4o-2024-11-20',
      usage: { input: 2006, output: 300, cachedRead: 1920, reasoning: 256 },
    },
  ],
  [
    'openai-compatible',
    { choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }], usage: null },
    { text: 'Hi.', model: 'qwen', usage: {} },
  ],
  [
    'together',
    {
      id: 'nKpQ',
      object: 'chat.completion',
      created: 1,
      model: 'meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo',
      prompt: [],
      choices: [
        {
          index: 0,
          finish_reason: 'eos',
          seed: 7,
          logprobs: null,
          message: { role: 'assistant', content: 'Hi.', tool_calls: [] },
        },
      ],
      usage: { prompt_tokens: 31, completion_tokens: 2, total_tokens: 33 },
    },
    {
      text: 'Hi.',
      model: 'meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo',
      usage: { input: 31, output: 2 },
    },
  ],
  [
    'anthropic',
    {
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
    {
      text: 'One. Two.',
      model: 'claude-3-7-sonnet-20250219',
      usage: { input: 1110, output: 50, cachedRead: 1000, cachedWrite: 100, reasoning: 30 },
    },
  ],
  [
    'gemini',
    {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [{ text: 'Hm.', thought: true }, { text: 'One. ' }, { text: 'Two.', thought: null }],
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      promptFeedback: { blockReason: '' },
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
    {
      text: 'One. Two.',
      model: 'gemini-2.5-flash-002',
      usage: { input: 1000, output: 100, cachedRead: 900, reasoning: 60 },
    },
  ],
  [
    'bedrock',
    {
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
    {
      text: 'One. Two.',
      model: 'anthropic.claude-3-5-sonnet-20241022-v2:0',
      usage: { input: 1110, output: 50, cachedRead: 1000, cachedWrite: 100 },
    },
  ],
];

test.each(WHOLE)(
  'an answer of %s has its text, without reasoning, model and usage',
  async (name, body, answer) => {
    expect(await askWith(name, body)).toEqual({ finish: 'complete', ...answer });
  },
);

const chose = (message: object, finish_reason: string) => ({
  choices: [{ index: 0, message, finish_reason }],
});
const ROUTED = 'arn:aws:bedrock:us-east-1::foundation-model/meta.llama3-1-8b-instruct-v1:0';
const { anthropic, bedrock } = PROVIDER_CASES;

test.each<[ProviderName, string, object, object]>([
  [
    'openai',
    'refused',
    chose({ content: null, refusal: 'I cannot.' }, 'stop'),
    { text: 'I cannot.', finish: 'refused' },
  ],
  ['openai', 'empty', chose({ content: null, refusal: null }, 'length'), { text: '', finish: 'length' }],
  [
    'openai',
    'not refused',
    chose({ content: 'Hi.', refusal: '' }, 'stop'),
    { text: 'Hi.', finish: 'complete' },
  ],
  [
    'openai-compatible',
    'counted in part',
    {
      ...chose({ content: 'Hi.' }, 'stop'),
      usage: { prompt_tokens: null, completion_tokens: 4, prompt_tokens_details: null },
    },
    { usage: { output: 4 } },
  ],
  ['anthropic', 'empty', { ...anthropic.answer(''), content: [] }, { text: '', finish: 'complete' }],
  [
    'gemini',
    'blocked with its prompt',
    {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
      modelVersion: 'gemini-2.5-flash',
    },
    { text: '', finish: 'refused', model: 'gemini-2.5-flash', usage: { input: 9, output: 0 } },
  ],
  [
    'gemini',
    'cut off in its thoughts',
    {
      candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }],
      usageMetadata: { promptTokenCount: 9, thoughtsTokenCount: 50, totalTokenCount: 59 },
    },
    { text: '', finish: 'reasoning', usage: { input: 9, output: 50, reasoning: 50 } },
  ],
  [
    'bedrock',
    'nothing but reasoning, up to its limit',
    {
      ...bedrock.answer(''),
      output: {
        message: {
          role: 'assistant',
          content: [{ reasoningContent: { reasoningText: { text: 'Hm.', signature: 's' } } }],
        },
      },
      stopReason: 'max_tokens',
    },
    { text: '', finish: 'reasoning' },
  ],
  [
    'anthropic',
    'nothing but thinking, up to its limit',
    {
      ...anthropic.answer(''),
      content: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }],
      stop_reason: 'max_tokens',
    },
    { text: '', finish: 'reasoning' },
  ],
  [
    'gemini',
    'nothing but thoughts, up to its limit, uncounted',
    {
      candidates: [
        { content: { role: 'model', parts: [{ text: 'Hm.', thought: true }] }, finishReason: 'MAX_TOKENS' },
      ],
    },
    { text: '', finish: 'reasoning' },
  ],
  [
    'bedrock',
    'by the model that a prompt router chose',
    { ...bedrock.answer('Hi.'), trace: { promptRouter: { invokedModelId: ROUTED } } },
    { model: ROUTED },
  ],
  [
    'bedrock',
    'empty',
    { ...bedrock.answer(''), output: { message: { role: 'assistant', content: [] } } },
    { text: '' },
  ],
])('an answer of %s that is %s says so', async (name, _, body, answer) => {
  expect(await askWith(name, body)).toMatchObject(answer);
});

test.each([
  ['broke off', 'error', { message: 'Upstream failed', code: 502 }, 'unavailable'],
  ['broke off at a rate limit', 'stop', { message: 'Slow', code: 429 }, 'rate-limit'],
  ['was aborted', 'abort', undefined, 'unavailable'],
])('status 200 with an answer that %s is an error', async (_, finish_reason, error, kind) => {
  const body = { choices: [{ message: { content: 'Here is the first half of' }, finish_reason, error }] };
  expect(await catchModelError(askWith('openai-compatible', body))).toMatchObject({ kind });
});

test('JSON under another content type is still read', async () => {
  const body = PROVIDER_CASES['openai-compatible'].answer('Hi.');
  const answer = await askWith('openai-compatible', body, { 'content-type': 'text/plain' });
  expect(answer).toMatchObject({ text: 'Hi.' });
});
