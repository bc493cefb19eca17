import type { ModelErrorKind } from '../../../../models/errors/error';
import {
  catchModelError,
  openModelAt,
  PROVIDER_CASES,
  PROVIDER_NAMES,
  requestOf,
  UNHURRIED,
  type ProviderName,
} from '../providers/providers';
import { ProviderServer } from '../providers/provider-server';

/** A rejection as the service sends it. */
interface Refusal {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly kind: ModelErrorKind;
  readonly retryAfterMs?: number;
  /** How many requests the provider receives; 1 by default. */
  readonly requests?: number;
}

function openAi(code: string | null, message: string, type = 'invalid_request_error') {
  return { error: { message, type, param: null, code } };
}

function anthropic(type: string, message: string) {
  return { type: 'error', error: { type, message }, request_id: 'req_011' };
}

function google(code: number, status: string, message: string, details: readonly unknown[] = []) {
  return { error: { code, message, status, details } };
}

function aws(exception: string, message: string) {
  return {
    headers: { 'x-amzn-errortype': `${exception}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
    body: { message },
  };
}

const REFUSALS: Readonly<Partial<Record<ProviderName, Readonly<Record<string, Refusal>>>>> = {
  openai: {
    'a rate limit, with milliseconds to wait': {
      status: 429,
      headers: { 'retry-after-ms': '1234', 'retry-after': '2' },
      body: openAi(
        'rate_limit_exceeded',
        'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.',
        'tokens',
      ),
      kind: 'rate-limit',
      retryAfterMs: 1234,
    },
    'a rate limit, with seconds to wait': {
      status: 429,
      headers: { 'retry-after': '20' },
      body: openAi('rate_limit_exceeded', 'Rate limit reached for requests', 'requests'),
      kind: 'rate-limit',
      retryAfterMs: 20_000,
    },
    'a rate limit that says nothing': { status: 429, body: '', kind: 'rate-limit' },
    'one request larger than a minute’s tokens': {
      status: 429,
      headers: { 'retry-after': '1' },
      body: openAi(
        'rate_limit_exceeded',
        'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 43000.',
        'tokens',
      ),
      kind: 'too-large',
    },
    'an empty purse': {
      status: 429,
      body: openAi(
        'insufficient_quota',
        'You exceeded your current quota, please check your plan and billing details.',
        'insufficient_quota',
      ),
      kind: 'bad-key',
    },
    'a wrong key': {
      status: 401,
      body: openAi('invalid_api_key', 'Incorrect API key provided: sk-opena**************cdef.'),
      kind: 'bad-key',
    },
    'a country': {
      status: 403,
      body: openAi(
        'unsupported_country_region_territory',
        'Country, region, or territory not supported',
        'request_forbidden',
      ),
      kind: 'bad-key',
    },
    'an unknown model': {
      status: 404,
      body: openAi('model_not_found', 'The model `gpt-9` does not exist or you do not have access to it.'),
      kind: 'unknown-model',
    },
    'a model the project may not use': {
      status: 403,
      body: openAi('model_not_found', 'Project `proj_x` does not have access to model `gpt-4o`'),
      kind: 'unknown-model',
    },
    'too long a prompt': {
      status: 400,
      body: openAi(
        'context_length_exceeded',
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130011 tokens.",
      ),
      kind: 'context-length',
    },
    'too many answer tokens': {
      status: 400,
      body: openAi(
        'invalid_value',
        'max_tokens is too large: 99999. This model supports at most 16384 completion tokens, whereas you provided 99999.',
      ),
      kind: 'bad-request',
    },
    'a flagged prompt': {
      status: 400,
      body: openAi(
        'invalid_prompt',
        'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
      ),
      kind: 'refused',
    },
    "Azure's filter": {
      status: 400,
      body: {
        error: {
          message:
            "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
          innererror: {
            code: 'ResponsibleAIPolicyViolation',
            content_filter_result: { hate: { filtered: true } },
          },
        },
      },
      kind: 'refused',
    },
    'an unsupported parameter': {
      status: 400,
      body: openAi(
        'unsupported_value',
        "Unsupported value: 'temperature' does not support 0.3 with this model.",
      ),
      kind: 'bad-request',
      requests: 2,
    },
    'a lock': { status: 409, body: openAi(null, 'Try again.', 'conflict'), kind: 'unavailable' },
    'a server error': {
      status: 500,
      body: openAi(null, 'The server had an error while processing your request.', 'server_error'),
      kind: 'unavailable',
    },
    'an overload that asks to wait': {
      status: 503,
      headers: { 'retry-after': '7' },
      body: openAi(null, 'Overloaded.', 'service_unavailable'),
      kind: 'unavailable',
      retryAfterMs: 7000,
    },
    "a proxy's time-out": {
      status: 504,
      body: '<html><head><title>504 Gateway Time-out</title></head></html>',
      kind: 'timeout',
    },
    'a request time-out': { status: 408, body: openAi(null, 'Timed out.', 'timeout'), kind: 'timeout' },
  },
  'openai-compatible': {
    'vLLM, too long a prompt': {
      status: 400,
      body: {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.",
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
      kind: 'context-length',
    },
    'vLLM, too many tokens in all': {
      status: 400,
      body: openAi(
        null,
        "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 4096 tokens and your request has 20 input tokens.",
        'BadRequestError',
      ),
      kind: 'context-length',
    },
    'vLLM, an unknown model': {
      status: 404,
      body: {
        object: 'error',
        message: 'The model `qwen` does not exist.',
        type: 'NotFoundError',
        param: null,
        code: 404,
      },
      kind: 'unknown-model',
    },
    'llama.cpp, too long a prompt': {
      status: 400,
      body: {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 9000,
          n_ctx: 4096,
        },
      },
      kind: 'context-length',
    },
    'llama.cpp, still loading': {
      status: 503,
      body: { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
      kind: 'unavailable',
    },
    'Ollama, an unknown model': {
      status: 404,
      body: openAi(null, 'model "qwen" not found, try pulling it first', 'not_found_error'),
      kind: 'unknown-model',
    },
    'text-generation-inference, too long a prompt': {
      status: 422,
      body: {
        error:
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000 `inputs` tokens and 2048 `max_new_tokens`',
        error_type: 'validation',
      },
      kind: 'context-length',
    },
    'FastAPI, a wrong path': { status: 404, body: { detail: 'Not Found' }, kind: 'unknown-model' },
    'a missing key': { status: 401, body: { error: 'Unauthorized' }, kind: 'bad-key' },
  },
  together: {
    'a rate limit': {
      status: 429,
      headers: { 'retry-after': '3' },
      body: openAi('rate_limit_exceeded', 'You have been rate limited.', 'rate_limit'),
      kind: 'rate-limit',
      retryAfterMs: 3000,
    },
    'an empty purse': {
      status: 402,
      body: openAi(null, 'Credit limit exceeded, please navigate to your billing page.', 'credit_limit'),
      kind: 'bad-key',
    },
    'a wrong key': {
      status: 401,
      body: { id: 'nX', ...openAi('invalid_api_key', 'Invalid API key provided.') },
      kind: 'bad-key',
    },
    'an unknown model': {
      status: 404,
      body: {
        id: 'nX',
        ...openAi(
          'model_not_available',
          'Unable to access model x. Please visit the list of supported models.',
        ),
      },
      kind: 'unknown-model',
    },
    'a model that is not serverless': {
      status: 400,
      body: openAi('model_not_available', 'Unable to access non-serverless model x.'),
      kind: 'unknown-model',
    },
    'too long a prompt': {
      status: 422,
      body: openAi(
        null,
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8000 `inputs` tokens and 2048 `max_new_tokens`',
      ),
      kind: 'context-length',
    },
    'too long a prompt, by the status of a refused key': {
      status: 403,
      body: openAi(null, "This model's maximum context length is 8192 tokens."),
      kind: 'context-length',
    },
    'an overload': {
      status: 503,
      body: openAi(null, 'The server is overloaded or not ready yet.', 'service_unavailable'),
      kind: 'unavailable',
    },
    "Cloudflare's time-out": { status: 524, body: 'error code: 524', kind: 'timeout' },
  },
  anthropic: {
    'a rate limit': {
      status: 429,
      headers: { 'retry-after': '11' },
      body: anthropic(
        'rate_limit_error',
        'This request would exceed your organization’s rate limit of 40,000 input tokens per minute.',
      ),
      kind: 'rate-limit',
      retryAfterMs: 11_000,
    },
    'an overload': { status: 529, body: anthropic('overloaded_error', 'Overloaded'), kind: 'unavailable' },
    'a wrong key': {
      status: 401,
      body: anthropic('authentication_error', 'invalid x-api-key'),
      kind: 'bad-key',
    },
    'an empty purse': {
      status: 400,
      body: anthropic('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
      kind: 'bad-key',
    },
    'a permission': {
      status: 403,
      body: anthropic(
        'permission_error',
        'Your API key does not have permission to use the specified resource.',
      ),
      kind: 'bad-key',
    },
    'an unknown model': {
      status: 404,
      body: anthropic('not_found_error', 'model: claude-9'),
      kind: 'unknown-model',
    },
    'too long a prompt': {
      status: 400,
      body: anthropic('invalid_request_error', 'prompt is too long: 213008 tokens > 200000 maximum'),
      kind: 'context-length',
    },
    'too many tokens in all': {
      status: 400,
      body: anthropic(
        'invalid_request_error',
        'input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease input length or `max_tokens` and try again',
      ),
      kind: 'context-length',
    },
    'too large a request': {
      status: 413,
      body: anthropic('request_too_large', 'Request exceeds the maximum size'),
      kind: 'context-length',
    },
    'a blocked output': {
      status: 400,
      body: anthropic('invalid_request_error', 'Output blocked by content filtering policy'),
      kind: 'refused',
    },
    'a refused parameter': {
      status: 400,
      body: anthropic('invalid_request_error', '`temperature` is deprecated for this model.'),
      kind: 'bad-request',
      requests: 2,
    },
    'a server error': {
      status: 500,
      body: anthropic('api_error', 'Internal server error'),
      kind: 'unavailable',
    },
  },
  gemini: {
    'a rate limit, with the delay in the body': {
      status: 429,
      body: google(
        429,
        'RESOURCE_EXHAUSTED',
        'You exceeded your current quota, please check your plan and billing details. Quota exceeded for metric: generate_content_free_tier_requests, limit: 10. Please retry in 34.07s.',
        [
          {
            '@type': 'type.googleapis.com/google.rpc.Help',
            links: [{ description: 'Learn more', url: 'https://ai.google.dev' }],
          },
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [
              { quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier', quotaValue: '10' },
            ],
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.074s' },
        ],
      ),
      kind: 'rate-limit',
      retryAfterMs: 34_074,
    },
    'a quota of nothing': {
      status: 429,
      body: google(
        429,
        'RESOURCE_EXHAUSTED',
        'You exceeded your current quota. Quota exceeded for metric: generate_content_free_tier_requests, limit: 0, model: gemini-2.5-pro',
        [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12s' }],
      ),
      kind: 'bad-key',
    },
    'a wrong key': {
      status: 400,
      body: google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'API_KEY_INVALID',
          domain: 'googleapis.com',
        },
      ]),
      kind: 'bad-key',
    },
    'a permission': {
      status: 403,
      body: google(403, 'PERMISSION_DENIED', "Method doesn't allow unregistered callers."),
      kind: 'bad-key',
    },
    'an unknown model': {
      status: 404,
      body: google(
        404,
        'NOT_FOUND',
        'models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.',
      ),
      kind: 'unknown-model',
    },
    'too long a prompt': {
      status: 400,
      body: google(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      ),
      kind: 'context-length',
    },
    'a bad argument': {
      status: 400,
      body: google(
        400,
        'INVALID_ARGUMENT',
        'Unable to submit request because it has a temperature value of 3.',
      ),
      kind: 'bad-request',
    },
    'an overload': {
      status: 503,
      body: google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
      kind: 'unavailable',
    },
    'a deadline': {
      status: 504,
      body: google(504, 'DEADLINE_EXCEEDED', 'The request timed out.'),
      kind: 'timeout',
    },
    'an internal error, wrapped in an array': {
      status: 500,
      body: [google(500, 'INTERNAL', 'An internal error has occurred.')],
      kind: 'unavailable',
    },
    "a proxy's page": { status: 502, body: '<html>Bad Gateway</html>', kind: 'unavailable' },
  },
  bedrock: {
    'a rate limit': {
      status: 429,
      ...aws('ThrottlingException', 'Too many requests, please wait before trying again.'),
      kind: 'rate-limit',
    },
    'a quota of the account': {
      status: 400,
      ...aws('ServiceQuotaExceededException', 'Your request exceeds the service quota for your account.'),
      kind: 'rate-limit',
    },
    'a model not ready': {
      status: 429,
      ...aws('ModelNotReadyException', 'Model is not ready.'),
      kind: 'rate-limit',
    },
    'a model that took too long': {
      status: 408,
      ...aws('ModelTimeoutException', 'The model took too long.'),
      kind: 'timeout',
    },
    'a model that failed': {
      status: 424,
      ...aws('ModelErrorException', 'The request failed due to an error while processing the model.'),
      kind: 'unavailable',
    },
    'a service that is away': {
      status: 503,
      headers: { ...aws('ServiceUnavailableException', '').headers, 'retry-after': '9' },
      body: { message: 'Bedrock is unable to process your request.' },
      kind: 'unavailable',
      retryAfterMs: 9000,
    },
    'a server error': { status: 500, ...aws('InternalServerException', 'Oops.'), kind: 'unavailable' },
    'a token that expired': {
      status: 403,
      ...aws('ExpiredTokenException', 'The security token included in the request is expired'),
      kind: 'bad-key',
    },
    'a permission': {
      status: 403,
      ...aws('AccessDeniedException', "You don't have access to the model with the specified model ID."),
      kind: 'bad-key',
    },
    'an invalid model id': {
      status: 400,
      ...aws('ValidationException', 'The provided model identifier is invalid.'),
      kind: 'unknown-model',
    },
    'a model that wants an inference profile': {
      status: 400,
      ...aws(
        'ValidationException',
        'Invocation of model ID anthropic.claude-x with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
      ),
      kind: 'unknown-model',
    },
    'an unknown profile': {
      status: 404,
      ...aws('ResourceNotFoundException', 'Could not resolve the inference profile.'),
      kind: 'unknown-model',
    },
    'too long a prompt': {
      status: 400,
      ...aws('ValidationException', 'Input is too long for requested model.'),
      kind: 'context-length',
    },
    'a bad argument': {
      status: 400,
      ...aws(
        'ValidationException',
        'The value at inferenceConfig.temperature must be less than or equal to 1.',
      ),
      kind: 'bad-request',
    },
    "a proxy's page": { status: 502, body: '<html>Bad Gateway</html>', kind: 'unavailable' },
  },
};

const server = ProviderServer.inEachTest();

const ROWS = PROVIDER_NAMES.flatMap((provider) =>
  Object.entries(REFUSALS[provider] ?? {}).map(([name, refusal]) => ({
    provider,
    name,
    refusal,
    kind: refusal.kind,
  })),
);

test.each(ROWS)('$provider: $name is $kind', async ({ provider, refusal }) => {
  const { status, body, headers } = refusal;
  server.reply = { status, body, ...(headers === undefined ? {} : { headers }) };

  const error = await catchModelError(
    openModelAt(PROVIDER_CASES[provider], server.url).ask(requestOf(), UNHURRIED),
  );

  expect(error.kind).toBe(refusal.kind);
  expect(error.retryAfterMs).toBe(refusal.retryAfterMs);
  expect(error.message).toMatch(new RegExp(`^${provider}:`));
  expect(error.message).toContain(String(status));
  // One request, whatever the status, because Temporal retries. Only a rejected parameter leads to a second one.
  expect(server.received).toHaveLength(refusal.requests ?? 1);
});

const BILLING = [
  ['openai', 'an empty purse'],
  ['together', 'an empty purse'],
  ['anthropic', 'an empty purse'],
  ['gemini', 'a quota of nothing'],
] as const;

test.each(BILLING)('%s: %s says that it is about billing and does not pass', async (provider, name) => {
  const refusal = REFUSALS[provider]?.[name];
  server.reply = { status: refusal?.status ?? 0, body: refusal?.body };

  const error = await catchModelError(
    openModelAt(PROVIDER_CASES[provider], server.url).ask(requestOf(), UNHURRIED),
  );
  expect(error.message).toMatch(/billing/);
  expect(error.isRetryable).toBe(false);
});

test('a refused key names the variable to set', async () => {
  server.reply = { status: 401, body: openAi('invalid_api_key', 'Incorrect API key.') };

  const { message } = await catchModelError(
    openModelAt(PROVIDER_CASES.openai, server.url).ask(requestOf(), UNHURRIED),
  );
  expect(message).toContain('OPENAI_API_KEY');
});
