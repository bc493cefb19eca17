import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import type { ModelSpec } from '../../schemas/model/model-spec';
import { omitUndefined } from '../../schemas/omit-undefined';
import { parseAnswer, joinText, readWithUsage, sumInputTokens, tokenCountSchema } from '../parse-answer';
import { createSend, findWireFailure } from '../call';
import { readFinish } from '../finish';
import { cutAtPrefixEnds } from './cache-marks';
import { isRedirect, WireFailure, type ProviderFailure } from '../errors/failure';
import { describeNetworkError, describeRedirect, requireJson } from '../http';
import { decodeText, type HeaderSource } from '../exchange';
import { buildCaller, findBaseUrl, findKey, findRegion, findValue } from '../keys';
import type { CacheHint, ModelAnswer, ModelRequest } from '../model';
import { ensureUserOpening } from '../opening';
import type { Send, SentParameters } from '../parameters';
import {
  findJsonProblem,
  findStatedFailure,
  parseHttpFailure,
  parseRetryAfterMs,
} from '../errors/failure-body';

// The SDK would write its warning about Node.js 22 over the progress display. The README mentions it instead.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

/** Maximum calls in flight per process. Above the SDK's own limit of 50 sockets, calls would wait unnoticed. */
const MAX_SOCKETS = 1000;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens Bedrock's Converse, for model ids, inference profiles (`us.…`) and ARNs. It accepts no seed. Credentials come from a Bedrock API key or
 * the AWS default chain. The region comes from AWS_REGION, AWS_DEFAULT_REGION or the shared config file.
 */
export function open(spec: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Send {
  const sockets = { maxSockets: MAX_SOCKETS, keepAlive: true };
  const { settings, caller } = readBedrockAccess(spec, environment);
  const client = new BedrockRuntimeClient({
    ...settings,
    maxAttempts: 1,
    requestHandler: new WholeAnswerHandler({
      httpAgent: sockets,
      httpsAgent: sockets,
      connectionTimeout: CONNECT_TIMEOUT_MS,
    }),
    ...omitUndefined({ endpoint: findBaseUrl('bedrock', environment) }),
  });
  const ask: Send = async (request, parameters, abortSignal) => {
    const command = new ConverseCommand(buildConverseInput(spec.model, request, parameters));
    return parseConverseAnswer(await client.send(command, { abortSignal }), spec.model);
  };
  return createSend(caller, timeoutMs, ask, findBedrockFailure);
}

/** Reads region, credentials and caller for AWS's clients. */
export function readBedrockAccess(spec: ModelSpec, environment: NodeJS.ProcessEnv) {
  const token = findKey('bedrock', environment);
  const keys = findStaticCredentials(environment);
  const place = { region: findRegion(environment), profile: findValue(environment, 'AWS_PROFILE') };
  /** A Bedrock API key is left out, because it opens Bedrock only. */
  const storageSettings = omitUndefined({ ...place, credentials: keys });
  const bearer = token && { token: { token }, authSchemePreference: ['httpBearerAuth'] };
  return {
    settings: bearer ? { ...omitUndefined(place), ...bearer } : storageSettings,
    storageSettings,
    caller: buildCaller('bedrock', spec.model, token, ...Object.values(keys ?? {})),
  };
}

/** Returns true if the AWS default chain finds credentials. This takes a request, for the role of an instance or container. */
export async function hasCredentials(): Promise<boolean> {
  const client = new BedrockRuntimeClient({ region: 'us-east-1' });
  try {
    await client.config.credentials();
    return true;
  } catch {
    return false;
  } finally {
    client.destroy();
  }
}

/** Finds keys in the environment, unless a profile is named, which the default chain prefers. */
function findStaticCredentials(environment: NodeJS.ProcessEnv) {
  const accessKeyId = findValue(environment, 'AWS_ACCESS_KEY_ID');
  const secretAccessKey = findValue(environment, 'AWS_SECRET_ACCESS_KEY');
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  if (findValue(environment, 'AWS_PROFILE') !== undefined) return undefined;
  return {
    accessKeyId,
    secretAccessKey,
    ...omitUndefined({ sessionToken: findValue(environment, 'AWS_SESSION_TOKEN') }),
  };
}

export function buildConverseInput(
  modelId: string,
  request: ModelRequest,
  { temperature, tokenLimit, thinkingBudget, effort, tier, caching, cache }: SentParameters,
) {
  // Models without support for cache points reject the request.
  const marks = caching === 'marked' ? cache : undefined;
  const messages = ensureUserOpening(request.messages);
  const inserted = messages.length - request.messages.length;
  return {
    modelId,
    messages: messages.map(({ role, content }, at) => ({
      role,
      content: buildBlocks(at - inserted, content, marks),
    })),
    ...(request.system === '' ? {} : { system: buildBlocks('system', request.system, marks) }),
    inferenceConfig: { maxTokens: tokenLimit, ...omitUndefined({ temperature }) },
    ...(thinkingBudget === undefined && request.body === undefined
      ? {}
      : {
          additionalModelRequestFields: {
            ...(thinkingBudget === undefined
              ? {}
              : { thinking: { type: 'enabled', budget_tokens: thinkingBudget } }),
            ...request.body,
          },
        }),
    ...(effort === undefined ? {} : { outputConfig: { effort } }),
    ...(tier === undefined ? {} : { serviceTier: { type: tier } }),
  };
}

const CACHE_POINT = { cachePoint: { type: 'default' } } as const;

/** Returns a text in one block, or in several with a cache point after each shared prefix. */
function buildBlocks(message: number | 'system', text: string, cache: CacheHint | undefined) {
  const pieces = cutAtPrefixEnds(message, text, cache);
  if (pieces.length === 0) return [{ text }];
  return pieces.flatMap((piece) => [{ text: piece.text }, ...(piece.marked ? [CACHE_POINT] : [])]);
}

export function parseConverseAnswer(response: unknown, askedModel: string): ModelAnswer {
  const { output, stopReason, usage, trace, serviceTier } = parseAnswer(
    converseSchema,
    response,
    'an answer of Converse',
  );
  const text = joinText(output.message.content.map((block) => block.text));
  const hasReasoning = output.message.content.some(({ reasoningContent }) => reasoningContent !== undefined);
  const tokens = omitUndefined({
    input: sumInputTokens(usage?.inputTokens, usage?.cacheReadInputTokens, usage?.cacheWriteInputTokens),
    output: usage?.outputTokens,
    cachedRead: usage?.cacheReadInputTokens,
    cachedWrite: usage?.cacheWriteInputTokens,
  });
  return readWithUsage(tokens, () => ({
    text,
    ...readFinish(stopReason, text, hasReasoning),
    model: trace?.promptRouter?.invokedModelId ?? askedModel,
    ...omitUndefined({ tier: serviceTier?.type }),
  }));
}

const converseSchema = z.object({
  output: z.object({
    message: z.object({
      content: z.array(z.object({ text: z.string().optional(), reasoningContent: z.unknown().optional() })),
    }),
  }),
  stopReason: z.string().optional(),
  serviceTier: z
    .object({ type: z.enum(['flex', 'priority']) })
    .optional()
    .catch(undefined),
  usage: z
    .object({
      inputTokens: tokenCountSchema,
      outputTokens: tokenCountSchema,
      cacheReadInputTokens: tokenCountSchema,
      cacheWriteInputTokens: tokenCountSchema,
    })
    .optional()
    .catch(undefined),
  /** Names the model only if a prompt router chose it. */
  trace: z
    .object({ promptRouter: z.object({ invokedModelId: z.string().min(1).optional() }).optional() })
    .optional()
    .catch(undefined),
});

/** Reads the whole response, so that connection errors are classified here; the SDK would hide them. */
class WholeAnswerHandler extends NodeHttpHandler {
  override async handle(...[request, options]: Parameters<NodeHttpHandler['handle']>) {
    try {
      const { response } = await super.handle(request, options);
      if (isRedirect(response.statusCode)) {
        throw new WireFailure(describeRedirect(response.statusCode, response.headers['location'] ?? null));
      }
      const bytes = await buffer(response.body);
      const headers = { get: (name: string) => response.headers[name] ?? null };
      response.body =
        response.statusCode < 300
          ? readConverseBody(bytes, headers)
          : readErrorBody(bytes, headers, response.statusCode);
      return { response };
    } catch (error) {
      if (options?.abortSignal?.aborted === true || error instanceof WireFailure) throw error;
      throw new WireFailure(describeNetworkError(error));
    }
  }
}

/** Reads a response body, and throws a gateway's error with status 200, which the SDK would drop. */
function readConverseBody(bytes: Buffer, headers: HeaderSource): Buffer {
  const text = decodeText(bytes, headers);
  requireJson(text, headers);
  const failure = findStatedFailure(JSON.parse(text.body));
  if (failure !== undefined) throw new WireFailure(failure);
  return Buffer.from(text.body);
}

/** Returns the body of an error, and throws that of a gateway, of which the SDK would only report that it is not JSON. */
function readErrorBody(bytes: Buffer, headers: HeaderSource, status: number): Buffer {
  const { body } = decodeText(bytes, headers);
  if (headers.get('x-amzn-errortype') === null && findJsonProblem(headers, body) !== undefined)
    throw new WireFailure(parseHttpFailure(status, headers, body));
  return bytes;
}

/** Reads a failure from the AWS SDK's errors: the service's exceptions by name and status, and those of the credential chain. */
export function findBedrockFailure(error: unknown): ProviderFailure | undefined {
  const wire = findWireFailure(error);
  if (wire !== undefined) return wire;
  const { name = '', message = '', $metadata, $response } = sdkErrorSchema.parse(error);
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  if (status === undefined) return classifyEarlyFailure(name, message);
  const headers = $response?.headers ?? {};
  const retryAfterMs = parseRetryAfterMs({ get: (header) => headers[header] ?? null });
  return omitUndefined({ status, labels: [name], message, retryAfterMs });
}

function classifyEarlyFailure(name: string, message: string): ProviderFailure | undefined {
  if (/^(Credentials|Token|)ProviderError$/.test(name)) return { labels: [name], message };
  return message.startsWith('Region is missing')
    ? { labels: [], message: 'Region is missing: set AWS_REGION' }
    : undefined;
}

const sdkErrorSchema = z
  .object({
    name: z.string().optional(),
    message: z.string().optional(),
    $metadata: z.object({ httpStatusCode: z.number().optional() }).optional(),
    $response: z
      .object({ statusCode: z.number(), headers: z.record(z.string(), z.string()).catch({}) })
      .optional()
      .catch(undefined),
  })
  .catch({});
