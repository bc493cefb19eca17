import { createKnowledge } from '../../../models/adapting-model';
import { ModelError } from '../../../models/errors/error';
import type { ModelErrorKind } from '../../../schemas/model/error-kind';
import type { ModelAnswer } from '../../../models/model';
import { NOBODY } from '../../stand-in/nobody';
import { openModel } from '../../../models/open';
import { parseModelSpec } from '../../../schemas/model/model-spec';
import { ProviderServer, type Reply } from './providers/provider-server';
import {
  openModelAt,
  PROVIDER_CASES,
  PROVIDER_NAMES,
  requestOf,
  UNHURRIED,
  type ProviderName,
} from './providers/providers';

/** The outcome of an odd response: the text of an answer, or the kind of an error and the wait that the provider asked for. */
type Outcome =
  | { readonly text: string }
  | { readonly kind: ModelErrorKind; readonly retryAfterMs?: unknown; readonly says?: RegExp };

type Case = readonly [name: string, provider: ProviderName, reply: Reply, outcome: Outcome];

const server = ProviderServer.inEachTest();

function failing(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

async function readOutcome(provider: ProviderName): Promise<ModelAnswer | ModelError> {
  try {
    return await openModelAt(PROVIDER_CASES[provider], server.url).ask(requestOf(), UNHURRIED);
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
}

function everywhere(name: string, reply: (provider: ProviderName) => Reply, outcome: Outcome): Case[] {
  return PROVIDER_NAMES.map((provider) => [name, provider, reply(provider), outcome]);
}

function check(outcome: ModelAnswer | ModelError, expected: Outcome): void {
  if ('text' in expected) {
    expect(outcome).toMatchObject(expected);
    return;
  }
  const { kind, retryAfterMs, says = /./ } = expected;
  if (!(outcome instanceof ModelError)) throw new Error(`Expected ${kind}, found an answer: ${outcome.text}`);
  expect({ kind: outcome.kind, retryAfterMs: outcome.retryAfterMs }).toEqual({ kind, retryAfterMs });
  expect(outcome.message).toMatch(says);
}

async function examine(_: string, provider: ProviderName, reply: Reply, outcome: Outcome): Promise<void> {
  server.reply = reply;
  check(await readOutcome(provider), outcome);
}

const PAST = 'Wed, 21 Oct 2015 07:28:00 GMT';

const NO_WAIT: readonly Case[] = [
  ...everywhere('429 that asks for a wait of 0 s', () => failing(429, {}, { 'retry-after': '0' }), {
    kind: 'rate-limit',
  }),
  ...everywhere('503 that asks for a wait of 0 ms', () => failing(503, {}, { 'retry-after-ms': '0' }), {
    kind: 'unavailable',
  }),
  ...everywhere('429 that asks to wait until a past date', () => failing(429, {}, { 'retry-after': PAST }), {
    kind: 'rate-limit',
  }),
  ['429 with a delay of 0s', 'gemini', failing(429, delayed('0s')), { kind: 'rate-limit' }],
  ['503 with a delay of 0.000s', 'gemini', failing(503, delayed('0.000s')), { kind: 'unavailable' }],
  [
    '429 that asks for a short wait',
    'openai',
    failing(429, {}, { 'retry-after-ms': '150' }),
    { kind: 'rate-limit', retryAfterMs: 150 },
  ],
];

function delayed(retryDelay: string) {
  return { error: { code: 429, message: 'Slow down.', details: [{ retryDelay }] } };
}

describe('a provider that asks for no wait gets the normal backoff', () => {
  test.each(NO_WAIT)('%s: %s', examine);
});

const COMPLETION = PROVIDER_CASES['openai-compatible'].answer('Hi.');

/** Errors with the status of an answer, which gateways and some providers send. */
const STATED: readonly (readonly [name: string, body: unknown, outcome: Outcome])[] = [
  ['no choices', { ...COMPLETION, choices: [] }, { kind: 'invalid-response' }],
  ['null for choices', { ...COMPLETION, choices: null }, { kind: 'invalid-response' }],
  ['no message', { choices: [{ message: null, finish_reason: 'stop' }] }, { kind: 'invalid-response' }],
  [
    'an error beside a null choice',
    { choices: [null], error: { message: 'Down', code: 502 } },
    { kind: 'unavailable' },
  ],
  [
    'an error beside an answer',
    { ...COMPLETION, error: { message: 'Slow down', code: 429 } },
    { kind: 'rate-limit' },
  ],
  [
    'no error beside an answer',
    { ...COMPLETION, error: null, base_resp: { status_code: 0 } },
    { text: 'Hi.' },
  ],
  ['an empty error beside an answer', { ...COMPLETION, error: {} }, { text: 'Hi.' }],
  [
    'a status as text',
    { error: { message: 'Slow down', code: '429' } },
    { kind: 'rate-limit', says: /answered 200 \(429\): Slow/ },
  ],
  ["vLLM's form", { object: 'error', message: 'Busy', type: 'X', code: 503 }, { kind: 'unavailable' }],
  ['MiniMax, a rate limit', minimax(1002, 'rate limit'), { kind: 'rate-limit' }],
  ['MiniMax, a time-out', minimax(1001, 'request timeout'), { kind: 'timeout' }],
  ['MiniMax, an empty account', minimax(1008, 'insufficient balance'), { kind: 'bad-key', says: /billing/ }],
  [
    'MiniMax, a wrong key',
    minimax(2049, 'invalid api key'),
    { kind: 'bad-key', says: /OPENAI_COMPATIBLE_API_KEY/ },
  ],
  ['MiniMax, a refusal', minimax(1026, 'input new_sensitive'), { kind: 'refused' }],
  ['MiniMax, an unknown code', minimax(7777, 'odd'), { kind: 'invalid-response', says: /\(7777\): odd/ }],
  ["Anthropic's form, an overload", anthropic('overloaded_error', 'Overloaded'), { kind: 'unavailable' }],
  ["Anthropic's form, a rate limit", anthropic('rate_limit_error', 'Slow down'), { kind: 'rate-limit' }],
  ["Google's form", { error: { status: 'UNAVAILABLE', message: 'Overloaded' } }, { kind: 'unavailable' }],
  ["Google's form, in a list", [{ error: { code: 429, message: 'Slow' } }], { kind: 'rate-limit' }],
  ["FastAPI's form", { detail: 'Internal problem' }, { kind: 'invalid-response', says: /Internal problem/ }],
  ["FastAPI's form, a rate limit", { detail: 'Rate limit reached' }, { kind: 'rate-limit' }],
  ['an error that is a text', { error: 'model is overloaded' }, { kind: 'unavailable' }],
  ['too long a prompt', { error: { message: 'prompt is too long' } }, { kind: 'context-length' }],
  [
    'a label that is none',
    { error: { message: 'Odd', type: 'None', code: 'None' } },
    { kind: 'invalid-response', says: /200: Odd/ },
  ],
  [
    'another API',
    { models: ['exceeds the context window'] },
    { kind: 'invalid-response', says: /expected a chat completion/ },
  ],
];

function minimax(status_code: number, status_msg: string) {
  return { id: 'x', choices: null, base_resp: { status_code, status_msg } };
}

function anthropic(type: string, message: string) {
  return { type: 'error', error: { type, message } };
}

describe('status 200 without an answer is what the body says it is', () => {
  test.each(STATED)('%s', async (_, body, outcome) => {
    server.reply = { body };
    check(await readOutcome('openai-compatible'), outcome);
  });

  test.each<Case>([
    ...everywhere('a web page', () => ({ body: '<!doctype html><title>Maintenance</title>' }), {
      kind: 'invalid-response',
      says: /a web page instead of an API response/,
    }),
    ...everywhere('an error', () => ({ body: { error: { message: 'Busy', code: 503 } } }), {
      kind: 'unavailable',
      says: /answered 200 \(503\): Busy/,
    }),
    [
      'an overload',
      'anthropic',
      { body: anthropic('overloaded_error', 'Overloaded') },
      { kind: 'unavailable' },
    ],
    ['no content', 'anthropic', { body: { type: 'message', content: null } }, { kind: 'invalid-response' }],
    ['a throttle', 'bedrock', { body: { message: 'Rate limit exceeded' } }, { kind: 'rate-limit' }],
  ])('%s: %s', examine);
});

/** Pages of gateways, with the kind of the error if the server has never answered, and if it has. */
const PAGES: readonly (readonly [
  status: number,
  body: string,
  first: ModelErrorKind,
  later: ModelErrorKind,
])[] = [
  [200, '<!doctype html><title>Maintenance</title>', 'invalid-response', 'unavailable'],
  [400, '<html><h1>400 Bad Request</h1></html>', 'bad-request', 'unavailable'],
  [403, '<!DOCTYPE html><title>Just a moment...</title>', 'bad-key', 'unavailable'],
  [404, '<html><h1>404 Not Found</h1></html>', 'unknown-model', 'unavailable'],
  [404, '404 page not found\n', 'unknown-model', 'unavailable'],
  [404, 'default backend - 404', 'unknown-model', 'unavailable'],
  [405, '<html><h1>405 Not Allowed</h1></html>', 'bad-request', 'unavailable'],
  [429, '<html>429 Too Many Requests</html>', 'rate-limit', 'rate-limit'],
  [504, '<html>504 Gateway Time-out</html>', 'timeout', 'timeout'],
  [401, '<html>401 Authorization Required</html>', 'bad-key', 'bad-key'],
  [407, '<html>Proxy Authentication Required</html>', 'bad-key', 'bad-key'],
  [413, '<html>413 Request Entity Too Large</html>', 'bad-request', 'bad-request'],
];

describe('a page after an answer comes from a gateway, and passes', () => {
  const cases = PAGES.flatMap((page) => PROVIDER_NAMES.map((provider) => [provider, ...page] as const));
  test.each(cases)('%s: %s %j', async (provider, status, body, first, later) => {
    const model = openModelAt(PROVIDER_CASES[provider], server.url);
    const isHtml = body.startsWith('<');
    const page = { status, body, headers: isHtml ? {} : { 'content-type': 'text/plain' } };
    const says = isHtml ? 'a web page instead of an API response' : body.trim();
    const message = expect.stringContaining(says);
    server.reply = page;
    await expect(model.ask(requestOf(), UNHURRIED)).rejects.toMatchObject({ kind: first, message });
    server.reply = { body: PROVIDER_CASES[provider].answer('Hi.') };
    await model.ask(requestOf(), UNHURRIED);
    server.reply = page;
    await expect(model.ask(requestOf(), UNHURRIED)).rejects.toMatchObject({ kind: later, message });
  });

  test('it shows nothing about the tokens that a model accepts', async () => {
    const knowledge = createKnowledge({ extraTokens: 16_384 });
    const { spec, environment } = PROVIDER_CASES['openai-compatible'];
    const model = await openModel(parseModelSpec(spec(server.url)), environment(), { knowledge });
    server.reply = { body: PROVIDER_CASES['openai-compatible'].answer('Hi.') };
    await model.ask(requestOf(), UNHURRIED);
    server.reply = { status: 400, body: '<html>400 Bad Request</html>' };
    await expect(model.ask(requestOf(), UNHURRIED)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(server.received).toHaveLength(2);
    expect(knowledge.facts()).toEqual({ extraTokens: 16_384 });
  });

  test('a message of the API with the same status is taken at its word', async () => {
    const model = openModelAt(PROVIDER_CASES.openai, server.url);
    server.reply = { body: PROVIDER_CASES.openai.answer('Hi.') };
    await model.ask(requestOf(), UNHURRIED);
    server.reply = failing(403, { error: { message: 'Project archived.', type: 'permission_error' } });
    await expect(model.ask(requestOf(), UNHURRIED)).rejects.toMatchObject({ kind: 'bad-key' });
  });
});

/** Bodies that never parse. */
const UNREADABLE: readonly {
  readonly name: string;
  readonly body: string | Buffer;
  readonly says: RegExp;
  readonly type?: string;
}[] = [
  { name: 'a raw tab in a text', body: '{"text": "a\tb"}', says: /not valid JSON: Bad control character/ },
  { name: 'NaN', body: '{"logprob": NaN}', says: /not valid JSON: Unexpected token/ },
  {
    name: 'two lines of JSON',
    body: '{"a": 1}\n{"a": 2}',
    says: /not valid JSON: Unexpected non-whitespace/,
  },
  { name: 'an event stream', body: 'data: {"a": 1}\n\ndata: [DONE]\n\n', says: /the server streams/ },
  { name: 'a stream with a comment', body: ': PROCESSING\n\ndata: {}\n\n', says: /the server streams/ },
  { name: 'half of an answer', body: '{"choices": [{"message"', says: /ended in the middle of its JSON/ },
  { name: 'half of a text', body: '{"choices": [{"content": "Hel', says: /ended in the middle of its JSON/ },
  { name: 'nothing', body: '', says: /ended in the middle of its JSON/ },
  { name: 'text', body: 'upstream error', says: /not valid JSON: .*upstream/, type: 'text/plain' },
  { name: 'no UTF-8', body: Buffer.from('{"text": "\xe9t\xe9"}', 'latin1'), says: /not valid utf-8/ },
];

describe('a body that does not parse is named, and not asked for without end', () => {
  test.each(UNREADABLE.flatMap((one) => PROVIDER_NAMES.map((provider) => ({ ...one, provider }))))(
    '$provider: $name',
    async ({ provider, body, says, type = 'application/json' }) => {
      server.reply = raw(body, type);
      check(await readOutcome(provider), { kind: 'invalid-response', says });
    },
  );
});

describe('a body in another encoding is read', () => {
  test.each(PROVIDER_NAMES)('%s: with a byte order mark', async (provider) => {
    server.reply = raw(`\uFEFF${renderAnswer(provider)}`, 'application/json');
    check(await readOutcome(provider), { text: 'Été.' });
  });
  test.each(PROVIDER_NAMES)('%s: in the character set that it declares', async (provider) => {
    server.reply = raw(Buffer.from(renderAnswer(provider), 'latin1'), 'application/json; charset=ISO-8859-1');
    check(await readOutcome(provider), { text: 'Été.' });
  });
});

function renderAnswer(provider: ProviderName): string {
  return JSON.stringify(PROVIDER_CASES[provider].answer('Été.'));
}

describe('usage is read as it is charged', () => {
  const COUNTED = { prompt_tokens: 9_000, completion_tokens: 10, total_tokens: 9_010 };
  const choices = [{ message: { content: 'Hi.' }, finish_reason: 'stop' }];
  test.each([
    ['digits', { prompt_tokens: '12', completion_tokens: '3', total_tokens: '15' }, { input: 12, output: 3 }],
    [
      'a larger total',
      { prompt_tokens: 12, completion_tokens: 3, total_tokens: 90 },
      { input: 12, output: 78 },
    ],
    [
      'a smaller total',
      { prompt_tokens: 12, completion_tokens: 3, total_tokens: 3 },
      { input: 12, output: 3 },
    ],
    ['no count of the answer', { prompt_tokens: 12, total_tokens: 20 }, { input: 12, output: 8 }],
    ['only a total', { total_tokens: 20 }, {}],
    [
      "DeepSeek's cached tokens",
      { ...COUNTED, prompt_cache_hit_tokens: 8_000, prompt_cache_miss_tokens: 1_000 },
      { input: 9_000, output: 10, cachedRead: 8_000 },
    ],
    [
      "Moonshot's cached tokens",
      { ...COUNTED, cached_tokens: 8_000 },
      { input: 9_000, output: 10, cachedRead: 8_000 },
    ],
    [
      'cached tokens in the total only',
      { ...COUNTED, prompt_tokens: 1_000, prompt_tokens_details: { cached_tokens: 8_000 } },
      { input: 9_000, output: 10, cachedRead: 8_000 },
    ],
    [
      'cached tokens in no other count',
      { ...COUNTED, prompt_tokens: 1_000, total_tokens: 1_010, cached_tokens: 8_000 },
      { input: 9_000, output: 10, cachedRead: 8_000 },
    ],
    ['no counts', { prompt_tokens: 'many', completion_tokens: -1, total_tokens: 1.5 }, {}],
  ])('%s', async (_, usage, counted) => {
    server.reply = { body: { choices, usage } };
    const answer = await readOutcome('openai-compatible');
    expect(answer).toHaveProperty('usage', counted);
  });
});

describe('a quota that a minute does not refill is named', () => {
  const reset = Date.now() + 7 * 3_600_000;
  const openRouter = {
    error: {
      message:
        'Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day',
      code: 429,
      metadata: { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(reset) } },
    },
  };
  const quotaId = 'GenerateRequestsPerDayPerProjectPerModel-FreeTier';
  const gemini = {
    error: {
      code: 429,
      message: 'You exceeded your current quota. Quota exceeded for metric: free_tier_requests, limit: 20',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ violations: [{ quotaId }] }, { retryDelay: '36s' }],
    },
  };
  const bedrock = { message: 'Too many tokens per day, please wait before trying again.' };
  const text = JSON.stringify({
    error: { message: 'Account suspended', type: 'exceeded_current_quota_error' },
  });
  const upstream = { error: { message: 'Provider returned error', code: 429, metadata: { raw: text } } };
  const paidPlan = 'You have been rate limited. Please navigate to billing to upgrade to a paid plan.';
  test.each<Case>([
    ...(['openai-compatible', 'openai'] as const).map((provider): Case => [
      'OpenRouter',
      provider,
      failing(429, openRouter),
      {
        kind: 'rate-limit',
        retryAfterMs: 3_600_000,
        says: new RegExp(`reset at ${formatMinute(reset)} UTC`),
      },
    ]),
    [
      'its day',
      'gemini',
      failing(429, gemini),
      { kind: 'rate-limit', retryAfterMs: expect.any(Number), says: /reset at 20/ },
    ],
    [
      'its day',
      'bedrock',
      failing(429, bedrock, { 'x-amzn-errortype': 'ThrottlingException' }),
      { kind: 'rate-limit', retryAfterMs: 3_600_000, says: /does not say when it is reset/ },
    ],
    [
      'a day, with the wait in the header',
      'openai',
      failing(429, { error: { message: 'Limit 200 (RPD).' } }, { 'retry-after': '1800' }),
      { kind: 'rate-limit', retryAfterMs: expect.any(Number), says: /reset at 20/ },
    ],
    [
      'Moonshot, an empty account',
      'openai-compatible',
      failing(429, { error: { type: 'exceeded_current_quota_error', message: 'Recharge.' } }),
      { kind: 'bad-key', says: /billing/ },
    ],
    [
      'Zhipu, an empty account',
      'openai-compatible',
      failing(429, { error: { code: '1113', message: 'Recharge.' } }),
      { kind: 'bad-key', says: /billing/ },
    ],
    [
      'an empty account behind OpenRouter',
      'openai-compatible',
      failing(429, upstream),
      { kind: 'bad-key', says: /Account suspended.*billing/ },
    ],
    [
      'an empty account behind OpenRouter, with status 200',
      'openai-compatible',
      { body: upstream },
      { kind: 'bad-key', says: /billing/ },
    ],
    [
      'a rate limit of its free plan',
      'together',
      failing(429, { error: { message: paidPlan, type: 'credit_limit' } }),
      { kind: 'rate-limit' },
    ],
  ])('%s: %s', examine);
});

function formatMinute(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ');
}

describe('an error says what to change', () => {
  const stream = {
    error: { message: 'Requests with max_tokens > 4096 must have stream=true', param: 'max_tokens' },
  };
  const demand = { message: 'Invocation of model ID x with on-demand throughput isn’t supported.' };
  const wait = { error: { message: 'No deployments available, Try again in 60 seconds. Passed model=x' } };
  test.each<Case>([
    [
      'Fireworks',
      'openai-compatible',
      failing(400, stream),
      { kind: 'bad-request', says: /maxTokens: 4096/ },
    ],
    [
      'an inference profile',
      'bedrock',
      failing(400, demand, { 'x-amzn-errortype': 'ValidationException' }),
      { kind: 'unknown-model', says: /us\., eu\. or global\. before the model id/ },
    ],
    [
      'LiteLLM, a wait',
      'openai-compatible',
      failing(429, wait),
      { kind: 'rate-limit', retryAfterMs: 60_000 },
    ],
    [
      'http to https',
      'openai-compatible',
      failing(400, { error: 'Client sent an HTTP request to an HTTPS server.' }),
      { kind: 'bad-request', says: /write https:/ },
    ],
    [
      'a label that is none',
      'openai',
      failing(400, { error: { message: 'Odd.', type: 'None', code: 'None' } }),
      { kind: 'bad-request', says: /answered 400: Odd\./ },
    ],
  ])('%s: %s', examine);

  const compatible = PROVIDER_CASES['openai-compatible'];
  test.each([
    ['a URL without /v1', () => server.url, /ends with \/v1: write @http:.*\/v1 in the SPEC/],
    ['https to http', () => server.url.replace('http:', 'https:'), /write http:/],
    ['nobody listens', () => `http://${NOBODY}`, /Nothing listens there/],
  ])('%s', async (_, findUrl, says) => {
    server.reply = failing(404, { detail: 'Not Found' });
    const model = await openModel(
      parseModelSpec(`openai-compatible:qwen@${findUrl()}`),
      compatible.environment(),
    );
    await expect(model.ask(requestOf(), UNHURRIED)).rejects.toThrow(says);
  });

  test('a URL with the path that is added to it is refused', () => {
    expect(() => parseModelSpec('openai-compatible:qwen@http://localhost/v1/chat/completions')).toThrow(
      /ends with \/chat\/completions, which cupid adds itself/,
    );
  });
});

/** Further fields of a step as each provider receives them. */
test.each(PROVIDER_NAMES)(
  '%s: further fields of a step are in the request, and only then',
  async (provider) => {
    const asked = openModelAt(PROVIDER_CASES[provider], server.url);
    server.reply = { body: PROVIDER_CASES[provider].answer('Hi.') };
    await asked.ask(requestOf({ body: { chat_template_kwargs: { enable_thinking: false } } }), UNHURRIED);
    await asked.ask(requestOf(), UNHURRIED);
    const [first, second] = server.received.map(({ body }) => JSON.stringify(body));
    expect(first).toContain('"chat_template_kwargs":{"enable_thinking":false}');
    expect(second).not.toContain('chat_template_kwargs');
  },
);

/** Creates a response with exactly these bytes. */
function raw(body: string | Buffer, type: string): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  };
}
