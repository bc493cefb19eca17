import { createKnowledge } from '../../../../models/adapting-model';
import type { ModelErrorKind } from '../../../../schemas/model/error-kind';
import type { ModelAnswer } from '../../../../models/model';
import { openModel } from '../../../../models/open';
import { parseModelSpec } from '../../../../schemas/model/model-spec';
import type { ModelFacts } from '../../../../schemas/model/model-table';
import { ProviderServer } from './provider-server';
import { ASSISTANT_FIRST, catchModelError, PROVIDER_CASES, requestOf, UNHURRIED } from './providers';

const server = ProviderServer.inEachTest();

const openAi = PROVIDER_CASES.openai;
const compatible = PROVIDER_CASES['openai-compatible'];

function openWith(facts: ModelFacts, provider: typeof openAi | typeof compatible = openAi) {
  const spec = provider === openAi ? 'openai:gpt-9-pro' : provider.spec(server.url);
  const knowledge = createKnowledge(facts);
  return openModel(parseModelSpec(spec), provider.environment(server.url), { knowledge });
}

function message(...content: object[]) {
  return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
}

function text(said: string) {
  return { type: 'output_text', text: said, annotations: [] };
}

const REASONING = { type: 'reasoning', id: 'rs_1', summary: [] };

function response(changes: object = {}) {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'gpt-9-pro-2026-11-01',
    status: 'completed',
    error: null,
    incomplete_details: null,
    output: [REASONING, message(text('Hi.'))],
    usage: {
      input_tokens: 30,
      input_tokens_details: { cached_tokens: 20 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 7 },
      total_tokens: 39,
    },
    ...changes,
  };
}

function rejectChat(said: string, status = 404, code: string | null = null) {
  const error = { message: said, type: 'invalid_request_error', param: 'model', code };
  server.reply = {
    find: ({ path }) => (path === '/v1/responses' ? { body: response() } : { status, body: { error } }),
  };
}

test.each([
  ['This model is only supported in v1/responses and not in v1/chat/completions.', openAi],
  [
    'This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?',
    openAi,
  ],
  ['model "gpt-9-codex" is not accessible via the /chat/completions endpoint', compatible],
] as const)('%s: from then on, the model is asked in the Responses API', async (said, provider) => {
  rejectChat(said);
  const model = await openWith({}, provider);
  for (const _ of [1, 2]) {
    await expect(model.ask(requestOf(), UNHURRIED)).resolves.toMatchObject({
      text: 'Hi.',
      finish: 'complete',
    });
  }
  expect(server.received.map(({ path }) => path)).toEqual([
    '/v1/chat/completions',
    '/v1/responses',
    '/v1/responses',
  ]);
});

test('a model that is in neither API is named as such, after one request to each', async () => {
  const said = 'This is not a chat model and thus not supported in the v1/chat/completions endpoint.';
  server.reply = { status: 404, body: { error: { message: said } } };
  const model = await openWith({});
  const error = await catchModelError(model.ask(requestOf(), UNHURRIED));
  expect(error.message).toContain('If the Responses API does not serve the model either');
  expect(error.isRetryable).toBe(false);
  expect(server.received).toHaveLength(2);
});

test.each([
  [
    'a prompt',
    requestOf({ reasoningEffort: 'low', body: { text: { verbosity: 'low' } } }),
    {
      instructions: 'Be brief.',
      input: [{ role: 'user', content: 'Hello?' }],
      temperature: 0.3,
      reasoning: { effort: 'low' },
      text: { verbosity: 'low' },
    },
  ],
  [
    'a conversation that the assistant begins, without a system text',
    { ...ASSISTANT_FIRST, system: ' \n\u00A0', temperature: 'default' as const },
    { input: ASSISTANT_FIRST.messages },
  ],
])('%s is sent without a seed, and not stored', async (_, request, body) => {
  server.reply = { body: response() };
  const cache = { key: 'a dialogue', ends: [] };
  await (await openWith({ api: 'responses' })).ask(request, UNHURRIED, { tier: 'flex', cache });
  expect(server.request.body).toEqual({
    model: 'gpt-9-pro',
    max_output_tokens: 2048,
    store: false,
    service_tier: 'flex',
    prompt_cache_key: 'a dialogue',
    ...body,
  });
});

test('the answer has the model, tier and usage of the response', async () => {
  server.reply = { body: response({ service_tier: 'flex' }) };
  await expect((await openWith({ api: 'responses' })).ask(requestOf(), UNHURRIED)).resolves.toEqual({
    text: 'Hi.',
    finish: 'complete',
    model: 'gpt-9-pro-2026-11-01',
    tier: 'flex',
    usage: { input: 30, cachedRead: 20, output: 9, reasoning: 7 },
  });
});

const CUT = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };

test.each<[string, object, Partial<ModelAnswer>]>([
  ['parts of a text', { output: [message(text('Hi '), text('there.'))] }, { text: 'Hi there.' }],
  [
    'a remark before the answer',
    { output: [{ ...message(text('Let me see.')), phase: 'commentary' }, message(text('Hi.'))] },
    { text: 'Hi.', finish: 'complete' },
  ],
  [
    'a refusal',
    { output: [message({ type: 'refusal', refusal: 'I cannot.' })] },
    { text: 'I cannot.', finish: 'refused' },
  ],
  [
    'a text cut off',
    { ...CUT, usage: null, output: [message(text('Half'))] },
    { text: 'Half', finish: 'length' },
  ],
  ['reasoning cut off', { ...CUT, usage: null, output: [REASONING] }, { text: '', finish: 'reasoning' }],
  [
    'a filtered text',
    { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    { finish: 'refused' },
  ],
  ['no usage', { usage: undefined }, { text: 'Hi.', usage: {} }],
])('%s', async (_, changes, answer) => {
  server.reply = { body: response(changes) };
  const model = await openWith({ api: 'responses' });
  await expect(model.ask(requestOf(), UNHURRIED)).resolves.toMatchObject(answer);
});

test.each<[string, object, ModelErrorKind, RegExp]>([
  [
    'a failed response',
    response({ status: 'failed', error: { code: 'server_error', message: 'It failed.' } }),
    'unavailable',
    /answered 200 \(server_error\): It failed/,
  ],
  [
    'a rate limit',
    response({ status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down.' } }),
    'rate-limit',
    /Slow down/,
  ],
  ['a response in the background', response({ status: 'queued' }), 'unavailable', /status queued/],
  ['an answer of another API', openAi.answer('Hi.'), 'invalid-response', /expected a response/],
])('%s is an error', async (_, body, kind, says) => {
  server.reply = { body };
  const error = await catchModelError((await openWith({ api: 'responses' })).ask(requestOf(), UNHURRIED));
  expect(error).toMatchObject({ kind, message: expect.stringMatching(says) });
});

test('a parameter that it rejects is left out', async () => {
  server.reply = {
    find: ({ body }) => {
      const param = ['temperature', 'effort'].find((name) => JSON.stringify(body).includes(`"${name}"`));
      if (param === undefined) return { body: response() };
      const path = param === 'effort' ? 'reasoning.effort' : param;
      const said = `Unsupported parameter: '${path}' is not supported with this model.`;
      return { status: 400, body: { error: { message: said, param: path, code: 'unsupported_parameter' } } };
    },
  };
  const model = await openWith({ api: 'responses' });
  await model.ask(requestOf({ reasoningEffort: 'low' }), UNHURRIED);
  expect(server.received).toHaveLength(3);
});
