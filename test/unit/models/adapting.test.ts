import { createKnowledge, type Knowledge } from '../../../models/adapting-model';
import { openModel } from '../../../models/open';
import { parseModelSpec } from '../../../schemas/model/model-spec';
import type { ModelFacts } from '../../../schemas/model/model-table';
import { ProviderServer } from './providers/provider-server';
import { PROVIDER_CASES, type ProviderName, requestOf, UNHURRIED } from './providers/providers';

const { openai } = PROVIDER_CASES;
const server = ProviderServer.inEachTest();
let learned: ModelFacts[];

beforeEach(() => {
  learned = [];
});

function modelOf(facts: ModelFacts = {}) {
  const known = createKnowledge(facts);
  const knowledge: Knowledge = {
    ...known,
    learn(more, said) {
      learned.push(more);
      known.learn(more, said);
    },
  };
  return openModel(parseModelSpec('openai:gpt-9'), openai.environment(server.url), { knowledge });
}

function rejection(param: string) {
  const message = `Unsupported parameter: '${param}' is not supported with this model.`;
  return { error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' } };
}

test('a call is sent again without each parameter that is rejected, and the next one goes out without them', async () => {
  const rejects = ['temperature', 'seed', 'reasoning_effort', 'max_completion_tokens'];
  server.reply = {
    find: ({ body }) => {
      const asked = JSON.stringify(body);
      const param = rejects.find((name) => asked.includes(`"${name}"`));
      return param === undefined ? { body: openai.answer('Hi.') } : { status: 400, body: rejection(param) };
    },
  };
  const model = await modelOf();
  const request = requestOf({ reasoningEffort: 'low' });
  await expect(model.ask(request, UNHURRIED)).resolves.toMatchObject({ text: 'Hi.' });
  expect(learned).toEqual([
    { temperature: 'rejected' },
    { seed: 'rejected' },
    { reasoning: { efforts: [] } },
    { tokenLimitName: 'max_tokens' },
  ]);
  const before = server.received.length;
  await model.ask(request, UNHURRIED);
  expect(server.received).toHaveLength(before + 1);
  expect(server.received.at(-1)?.body).toEqual({
    model: 'gpt-9',
    messages: expect.any(Array),
    max_tokens: 2048,
  });
});

/** Rejections of a temperature, in each provider's own words. */
const REJECTIONS: readonly (readonly [ProviderName, { body: unknown; headers?: Record<string, string> }])[] =
  [
    ['openai', { body: rejection('temperature') }],
    [
      'openai-compatible',
      {
        body: {
          message: "[{'type': 'extra_forbidden', 'loc': ('body', 'temperature'), 'msg': 'Extra inputs'}]",
        },
      },
    ],
    ['together', { body: rejection('temperature') }],
    [
      'anthropic',
      {
        body: {
          type: 'error',
          error: { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' },
        },
      },
    ],
    [
      'gemini',
      {
        body: {
          error: {
            code: 400,
            message: 'Invalid JSON payload received. Unknown name "temperature": Cannot find field.',
            status: 'INVALID_ARGUMENT',
          },
        },
      },
    ],
    [
      'bedrock',
      {
        body: {
          message: 'The model returned the following errors: `temperature` is deprecated for this model.',
        },
        headers: { 'x-amzn-errortype': 'ValidationException' },
      },
    ],
  ];

test.each(REJECTIONS)(
  '%s: a temperature that it rejects is left out',
  async (name, { body, headers = {} }) => {
    const { answer, environment, spec } = PROVIDER_CASES[name];
    server.reply = {
      find: ({ body: asked }) =>
        JSON.stringify(asked).includes('"temperature"')
          ? { status: 400, headers, body }
          : { body: answer('Hi.') },
    };
    const model = await openModel(parseModelSpec(spec(server.url)), environment(server.url));
    await expect(model.ask(requestOf(), UNHURRIED)).resolves.toMatchObject({ text: 'Hi.' });
    await model.ask(requestOf(), UNHURRIED);
    expect(server.received).toHaveLength(3);
  },
);

test('a server that rejects both names of the token limit is not asked forever', async () => {
  server.reply = {
    find: ({ body }) => {
      const asked = JSON.stringify(body);
      const param = asked.includes('max_completion_tokens') ? 'max_completion_tokens' : 'max_tokens';
      return { status: 400, body: rejection(param) };
    },
  };
  await expect((await modelOf()).ask(requestOf(), UNHURRIED)).rejects.toMatchObject({ kind: 'bad-request' });
  expect(server.received).toHaveLength(3);
});

test('a model whose effort is rejected keeps the room for its reasoning', async () => {
  const reasoning = { efforts: ['low'], counts: true, allowance: 4000 };
  server.reply = {
    find: ({ body }) =>
      JSON.stringify(body).includes('reasoning_effort')
        ? { status: 400, body: rejection('reasoning_effort') }
        : { body: openai.answer('Hi.') },
  };
  await (await modelOf({ reasoning })).ask(requestOf({ reasoningEffort: 'low' }), UNHURRIED);
  expect(server.received.map(({ body }) => body)).toEqual([
    expect.objectContaining({ max_completion_tokens: 6048 }),
    expect.objectContaining({ max_completion_tokens: 6048 }),
  ]);
});

test('a rejection of what was not sent, or of what nobody can do without, is an error', async () => {
  server.reply = { status: 400, body: rejection('temperature') };
  const model = await modelOf({ temperature: 'rejected' });
  await expect(model.ask(requestOf(), UNHURRIED)).rejects.toMatchObject({ kind: 'bad-request' });
  server.reply = { status: 400, body: rejection('service_tier') };
  await expect(model.ask(requestOf(), UNHURRIED, { tier: 'flex' })).rejects.toThrow(/Leave out --tier/);
  expect(server.received).toHaveLength(2);
  expect(learned).toEqual([]);
});

test.each([
  [{ type: 'resource_unavailable', code: 'flex_unavailable', message: 'Try standard processing.' }, 429],
  [{ type: 'server_error', code: null, message: 'overloaded' }, 503],
  [{ type: 'capacity_exceeded', message: 'Flex tier capacity exceeded' }, 498],
])('a full flex tier, %j, is neither a rate limit nor an outage', async (error, status) => {
  server.reply = { status, body: { error } };
  const asked = (await modelOf()).ask(requestOf(), UNHURRIED, { tier: 'flex' });
  await expect(asked).rejects.toMatchObject({ kind: 'no-capacity', isRetryable: true });
  expect(server.request.body).toMatchObject({ service_tier: 'flex' });
});

test('a page of a gateway does not say that the flex tier is full', async () => {
  const model = await modelOf();
  server.reply = { body: openai.answer('Hi.') };
  await model.ask(requestOf(), UNHURRIED, { tier: 'flex' });
  server.reply = { status: 404, body: '<html>404 Not Found</html>' };
  const asked = model.ask(requestOf(), UNHURRIED, { tier: 'flex' });
  await expect(asked).rejects.toMatchObject({ kind: 'unavailable' });
});

function limits(): unknown[] {
  return server.received.map(({ body }) => Reflect.get(Object(body), 'max_completion_tokens'));
}

describe('a model whose reasoning uses up its limit', () => {
  const usedUp = {
    choices: [{ message: { content: '' }, finish_reason: 'length' }],
    usage: { prompt_tokens: 5, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 9 } },
  };

  test('gets more room once, whatever comes after', async () => {
    server.reply = { body: usedUp };
    const model = await modelOf();
    for (let asked = 0; asked < 3; asked += 1) {
      await expect(model.ask(requestOf(), UNHURRIED)).resolves.toMatchObject({ finish: 'reasoning' });
    }
    expect(limits()).toEqual([2048, 18_432, 18_432]);
    expect(learned).toEqual([{ extraTokens: 16_384 }]);
  });

  test('gets no more room because of the few tokens of a check', async () => {
    server.reply = { body: usedUp };
    await (await modelOf()).ask(requestOf({ maxTokens: 16 }), UNHURRIED);
    expect(learned).toEqual([]);
  });

  const tooMany = 'max_tokens is too large: this model supports at most 16384 completion tokens.';
  const tooLong = 'This model has a maximum context length of 16384 tokens.';

  test.each([
    ['that the model does not have', tooMany, [{ extraTokens: 0 }]],
    ['that a long prompt leaves no space for', tooLong, []],
  ])('is asked with the usual limit where it cannot have the room %s', async (_, message, expected) => {
    server.reply = {
      find: ({ body }) =>
        JSON.stringify(body).includes('18432')
          ? { status: 400, body: { error: { message, type: 'invalid_request_error' } } }
          : { body: openai.answer('Hi.') },
    };
    const model = await modelOf({ extraTokens: 16_384 });
    await expect(model.ask(requestOf(), UNHURRIED)).resolves.toMatchObject({ text: 'Hi.' });
    expect(limits()).toEqual([18_432, 2048]);
    expect(learned).toEqual(expected);
  });
});

test.each<[string, { completion_tokens: number; reasoning?: number }, string]>([
  ['', { completion_tokens: 2048, reasoning: 2048 }, 'reasoning'],
  ['half an ans', { completion_tokens: 2048, reasoning: 1500 }, 'reasoning'],
  ['a long answer', { completion_tokens: 4048, reasoning: 2000 }, 'length'],
  ['a long answer', { completion_tokens: 2048 }, 'length'],
  ['', { completion_tokens: 2048 }, 'reasoning'],
])('%j cut off with %j tokens ended by its %s', async (text, { completion_tokens, reasoning }, finish) => {
  server.reply = {
    body: {
      choices: [{ message: { content: text }, finish_reason: 'length' }],
      usage: {
        prompt_tokens: 5,
        completion_tokens,
        ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
      },
    },
  };
  await expect((await modelOf()).ask(requestOf(), UNHURRIED)).resolves.toMatchObject({ finish });
});
