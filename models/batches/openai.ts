import { toFile } from 'openai';
import * as z from 'zod';
import type { ModelSpec } from '../../schemas/model/model-spec';
import type { Caller } from '../errors/failure';
import { fetchStream } from '../http';
import { buildCaller, findBaseUrl, findValue, requireKey } from '../keys';
import { parseAnswer } from '../parse-answer';
import { parseChatAnswer } from '../providers/chat-completions';
import { buildOpenAiBody, createOpenAiClient } from '../providers/openai';
import { buildResponsesBody, parseResponsesAnswer } from '../providers/responses';
import { runWithoutEnvironment } from '../providers/sdk-environment';
import { createBatchCalls, createEndedState, findOwn, identifyAccount } from './calls';
import type { BatchApi, BatchState } from './batch';
import { readEndpoint, readResults, renderRequest, RESPONSES_ENDPOINT } from './chat-file';
import { formatCount } from '../../schemas/text/count-text';

/**
 * Opens OpenAI's batches: a file is uploaded, and the batch created from it has our id in its metadata.
 * @throws ModelError `bad-key` when OPENAI_API_KEY is missing
 */
export function openBatches(spec: ModelSpec, environment: NodeJS.ProcessEnv): BatchApi {
  const apiKey = requireKey('openai', environment);
  const client = createOpenAiClient(environment);
  const streaming = runWithoutEnvironment(() => client.withOptions({ fetch: fetchStream }));
  const caller = buildCaller('openai', spec.model, apiKey);
  const call = createBatchCalls(caller);
  const get = async (id: string) =>
    parseBatch(await call((signal) => client.batches.retrieve(id, { signal })));
  const readFile = (file: string) => call((signal) => streaming.files.content(file, { signal }));
  return {
    most: { requests: 50_000, bytes: 200_000_000 },
    account: identifyAccount(
      apiKey,
      findBaseUrl('openai', environment),
      findValue(environment, 'OPENAI_ORG_ID'),
      findValue(environment, 'OPENAI_PROJECT_ID'),
    ),
    render: (customId, request, parameters) =>
      parameters.api === 'responses'
        ? renderRequest(customId, buildResponsesBody(spec.model, request, parameters), RESPONSES_ENDPOINT)
        : renderRequest(customId, buildOpenAiBody(spec.model, request, parameters)),
    find: ({ id, sentAtMs }) =>
      call((signal) =>
        findOwn(client.batches.list({ limit: 100 }, { signal }), sentAtMs, (item) => {
          const { id: batch, metadata, created_at: created } = parseBatch(item);
          return { id: batch, isOwn: metadata?.[METADATA] === id, createdMs: created * 1_000 };
        }),
      ),
    async submit({ id, read }) {
      const lines = await read();
      const content = await toFile(Buffer.from(lines), `${id}.jsonl`);
      const file = await call((signal) =>
        client.files.create({ file: content, purpose: 'batch' }, { signal }),
      );
      const batch = await call((signal) =>
        client.batches.create(
          {
            input_file_id: file.id,
            endpoint: readEndpoint(lines),
            completion_window: '24h',
            metadata: { [METADATA]: id },
          },
          { signal },
        ),
      );
      return parseBatch(batch).id;
    },
    poll: async (id) => readState(caller, await get(id)),
    async *results(id) {
      const batch = await get(id);
      const parse = batch.endpoint === RESPONSES_ENDPOINT ? parseResponsesAnswer : parseChatAnswer;
      yield* readResults(caller, spec.model, batch, readFile, parse);
    },
    cancel: (id) => call((signal) => client.batches.cancel(id, { signal })),
  };
}

/** The metadata key for our id. */
const METADATA = 'cupid_batch';

const batchSchema = z.object({
  id: z.string().min(1),
  endpoint: z.string().optional(),
  status: z.string(),
  created_at: z.number(),
  metadata: z.record(z.string(), z.string()).nullish().catch(undefined),
  output_file_id: z.string().nullish(),
  error_file_id: z.string().nullish(),
  request_counts: z.object({ completed: z.number(), failed: z.number() }).nullish().catch(undefined),
  errors: z
    .object({
      data: z.array(z.object({ code: z.string().nullish(), message: z.string().nullish() })).nullish(),
    })
    .nullish()
    .catch(undefined),
});

function parseBatch(batch: unknown): z.infer<typeof batchSchema> {
  return parseAnswer(batchSchema, batch, 'a batch');
}

function readState(
  caller: Caller,
  { status, request_counts: counts, errors }: z.infer<typeof batchSchema>,
): BatchState {
  if (status === 'completed' || status === 'expired' || status === 'cancelled') {
    return { state: 'ended', outcome: status };
  }
  if (status !== 'failed') {
    return { state: 'waiting', ...(counts ? { answers: counts.completed + counts.failed } : {}) };
  }
  const problems = errors?.data ?? [];
  const messages = problems.slice(0, 3).map((problem) => problem.message ?? problem.code ?? '');
  const hiddenCount = problems.length - messages.length;
  const message = [
    ...messages,
    ...(hiddenCount > 0 ? [`${formatCount(hiddenCount, 'problem')} more.`] : []),
  ].join(' ');
  const labels = problems.flatMap(({ code }) => code ?? []);
  const how = labels.includes('token_limit_exceeded') ? 'full' : 'failed';
  return createEndedState(caller, how, message, [...new Set(labels)]);
}
