import * as z from 'zod';
import type { ModelSpec } from '../../schemas/model/model-spec';
import { parseStream } from '../call';
import { ModelError } from '../errors/error';
import { classifyFailure, type Caller } from '../errors/failure';
import { findStatedFailure } from '../errors/failure-body';
import { fetchStream, readBodyLines } from '../http';
import { buildCaller, findBaseUrl, requireKey } from '../keys';
import { parseAnswer } from '../parse-answer';
import { buildAnthropicRequest, createAnthropicClient, parseAnthropicAnswer } from '../providers/anthropic';
import { runWithoutEnvironment } from '../providers/sdk-environment';
import { createBatchCalls, identifyAccount, readResult } from './calls';
import type { BatchApi, BatchResult, BatchState, SentBatch } from './batch';

/**
 * Opens Anthropic's message batches. They have no name of ours; only the ids of requests, visible in results, identify them.
 * @throws ModelError `bad-key` when ANTHROPIC_API_KEY is missing
 */
export function openBatches(spec: ModelSpec, environment: NodeJS.ProcessEnv): BatchApi {
  const apiKey = requireKey('anthropic', environment);
  const client = createAnthropicClient(environment);
  const streaming = runWithoutEnvironment(() => client.withOptions({ fetch: fetchStream }));
  const caller = buildCaller('anthropic', spec.model, apiKey);
  const call = createBatchCalls(caller);
  const get = async (id: string) =>
    parseBatch(await call((signal) => client.messages.batches.retrieve(id, {}, { signal })));
  const readResults = async (id: string): Promise<AsyncGenerator<BatchResult>> => {
    const path = `/v1/messages/batches/${encodeURIComponent(id)}/results`;
    const content = await call((signal) => streaming.get(path, { signal }).asResponse());
    return parseStream(caller, readBodyLines(content), (line) => parseResult(caller, spec.model, line));
  };
  return {
    most: { requests: 100_000, bytes: 256_000_000 },
    account: identifyAccount(apiKey, findBaseUrl('anthropic', environment)),
    render: (customId, request, parameters) => {
      const { headers, body } = buildAnthropicRequest(spec.model, request, parameters);
      return JSON.stringify({ custom_id: customId, params: body, headers });
    },
    async find(batch) {
      const candidates = await call((signal) =>
        listCandidates(batch, client.messages.batches.list({ limit: 100 }, { signal })),
      );
      const ids: string[] = [];
      for (const { id, processing_status: status } of candidates) {
        const isOwn =
          id === batch.providerId ||
          (status === 'ended' && (await hasResultsOf(batch, await readResults(id))));
        if (isOwn) ids.unshift(id);
      }
      const isUndecided = candidates.some(({ processing_status: status }) => status !== 'ended');
      if (ids.length === 0 && isUndecided) throw createUndecidedError(caller, batch);
      return ids;
    },
    async submit({ read }) {
      const lines = (await read()).split('\n').filter(Boolean);
      const requests = lines.map((line) => requestSchema.parse(JSON.parse(line)));
      // All requests of a batch have the same headers, because they belong to one step.
      const headers = requests[0]?.headers ?? {};
      const body = { requests: requests.map(({ custom_id, params }) => ({ custom_id, params })) };
      const path = '/v1/messages/batches';
      return parseBatch(await call((signal) => client.post(path, { body, headers, signal }))).id;
    },
    poll: async (id) => readState(await get(id)),
    async *results(id) {
      yield* await readResults(id);
    },
    cancel: (id) => call((signal) => client.messages.batches.cancel(id, {}, { signal })),
  };
}

const batchSchema = z.object({
  id: z.string().min(1),
  processing_status: z.string(),
  created_at: z.iso.datetime({ offset: true }),
  cancel_initiated_at: z.string().nullish(),
  request_counts: z.object({
    processing: z.number(),
    succeeded: z.number(),
    errored: z.number(),
    canceled: z.number(),
    expired: z.number(),
  }),
});
type MessageBatch = z.infer<typeof batchSchema>;

function parseBatch(batch: unknown): MessageBatch {
  return parseAnswer(batchSchema, batch, 'a message batch');
}

function readState({
  processing_status: status,
  cancel_initiated_at: cancelledAt,
  request_counts: { succeeded, errored, expired },
}: MessageBatch): BatchState {
  if (status === 'ended') {
    if (typeof cancelledAt === 'string') return { state: 'ended', outcome: 'cancelled' };
    return { state: 'ended', outcome: expired > 0 ? 'expired' : 'completed' };
  }
  // The counts are 0 until a batch has ended.
  const answers = succeeded + errored;
  return { state: 'waiting', ...(answers === 0 ? {} : { answers }) };
}

/** Returns the batches that may be ours: of the same size, and created after it was sent. */
async function listCandidates(
  { requests, sentAtMs }: SentBatch,
  batches: AsyncIterable<unknown>,
): Promise<MessageBatch[]> {
  const candidates: MessageBatch[] = [];
  // The latest come first.
  for await (const item of batches) {
    const batch = parseBatch(item);
    if (Date.parse(batch.created_at) < sentAtMs - CLOCKS_APART_MS) break;
    const size = Object.values(batch.request_counts).reduce((sum, count) => sum + count, 0);
    if (size === requests) candidates.push(batch);
  }
  return candidates;
}

const CLOCKS_APART_MS = 5 * 60_000;

async function hasResultsOf({ id }: SentBatch, results: AsyncIterable<BatchResult>): Promise<boolean> {
  for await (const { customId } of results) return customId.startsWith(`${id}-`);
  return false;
}

function createUndecidedError({ spec }: Caller, { id }: SentBatch): ModelError {
  return new ModelError(
    'unavailable',
    `It is not known yet whether batch ${id} to ${spec} arrived before the last command was killed. This can be seen once a batch of the same size has ended.`,
    UNDECIDED_MS,
  );
}

const UNDECIDED_MS = 60_000;

const requestSchema = z.object({
  custom_id: z.string(),
  params: z.record(z.string(), z.unknown()),
  headers: z.record(z.string(), z.string()),
});

const resultSchema = z.object({
  custom_id: z.string(),
  result: z.discriminatedUnion('type', [
    z.object({ type: z.literal('succeeded'), message: z.unknown() }),
    z.object({ type: z.literal('errored'), error: z.unknown() }),
    z.object({ type: z.literal('canceled') }),
    z.object({ type: z.literal('expired') }),
  ]),
});

function parseResult(caller: Caller, model: string, line: string): BatchResult {
  const { custom_id: customId, result } = parseAnswer(resultSchema, JSON.parse(line), 'a line of results');
  if (result.type === 'succeeded')
    return readResult(caller, customId, () => parseAnthropicAnswer(result.message, model));
  if (result.type === 'errored') return { customId, error: classifyError(caller, result.error) };
  const message = `${caller.spec} did not answer a request: its batch ${result.type === 'expired' ? 'expired' : 'was cancelled'}.`;
  return { customId, error: new ModelError('unavailable', message) };
}

function classifyError(caller: Caller, error: unknown): ModelError {
  const message = `an error: ${JSON.stringify(error)}`;
  const failure = findStatedFailure(error) ?? { status: 500, labels: [], message };
  return classifyFailure(caller, { ...failure, how: 'failed a request of a batch' });
}
