import { findDailyQuota } from './daily-quota';
import { isRetryable, type ModelErrorKind } from '../../schemas/model/error-kind';
import { ModelError, type OptionalParameter } from './error';
import { endSentence, quoteSafely } from './redact';
import type { Usage } from '../../schemas/model/usage';

/** The model that was asked, as messages name it, and the secrets that no message may contain. */
export interface Caller {
  /** The model's SPEC, for example `openai:gpt-4o-2024-11-20`. */
  readonly spec: string;
  /** The variables to set if the key is rejected, for example `OPENAI_API_KEY`. */
  readonly keyHint: string;
  /** The keys that were sent. */
  readonly secrets: readonly string[];
}

/** A provider's failure before it is classified. */
export interface ProviderFailure {
  /** The HTTP status, or the one that the failure means; absent without a complete response. */
  readonly status?: number;
  /** The provider's act in a message, if it did not answer with the status, such as `answered 200`. */
  readonly how?: string;
  /** The provider's names for it: codes, types, names of exceptions; for a connection, the system's (`ECONNREFUSED`). */
  readonly labels: readonly string[];
  /** The provider's message, unchanged. */
  readonly message: string;
  /** The parameter named in the failure. */
  readonly param?: string;
  /** Milliseconds that the provider asked to wait. */
  readonly retryAfterMs?: number;
  /** Reset time of the limit that was reached, in milliseconds since 1970. */
  readonly resetAtMs?: number;
  /** Present if the call was charged: the reported tokens, if any. */
  readonly usage?: Usage;
  /** True for a response that is neither an error nor an answer: its text may come from a model. */
  readonly isInvalid?: true;
}

/** Carries a failure out of a provider's SDK, which would keep only a part of it. */
export class WireFailure extends Error {
  override readonly name = 'WireFailure';

  constructor(readonly failure: ProviderFailure) {
    // Fixed text: the SDKs guess from an error's text what happened, and would drop this one.
    super('The provider gave no usable answer.');
  }
}

/** The message of a response that is a page for people. */
export const WEB_PAGE = 'a web page instead of an API response';

/** The act of a provider whose answer with status 200 is or contains a failure. */
export const ANSWERED = 'answered 200';

/**
 * Creates the failure of an answer with status 200 that cannot be used, and is charged.
 * @param status the one that it means
 */
export function createAnswerFailure(
  status: number,
  message: string,
  labels: readonly string[] = [],
): ProviderFailure {
  return { status, labels, message, how: ANSWERED, usage: {} };
}

/** Classifies a failure. Only this turns a provider's words into a ModelErrorKind. */
export function classifyFailure(caller: Caller, failure: ProviderFailure): ModelError {
  const kind = classifyKind(failure);
  const quota = kind === 'rate-limit' ? findDailyQuota(failure, Date.now()) : undefined;
  const text = formatMessage(caller, failure, kind);
  const message = quota === undefined ? text : `${text} This limit is not per minute: ${quota.text}.`;
  const retryAfterMs = isRetryable(kind) ? (quota?.waitMs ?? failure.retryAfterMs) : undefined;
  return new ModelError(kind, message, retryAfterMs, {
    rejected: findRejectedParameter(failure),
    quota: quota?.text,
    usage: failure.usage ?? (kind === 'connection' && !isUnsent(failure) ? {} : undefined),
    isPage: isPage(failure),
  });
}

/**
 * Classifies by rules in order; the first match decides. Words and codes come before the status, because statuses are ambiguous. A prompt that is
 * too long is 400 at OpenAI and 403 at Together; missing credit is 429 or 402.
 */
function classifyKind(failure: ProviderFailure): ModelErrorKind {
  const { status } = failure;
  if (failure.isInvalid === true) return 'invalid-response';
  if (status === undefined) return classifyConnection(failure);
  if (isUnpaid(failure)) return 'bad-key';
  if (isRedirect(status)) return 'bad-request';
  if (FORMS.some(([pattern]) => pattern.test(failure.message))) return 'bad-request';
  if (status === 429 && hasWords(failure, CAPACITY_LABELS, NO_WORDS)) return 'no-capacity';
  if (isLargerThanTheRate(failure)) return 'too-large';
  if (status < 500 && status !== 401 && status !== 429) {
    if (hasWords(failure, REFUSED_LABELS, REFUSED_WORDS)) return 'refused';
    if (hasWords(failure, CONTEXT_LABELS, CONTEXT_WORDS)) return 'context-length';
    // The size of a body says nothing about the context of a model.
    if (status === 413) return 'bad-request';
    if (status === 404 || hasWords(failure, MODEL_LABELS, MODEL_WORDS)) return 'unknown-model';
    if (hasWords(failure, RATE_LABELS, NO_WORDS)) return 'rate-limit';
    if (hasWords(failure, KEY_LABELS, KEY_WORDS)) return 'bad-key';
  }
  // An error with the status of an answer has nothing but its words, and neither has one that a gateway passes on.
  if (status < 300 || PASSED_ON.test(failure.message)) {
    if (RATE_WORDS.test(failure.message)) return 'rate-limit';
    if (OUTAGE_WORDS.test(failure.message)) return 'unavailable';
  }
  if (status < 300 && /try again/i.test(failure.message)) return 'unavailable';
  return classifyStatus(status);
}

/** Returns true for a page whose status says nothing about the request, because a gateway without its server sends any. */
function isPage({ status = 200, message }: ProviderFailure): boolean {
  return (message === WEB_PAGE || PLAIN_PAGE.test(message)) && !REQUEST_STATUSES.has(status);
}

/** The plain texts of Traefik, and of the ingress controller of Kubernetes. */
const PLAIN_PAGE = /^(404 page not found|default backend - 404)\s*$/;

/** Statuses that mean the same in a page: a rejected key, a payment, the access to a proxy, the size of a body. */
const REQUEST_STATUSES: ReadonlySet<number> = new Set([401, 402, 407, 413]);

/** Returns true for a response that redirects the request. */
export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

/** Returns true if the account lacks credit, which waiting does not change, rather than having reached a rate limit. */
export function isUnpaid(failure: ProviderFailure): boolean {
  if (failure.status === 402 || hasWords(failure, UNPAID_LABELS, UNPAID_WORDS)) return true;
  // Gemini: a quota of 0 (a model outside the free tier) also comes with a RetryInfo.
  return failure.status === 429 && /\blimit: 0\b(?!\.)/.test(failure.message);
}

/** Returns true if one request has more tokens than the account may use in a minute (OpenAI and Groq) or a request (GitHub). */
function isLargerThanTheRate(failure: ProviderFailure): boolean {
  return (failure.status === 429 || failure.status === 413) && hasWords(failure, SIZE_LABELS, SIZE_WORDS);
}

function classifyStatus(status: number): ModelErrorKind {
  switch (status) {
    case 401:
    case 403:
    case 407:
      return 'bad-key';
    case 408:
    case 504:
    case 524:
      return 'timeout';
    case 409:
    case 424:
    case 425:
    // Groq: the flex tier is full.
    case 498:
    case 499:
      return 'unavailable';
    case 429:
      return 'rate-limit';
    default:
      if (status < 300) return 'invalid-response';
      return status >= 500 ? 'unavailable' : 'bad-request';
  }
}

function classifyConnection(failure: ProviderFailure): ModelErrorKind {
  if (hasWords(failure, KEY_LABELS, NO_WORDS)) return 'bad-key';
  if (canNeverConnect(failure)) return 'bad-request';
  return hasWords(failure, TIMEOUT_LABELS, NO_WORDS) && !isUnsent(failure) ? 'timeout' : 'connection';
}

/** Returns true if no connection was made, so the provider received nothing to charge for. */
function isUnsent(failure: ProviderFailure): boolean {
  return hasWords(failure, UNSENT_LABELS, UNSENT_WORDS);
}

/** Returns true for a connection that waiting cannot make possible. */
export function canNeverConnect(failure: ProviderFailure): boolean {
  return hasWords(failure, NEVER_CONNECTS, NEVER_CONNECTS_WORDS);
}

function hasWords(failure: ProviderFailure, labels: ReadonlySet<string>, words: RegExp): boolean {
  return failure.labels.some((label) => labels.has(label)) || words.test(failure.message);
}

const NO_WORDS = /^\b$/;

const UNPAID_LABELS = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'billing_error',
  // Moonshot and Zhipu
  'exceeded_current_quota_error',
  '1113',
]);
const UNPAID_WORDS =
  /insufficient balance|credit balance is too low|credit limit exceeded|specified api usage limits/i;

const SIZE_LABELS = new Set(['tokens_limit_reached']);
const SIZE_WORDS = /^request too large\b/i;

/** OpenAI: the flex tier is full, which is not a limit of the account. */
const CAPACITY_LABELS = new Set(['flex_unavailable', 'resource_unavailable']);

const REFUSED_LABELS = new Set([
  'content_filter',
  'content_policy_violation',
  'ResponsibleAIPolicyViolation',
  'PROHIBITED_CONTENT',
  // OpenAI
  'cyber_policy',
  // DashScope
  'data_inspection_failed',
  'DataInspectionFailed',
  // Volcengine, StepFun, New API
  'InputTextSensitiveContentDetected',
  'OutputTextSensitiveContentDetected',
  'censorship_blocked',
  'sensitive_words_detected',
]);
/** The code `invalid_prompt` is in no list: OpenRouter sends it for any malformed request too. */
const REFUSED_WORDS = new RegExp(
  [
    'content (management|filtering|filter) policy',
    'violating our usage policy',
    'blocked by (the |our |a )?(content|safety)',
    // OpenAI
    'limited access to this content for safety reasons',
    // OpenRouter and OpenAI: an account that was flagged is another matter.
    '\\b(input|prompt|request|content) was flagged\\b',
    // xAI
    'content violates usage guidelines',
    // DeepSeek
    'content exists risk',
    // DashScope
    'data may contain inappropriate content',
    // Zhipu
    'unsafe or sensitive content',
    '不安全或敏感内容',
  ].join('|'),
  'i',
);

const CONTEXT_LABELS = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'string_above_max_length',
  // Anthropic: its limit in bytes is far above every context.
  'request_too_large',
]);
const CONTEXT_WORDS = new RegExp(
  [
    'maximum context length',
    'model.{0,3} context (length|window)',
    'exceeds? (the )?(available )?(context (size|length|window|limit)|model context)',
    'prompt is too long',
    'input is too long',
    'too many input tokens',
    'input tokens exceed',
    'input token count.{0,60}exceeds?',
    'exceed context limit',
    'longer than the maximum model length',
    'max_new_tokens.{0,20} must (be|not exceed)',
    // xAI
    'maximum prompt length is',
    // LM Studio
    'loaded with context length of only',
    'greater than the context length',
    // Cohere
    'size limit exceeded by \\d+ tokens',
    // TensorRT-LLM and DeepInfra
    'exceeds? (max_num_tokens|max_seq_len|maximum input length)',
  ].join('|'),
  'i',
);

const MODEL_LABELS = new Set([
  'model_not_found',
  'model_not_available',
  'DeploymentNotFound',
  'ResourceNotFoundException',
]);
const MODEL_WORDS =
  /model identifier is invalid|on-demand throughput isn.t supported|\bmodel\b.{0,120}\b(does not exist|not found|not a valid model)|unable to access (non-serverless )?model/i;

const RATE_LABELS = new Set(['ThrottlingException', 'ServiceQuotaExceededException']);

const RATE_WORDS = /rate.?limit|too many requests/i;
const OUTAGE_WORDS = /overloaded|unavailable|timed out|gateway time-?out/i;
/** OpenRouter's message before that of the provider behind it. */
const PASSED_ON = /^provider returned error\b/i;

const KEY_LABELS = new Set([
  'API_KEY_INVALID',
  'invalid_api_key',
  'authentication_error',
  'CredentialsProviderError',
  'TokenProviderError',
  'ProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'RequestExpired',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'IncompleteSignature',
  'InvalidClientTokenId',
  'NotAuthorized',
]);
const KEY_WORDS = /api key (not valid|expired|not found)|account is not authorized/i;

/** Errors that waiting cannot fix: certificates that do not match, addresses that cannot be used. */
const NEVER_CONNECTS = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_INVALID_URL',
  'EPROTO',
]);
const NEVER_CONNECTS_WORDS = /bad port|unknown scheme|failed to parse url|region is missing/i;

const UNSENT_LABELS = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
/** Node.js begins with the system call; then come errors of TLS, of undici's proxy and of AWS's client. */
const UNSENT_WORDS =
  /^(connect|getaddrinfo) E|before secure TLS connection|certificate|SSL routines|^proxy response|did not establish a connection/i;

const TIMEOUT_LABELS = new Set([
  'ETIMEDOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'TimeoutError',
]);

function formatMessage(caller: Caller, failure: ProviderFailure, kind: ModelErrorKind): string {
  const status = failure.status === undefined ? 'did not answer' : `answered ${failure.status}`;
  const event = failure.how ?? status;
  const labels = failure.labels.length === 0 ? '' : ` (${failure.labels.join(', ')})`;
  const detail = failure.message === '' ? '' : `: ${failure.message}`;
  const quote = quoteSafely(`${labels}${detail}`, caller.secrets);
  return `${caller.spec} ${endSentence(`${event}${quote}`)} ${findRemedy(caller, failure, kind)}`;
}

function findRemedy(caller: Caller, failure: ProviderFailure, kind: ModelErrorKind): string {
  const advice = ADVICE.find(({ says, labels = NO_LABELS }) => hasWords(failure, labels, says));
  if (advice !== undefined) return advice.remedy;
  if (failure.status === 413 && kind === 'bad-request') return PROXY_SIZE_REMEDY;
  if (failure.status === 407) return PROXY_ACCESS_REMEDY;
  const address = /^openai-compatible:.*?(@https?:.*)$/.exec(caller.spec)?.[1];
  if (failure.status === 404 && address !== undefined && !/\/v\d+\w*\/?$/.test(address))
    return `The URL of most servers ends with /v1: write ${address.replace(/\/$/, '')}/v1 in the SPEC.`;
  if (/service_?tier/i.test(`${failure.param} ${failure.message}`)) return TIER_REMEDY;
  if (kind !== 'bad-key') return REMEDIES[kind];
  return isUnpaid(failure)
    ? 'This is a billing problem: add credit, or raise the limit of the account.'
    : `Check ${caller.keyHint}: it is invalid, expired, or has no access to this model.`;
}

const NO_LABELS: ReadonlySet<string> = new Set();

/** Messages of OpenAI and GitHub about a model of another API. */
const NO_CHAT =
  /only supported in v1\/responses|not (supported in|accessible via) the (v1)?\/chat\/completions endpoint/i;

/** Remedies for errors that a provider's message identifies exactly. */
const ADVICE: readonly {
  readonly says: RegExp;
  readonly labels?: ReadonlySet<string>;
  readonly remedy: string;
}[] = [
  {
    says: /max_tokens > 4096 must have stream/i,
    remedy:
      'Set maxTokens: 4096, or less, for the step in --settings: this server streams longer answers only.',
  },
  {
    says: NO_CHAT,
    remedy:
      'If the Responses API does not serve the model either, name another model, or a server that has it.',
  },
  {
    says: /fewer max_tokens/i,
    remedy:
      'The account cannot pay for the longest answer that the step allows: add credit, or set a lower maxTokens for the step in --settings.',
  },
  {
    says: /data policy|settings\/privacy/i,
    remedy:
      'The privacy settings of your account exclude each provider of this model: change them at openrouter.ai/settings/privacy, or name another model.',
  },
  {
    says: /no endpoints found that|no allowed providers/i,
    remedy:
      'The model exists, but none of its providers takes this request: leave out reasoningEffort, or fields of body such as provider, for the step in --settings.',
  },
  {
    says: /organization must be verified/i,
    remedy: "Verify the organization in the provider's settings. It may take some minutes to take effect.",
  },
  {
    says: NO_WORDS,
    labels: new Set(['unsupported_country_region_territory']),
    remedy: 'The provider does not serve the country of your address: use another provider for this model.',
  },
  {
    says: /on-demand throughput isn.t supported/i,
    remedy:
      'Name an inference profile: put us., eu. or global. before the model id, for example bedrock:us.ID.',
  },
  {
    says: NO_WORDS,
    labels: new Set(['ECONNREFUSED']),
    remedy:
      'Nothing listens there: start the server, or correct host and port of its URL. Calls are retried until it answers.',
  },
  {
    says: /wrong version number|packet length too long/i,
    labels: new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO']),
    remedy: 'The server does not speak https: write http:// in its URL.',
  },
  {
    says: /HTTP request (was sent )?to an? HTTPS|plain HTTP request/i,
    remedy: 'The server speaks https: write https:// in its URL.',
  },
  {
    says: NO_WORDS,
    labels: new Set([
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ]),
    remedy: "Set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of the server's authority.",
  },
];

const PROXY_SIZE_REMEDY =
  'A proxy or gateway before the model accepts no request of this size: raise its limit (nginx: client_max_body_size).';

const PROXY_ACCESS_REMEDY =
  'A proxy on the way asks for its own user name and password: add them to the URL of the proxy.';

export const RETRYABLE_ADVICE =
  'This may be temporary. If it continues, check the status of the provider and your network.';

const TIER_REMEDY =
  "This model is not served in that tier. Leave out --tier, or name only models that have the tier, for example --tier 'openai:gpt-6-luna flex'.";

/** Remedies by kind of error. */
export const REMEDIES: Readonly<Record<Exclude<ModelErrorKind, 'bad-key'>, string>> = {
  'rate-limit': 'The call is retried automatically. A lower --rate or --concurrency avoids this.',
  unavailable: RETRYABLE_ADVICE,
  timeout: RETRYABLE_ADVICE,
  connection: RETRYABLE_ADVICE,
  'no-capacity':
    'The call waits for capacity; --tier-fallback 30m sends it in the standard tier after that time.',
  'unknown-model':
    'Check the model name in the SPEC, the base URL, and that your account has access to the model.',
  'too-large':
    'This one request takes more tokens than your account may use in a request or a minute: ask the provider for a higher limit.',
  'context-length':
    'The prompt and the requested output exceed the context of this model: use a model with a larger context.',
  'invalid-response': 'Look at the log of the server, or of the gateway before it.',
  'window-exceeded':
    'Start the server with a larger context window (Ollama: OLLAMA_CONTEXT_LENGTH=32768, llama.cpp: --ctx-size, LM Studio: context length), then retry with cupid retry.',
  refused: 'The provider rejected the content, and would reject the same request again.',
  'bad-request':
    'The request does not fit this model or server: check the SPEC, the base URL and the settings of the step.',
};

/** Returns the rejected parameter if the request can do without it; undefined for any other failure. */
export function findRejectedParameter({
  status,
  param,
  message,
}: {
  readonly status?: number;
  readonly param?: string;
  readonly message: string;
}): OptionalParameter | undefined {
  // llama.cpp reports errors of the chat template with status 500.
  const form = FORMS.find(([pattern]) => pattern.test(message));
  if (form !== undefined) return form[1];
  if (status !== 400 && status !== 422) return undefined;
  // A value out of range is the caller's mistake, although the message names its parameter too.
  const rejectedParam = REJECTS.test(message) ? param : undefined;
  const name =
    rejectedParam ?? NAMING.map((pattern) => pattern.exec(message)?.[1]).find((match) => match !== undefined);
  return name === undefined ? undefined : OPTIONAL.find(([pattern]) => pattern.test(name))?.[1];
}

/** Messages that reject the form of a whole request: of models' chat templates, and of models that another API serves. */
const FORMS: readonly (readonly [RegExp, OptionalParameter])[] = [
  [/roles must alternate|must start with a user/i, 'alternation'],
  [
    /system (role|message|prompt)s? (is |are )?not supported|only user.{0,40}roles are supported.{0,20}system/i,
    'system-role',
  ],
  [NO_CHAT, 'chat-completions'],
];

const REJECTS =
  /unsupported|not support|deprecated|unrecognized|unknown|not permitted|not allowed|extra_forbidden/i;

/** Messages that name a rejected parameter: OpenAI, Anthropic and Bedrock, Gemini, users of pydantic (Anthropic, vLLM). */
const NAMING = [
  /unsupported (?:value|parameter): '([\w.[\]]+)'/i,
  /unrecognized request argument supplied: ([\w.]+)/i,
  /`?\b([\w.]+)`? is deprecated for this model/i,
  /unknown name "([\w.]+)"/i,
  /\b([\w.]+): extra inputs are not permitted/i,
  /extra_forbidden.{0,40}'body', '([\w.]+)'/i,
  // LiteLLM
  /does not support parameters: [[{]'(\w+)'/i,
  /doesn.t support (\w+)=/i,
];

/** By the name in a request's body, at any depth: `messages.0.content.0.cache_control`, `output_config.effort`. */
const OPTIONAL: readonly (readonly [RegExp, OptionalParameter])[] = [
  [/(^|\.)temperature$/, 'temperature'],
  [/(^|\.)seed$/, 'seed'],
  [/(^|\.)(reasoning_?effort|effort|output_?config|thinking_?(config|level))$/i, 'effort'],
  [/prompt_cache_\w+$|cache_?control|cache_?point/i, 'cache'],
  [/^max_tokens$/, 'max_tokens'],
  [/^max_completion_tokens$/, 'max_completion_tokens'],
];
