import type { ModelErrorKind } from '../../../../schemas/model/error-kind';
import {
  catchModelError,
  openModelAt,
  PROVIDER_CASES,
  PROVIDER_NAMES,
  requestOf,
  UNHURRIED,
  type ProviderName,
} from '../providers/providers';
import { ProviderServer, type Reply } from '../providers/provider-server';

/** A rejection as the service sends it. */
type Rejection = readonly [name: string, status: number, body: unknown, more?: More];

interface More {
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfterMs?: number;
  /** How many requests the provider receives; 1 by default. */
  readonly requests?: number;
}

function openAi(code: string | null, message: string, type = 'invalid_request_error') {
  return { error: { message, type, param: null, code } };
}

function openRouter(code: number, message: string, metadata?: object) {
  return { error: { code, message, metadata } };
}

function vllm(code: number, type: string, message: string) {
  return { object: 'error', message, type, param: null, code };
}

function anthropic(message: string, type = 'invalid_request_error') {
  return { type: 'error', error: { type, message }, request_id: 'req_011' };
}

function google(code: number, status: string, message: string, details: readonly object[] = []) {
  return { error: { code, message, status, details } };
}

function retryAfter(seconds: number): More {
  return { headers: { 'retry-after': String(seconds) }, retryAfterMs: seconds * 1000 };
}

function aws(exception: string): More {
  return {
    headers: { 'x-amzn-errortype': `${exception}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  };
}

const INVALID = aws('ValidationException');
const AWAY: More = {
  headers: { ...aws('ServiceUnavailableException').headers, 'retry-after': '9' },
  retryAfterMs: 9000,
};
const MILLISECONDS = { headers: { 'retry-after-ms': '1234', 'retry-after': '2' }, retryAfterMs: 1234 };
const FILTERED = {
  code: 'ResponsibleAIPolicyViolation',
  content_filter_result: { hate: { filtered: true } },
};
const PER_MINUTE = [
  { links: [{ description: 'Learn more', url: 'https://ai.google.dev' }] },
  { violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier', quotaValue: '10' }] },
  { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.074s' },
];
const TOO_MANY_INPUTS =
  'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000 `inputs` tokens';
const TOKENS_REACHED =
  'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.';
const GEMINI_QUOTA =
  'You exceeded your current quota, please check your plan and billing details. Quota exceeded for metric: x, limit: 10.';
const XAI_PERMISSION = 'The caller does not have permission to execute the specified operation';
const STEPFUN =
  '{"error":{"message":"The content you provided or machine outputted is blocked.","type":"censorship_blocked"}}';
const GATEWAY_PAGE = '<html><head><title>504 Gateway Time-out</title></head></html>';

const REJECTIONS: Readonly<
  Partial<Record<ProviderName, Readonly<Partial<Record<ModelErrorKind, readonly Rejection[]>>>>>
> = {
  openai: {
    'rate-limit': [
      ['milliseconds to wait', 429, openAi('rate_limit_exceeded', TOKENS_REACHED, 'tokens'), MILLISECONDS],
      ['seconds to wait', 429, openAi('rate_limit_exceeded', 'Rate limit reached'), retryAfter(20)],
      ['no text', 429, ''],
    ],
    'too-large': [
      [
        'one request larger than a minute’s tokens',
        429,
        openAi('rate_limit_exceeded', 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000'),
        { headers: { 'retry-after': '1' } },
      ],
    ],
    'bad-key': [
      ['an empty purse', 429, openAi('insufficient_quota', 'You exceeded your current quota.')],
      ['a wrong key', 401, openAi('invalid_api_key', 'Incorrect API key provided: sk-opena****cdef.')],
      ['a country', 403, openAi('unsupported_country_region_territory', 'Country not supported')],
    ],
    'unknown-model': [
      ['an unknown model', 404, openAi('model_not_found', 'The model `gpt-9` does not exist.')],
      ['a model the project may not use', 403, openAi('model_not_found', 'No access to model `gpt-4o`')],
    ],
    'context-length': [
      ['too long a prompt', 400, openAi('context_length_exceeded', 'The maximum is 128000 tokens.')],
    ],
    'bad-request': [
      [
        'too many answer tokens',
        400,
        openAi(
          'invalid_value',
          'max_tokens is too large: 99999. This model supports at most 16384 completion tokens.',
        ),
      ],
      [
        'an unsupported parameter',
        400,
        openAi('unsupported_value', "Unsupported value: 'temperature' does not support 0.3 with this model."),
        { requests: 2 },
      ],
    ],
    refused: [
      [
        'a flagged prompt',
        400,
        openAi('invalid_prompt', 'It was flagged as potentially violating our usage policy.'),
      ],
      [
        'a limited subject',
        400,
        openAi('invalid_prompt', "Invalid prompt: we've limited access to this content for safety reasons."),
      ],
      [
        'a flagged subject',
        400,
        openAi(
          'cyber_policy',
          'This content was flagged for possible cybersecurity risk.',
          'invalid_request',
        ),
      ],
      [
        "Azure's filter",
        400,
        { error: { message: 'It triggered the content management policy.', innererror: FILTERED } },
      ],
    ],
    unavailable: [
      ['a lock', 409, openAi(null, 'Try again.', 'conflict')],
      ['a server error', 500, openAi(null, 'The server had an error.', 'server_error')],
      ['an overload that asks to wait', 503, openAi(null, 'Overloaded.', 'service'), retryAfter(7)],
    ],
    timeout: [
      ["a proxy's time-out", 504, GATEWAY_PAGE],
      ['a request time-out', 408, openAi(null, 'Timed out.', 'timeout')],
    ],
  },
  'openai-compatible': {
    'context-length': [
      ['vLLM', 400, vllm(400, 'BadRequestError', "This model's maximum context length is 4096 tokens.")],
      [
        'vLLM, with the answer',
        400,
        openAi(null, "'max_tokens' is too large: 8192. The model's maximum context length is 4096 tokens."),
      ],
      ['llama.cpp', 400, openAi(null, 'exceeds the available context size', 'exceed_context_size_error')],
      ['text-generation-inference', 422, { error: TOO_MANY_INPUTS, error_type: 'validation' }],
      [
        'xAI',
        400,
        {
          code: 'Client specified an invalid argument',
          error: "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
        },
      ],
      [
        'LM Studio',
        400,
        {
          error:
            'Trying to keep the first 14538 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough.',
        },
      ],
      [
        'LM Studio, in other words',
        400,
        { error: 'The number of tokens to keep from the initial prompt is greater than the context length.' },
      ],
      [
        'Cohere',
        400,
        {
          message: 'too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs.',
        },
      ],
      [
        'TensorRT-LLM',
        400,
        vllm(
          400,
          'BadRequestError',
          'The sum of prompt length (72417.0), query length (0) should not exceed max_num_tokens (69632)',
        ),
      ],
      ['TensorRT-LLM, a sequence', 400, vllm(400, 'BadRequestError', 'It exceeds max_seq_len (8192).')],
      [
        'DeepInfra behind OpenRouter',
        400,
        openRouter(400, 'Provider returned error', {
          raw: 'Requested input length 39818 exceeds maximum input length 32767',
        }),
      ],
      ['413 with words', 413, { error: 'prompt is too long' }],
    ],
    'too-large': [
      [
        'GitHub',
        413,
        openAi('tokens_limit_reached', 'Request body too large for gpt-4o model. Max size: 8000 tokens.'),
      ],
    ],
    'unknown-model': [
      ['vLLM', 404, vllm(404, 'NotFoundError', 'The model `qwen` does not exist.')],
      ['Ollama', 404, openAi(null, 'model "qwen" not found, try pulling it first', 'not_found_error')],
      ['FastAPI, a wrong path', 404, { detail: 'Not Found' }],
    ],
    refused: [
      [
        'OpenRouter',
        403,
        openRouter(
          403,
          'openai/gpt-4 requires moderation on OpenAI. Your input was flagged for "violence".',
          {
            reasons: ['violence'],
            flagged_input: 'He drew his',
            provider_name: 'OpenAI',
          },
        ),
      ],
      ['StepFun behind OpenRouter', 451, openRouter(451, 'Provider returned error', { raw: STEPFUN })],
      [
        'xAI',
        403,
        {
          code: XAI_PERMISSION,
          error: 'Content violates usage guidelines. Team: x, Failed check: SAFETY_CHECK_TYPE_BIO',
        },
      ],
      ['DeepSeek', 400, openAi('invalid_request_error', 'Content Exists Risk')],
      ['DeepSeek, an earlier form', 400, { detail: 'Content Exists Risk' }],
      [
        'DashScope',
        400,
        openAi('data_inspection_failed', 'The input was inspected.', 'data_inspection_failed'),
      ],
      [
        'DashScope, with its own code',
        400,
        openAi(
          null,
          '<400> InternalError.Algo.DataInspectionFailed: Input text data may contain inappropriate content.',
        ),
      ],
      ['Volcengine', 400, openAi('InputTextSensitiveContentDetected', 'The request failed.', 'BadRequest')],
      [
        'Zhipu',
        400,
        { error: { code: '1301', message: '系统检测到输入或生成内容可能包含不安全或敏感内容' } },
      ],
      [
        'Zhipu in English',
        400,
        {
          error: {
            code: '1301',
            message: 'System detected potentially unsafe or sensitive content in input.',
          },
        },
      ],
      [
        'New API',
        400,
        openAi('sensitive_words_detected', 'input contains sensitive words: [test]', 'new_api_error'),
      ],
    ],
    'rate-limit': [
      [
        'a rate limit behind OpenRouter',
        400,
        openRouter(400, 'Provider returned error', { raw: 'x is temporarily rate-limited upstream.' }),
      ],
    ],
    'bad-request': [
      [
        'a wrong request behind OpenRouter',
        400,
        openRouter(400, 'Provider returned error', { raw: 'Correct the field n, and try again.' }),
      ],
      [
        'OpenRouter, a malformed prompt',
        400,
        openAi('invalid_prompt', "Missing required parameter: 'model'."),
      ],
    ],
    unavailable: [
      [
        'llama.cpp, still loading',
        503,
        { error: { code: 503, message: 'Loading model', type: 'unavailable' } },
      ],
      ['Groq, a full tier', 498, openAi('capacity_exceeded', 'Flex tier capacity exceeded')],
      [
        'an overload behind OpenRouter',
        400,
        openRouter(400, 'Provider returned error', {
          raw: '{"error":{"message":"The server is overloaded or not ready yet."}}',
        }),
      ],
      [
        'an outage behind OpenRouter, as text',
        400,
        openRouter(400, 'Provider returned error', { raw: 'Service Unavailable' }),
      ],
    ],
    'bad-key': [
      ['a missing key', 401, { error: 'Unauthorized' }],
      ['xAI, a permission', 403, { code: XAI_PERMISSION, error: 'Your team has no access to this model.' }],
      ['OpenRouter, an account', 403, openRouter(403, 'Your account was flagged. Contact support.')],
    ],
  },
  together: {
    'rate-limit': [
      ['a rate limit', 429, openAi('rate_limit_exceeded', 'You have been rate limited.'), retryAfter(3)],
    ],
    'bad-key': [
      ['an empty purse', 402, openAi(null, 'Credit limit exceeded, navigate to billing.', 'credit_limit')],
      ['a wrong key', 401, { id: 'nX', ...openAi('invalid_api_key', 'Invalid API key provided.') }],
    ],
    'unknown-model': [
      ['no such model', 404, { id: 'nX', ...openAi('model_not_available', 'Unable to access model x.') }],
      ['not serverless', 400, openAi('model_not_available', 'Unable to access non-serverless model x.')],
    ],
    'context-length': [
      ['too long a prompt', 422, openAi(null, TOO_MANY_INPUTS)],
      [
        'the status of a rejected key',
        403,
        openAi(null, "This model's maximum context length is 8192 tokens."),
      ],
    ],
    unavailable: [['an overload', 503, openAi(null, 'The server is overloaded.', 'service_unavailable')]],
    timeout: [["Cloudflare's time-out", 524, 'error code: 524']],
  },
  anthropic: {
    'rate-limit': [
      ['a rate limit', 429, anthropic('This request would exceed it.', 'rate_limit_error'), retryAfter(11)],
    ],
    unavailable: [
      ['an overload', 529, anthropic('Overloaded', 'overloaded_error')],
      ['a server error', 500, anthropic('Internal server error', 'api_error')],
    ],
    'bad-key': [
      ['a wrong key', 401, anthropic('invalid x-api-key', 'authentication_error')],
      ['an empty purse', 400, anthropic('Your credit balance is too low to access the Anthropic API.')],
      ['a permission', 403, anthropic('Your API key does not have permission.', 'permission_error')],
    ],
    'unknown-model': [['an unknown model', 404, anthropic('model: claude-9', 'not_found_error')]],
    'context-length': [
      ['too long a prompt', 400, anthropic('prompt is too long: 213008 tokens > 200000 maximum')],
      [
        'too many in all',
        400,
        anthropic('input length and `max_tokens` exceed context limit: 195000 + 8192'),
      ],
      ['too large a request', 413, anthropic('Request exceeds the maximum size', 'request_too_large')],
    ],
    refused: [['a blocked output', 400, anthropic('Output blocked by content filtering policy')]],
    'bad-request': [
      ['a parameter', 400, anthropic('`temperature` is deprecated for this model.'), { requests: 2 }],
    ],
  },
  gemini: {
    'rate-limit': [
      [
        'with the delay in the body',
        429,
        google(429, 'RESOURCE_EXHAUSTED', GEMINI_QUOTA, PER_MINUTE),
        { retryAfterMs: 34_074 },
      ],
    ],
    'bad-key': [
      [
        'a quota of nothing',
        429,
        google(
          429,
          'RESOURCE_EXHAUSTED',
          'Quota exceeded for metric: free_tier, limit: 0, model: gemini-2.5',
          [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12s' }],
        ),
      ],
      [
        'a wrong key',
        400,
        google(400, 'INVALID_ARGUMENT', 'Pass a valid API key.', [{ reason: 'API_KEY_INVALID' }]),
      ],
      ['a permission', 403, google(403, 'PERMISSION_DENIED', "Method doesn't allow unregistered callers.")],
    ],
    'unknown-model': [['an unknown model', 404, google(404, 'NOT_FOUND', 'models/gemini-9 is not found.')]],
    'context-length': [
      [
        'too long a prompt',
        400,
        google(
          400,
          'INVALID_ARGUMENT',
          'The input token count (1200000) exceeds the maximum number of tokens.',
        ),
      ],
    ],
    'bad-request': [['a bad argument', 400, google(400, 'INVALID_ARGUMENT', 'It has a temperature of 3.')]],
    unavailable: [
      ['an overload', 503, google(503, 'UNAVAILABLE', 'The model is overloaded.')],
      ['an internal error, in an array', 500, [google(500, 'INTERNAL', 'An internal error has occurred.')]],
      ["a proxy's page", 502, '<html>Bad Gateway</html>'],
    ],
    timeout: [['a deadline', 504, google(504, 'DEADLINE_EXCEEDED', 'The request timed out.')]],
  },
  bedrock: {
    'rate-limit': [
      ['a rate limit', 429, { message: 'Too many requests, please wait.' }, aws('ThrottlingException')],
      ['a quota', 400, { message: 'It exceeds the quota.' }, aws('ServiceQuotaExceededException')],
      ['a model not ready', 429, { message: 'Model is not ready.' }, aws('ModelNotReadyException')],
    ],
    timeout: [['a slow model', 408, { message: 'It took too long.' }, aws('ModelTimeoutException')]],
    unavailable: [
      ['a model that failed', 424, { message: 'The request failed.' }, aws('ModelErrorException')],
      ['a service that is away', 503, { message: 'Bedrock is unable.' }, AWAY],
      ['a server error', 500, { message: 'Oops.' }, aws('InternalServerException')],
      ["a proxy's page", 502, '<html>Bad Gateway</html>'],
    ],
    'bad-key': [
      ['a token that expired', 403, { message: 'The token is expired' }, aws('ExpiredTokenException')],
      ['a permission', 403, { message: "You don't have access." }, aws('AccessDeniedException')],
    ],
    'unknown-model': [
      ['an invalid model id', 400, { message: 'The provided model identifier is invalid.' }, INVALID],
      ['no inference profile', 400, { message: 'x with on-demand throughput isn’t supported.' }, INVALID],
      ['an unknown profile', 404, { message: 'Could not resolve it.' }, aws('ResourceNotFoundException')],
    ],
    'context-length': [
      ['too long a prompt', 400, { message: 'Input is too long for requested model.' }, INVALID],
    ],
    'bad-request': [['a bad argument', 400, { message: 'The temperature must be at most 1.' }, INVALID]],
  },
};

const server = ProviderServer.inEachTest();

const ROWS = PROVIDER_NAMES.flatMap((provider) =>
  Object.entries(REJECTIONS[provider] ?? {}).flatMap(([kind, rejections]) =>
    rejections.map(([name, status, body, more = {}]) => ({ provider, kind, name, status, body, ...more })),
  ),
);

function askWith(provider: ProviderName, reply: Reply) {
  server.reply = reply;
  return catchModelError(openModelAt(PROVIDER_CASES[provider], server.url).ask(requestOf(), UNHURRIED));
}

test.each(ROWS)('$provider: $kind, $name', async ({ provider, kind, ...row }) => {
  const { status, body, headers = {}, retryAfterMs, requests = 1 } = row;
  const error = await askWith(provider, { status, body, headers });
  expect({ kind: error.kind, retryAfterMs: error.retryAfterMs }).toEqual({ kind, retryAfterMs });
  expect(error.message).toMatch(new RegExp(`^${provider}:.*${status}`, 's'));
  // One request, whatever the status, because Temporal retries. Only a rejected parameter leads to a second one.
  expect(server.received).toHaveLength(requests);
});

test.each(ROWS.filter(({ name }) => name === 'an empty purse' || name === 'a quota of nothing'))(
  '$provider: $name says that it is about billing and does not pass',
  async ({ provider, status, body }) => {
    const error = await askWith(provider, { status, body });
    expect(error.message).toMatch(/billing/);
    expect(error.isRetryable).toBe(false);
  },
);

/** Who is at fault, and what to do: parts of what the provider says, with what the message advises. */
test.each<[string, ProviderName, Reply, ModelErrorKind, RegExp]>([
  [
    'OpenRouter: more credit, or a shorter answer',
    'openai-compatible',
    {
      status: 402,
      body: {
        error: {
          code: 402,
          message:
            'This request requires more credits, or fewer max_tokens. You requested up to 16384 tokens, but can only afford 3919.',
        },
      },
    },
    'bad-key',
    /add credit, or set a lower maxTokens for the step in --settings/,
  ],
  [
    'OpenRouter: parameters that no provider takes',
    'openai-compatible',
    {
      status: 404,
      body: { error: { code: 404, message: 'No endpoints found that can handle the requested parameters.' } },
    },
    'unknown-model',
    /The model exists, but none of its providers takes this request: leave out reasoningEffort/,
  ],
  ...[
    'No endpoints found matching your data policy (Paid model training). Configure: https://openrouter.ai/settings/privacy',
    'No endpoints available matching your guardrail restrictions and data policy. Configure: https://openrouter.ai/settings/privacy',
  ].map((message): [string, ProviderName, Reply, ModelErrorKind, RegExp] => [
    'OpenRouter: a privacy setting',
    'openai-compatible',
    { status: 404, body: { error: { code: 404, message } } },
    'unknown-model',
    /change them at openrouter\.ai\/settings\/privacy/,
  ]),
  [
    'OpenRouter: an unknown model',
    'openai-compatible',
    { status: 404, body: { error: { code: 404, message: 'No endpoints found for qwen/qwen9.' } } },
    'unknown-model',
    /Check the model name in the SPEC/,
  ],
  [
    'OpenAI: an organization that has not shown who it is',
    'openai',
    {
      status: 403,
      body: openAi('model_not_found', 'Your organization must be verified to use the model `gpt-9`.'),
    },
    'unknown-model',
    /Verify the organization/,
  ],
  [
    'OpenAI: a country',
    'openai',
    { status: 403, body: openAi('unsupported_country_region_territory', 'Country not supported') },
    'bad-key',
    /does not serve the country of your address/,
  ],
  ...[
    '<html><h1>413 Request Entity Too Large</h1></html>',
    'Payload Too Large',
    '',
    { error: { message: 'request entity too large', type: 'entity.too.large' } },
  ].map((body): [string, ProviderName, Reply, ModelErrorKind, RegExp] => [
    `a proxy: a body that is too large, ${JSON.stringify(body)}`,
    'openai-compatible',
    { status: 413, body, headers: typeof body === 'string' ? { 'content-type': 'text/plain' } : {} },
    'bad-request',
    /answered 413.*nginx: client_max_body_size/,
  ]),
  [
    'a proxy that asks for a password',
    'anthropic',
    { status: 407, body: '<html>Proxy Authentication Required</html>' },
    'bad-key',
    /user name and password: add them to the URL of the proxy/,
  ],
  [
    'a gateway that answers 200',
    'openai-compatible',
    { body: { error: { message: 'Bad value', type: 'invalid_request_error' } } },
    'bad-request',
    /answered 200 \(invalid_request_error\): Bad value/,
  ],
  [
    'a server that takes the answer for reasoning',
    'openai-compatible',
    {
      body: {
        choices: [{ message: { content: '', reasoning_content: 'The answer.' }, finish_reason: 'stop' }],
      },
    },
    'bad-request',
    /answered 200: the answer is complete, but content is empty/,
  ],
])('%s', async (_, provider, reply, kind, advice) => {
  const error = await askWith(provider, reply);
  expect(error).toMatchObject({ kind, message: expect.stringMatching(advice) });
  expect(error.message).not.toMatch(/tried three times/);
});

test('a rejected key names the variable to set', async () => {
  const { message } = await askWith('openai', { status: 401, body: openAi('invalid_api_key', 'No.') });
  expect(message).toContain('OPENAI_API_KEY');
});
