import * as z from 'zod';
import type { ModelSpec } from '../../schemas/model/model-spec';
import { WireFailure, type Caller } from '../errors/failure';
import { parseHttpFailure } from '../errors/failure-body';
import { exchangeOrFail, fetchStored, fetchStream } from '../http';
import { buildCaller, findBaseUrl, requireKey } from '../keys';
import { parseAnswer } from '../parse-answer';
import { buildChatBody } from '../providers/chat-completions';
import { runWithoutEnvironment } from '../providers/sdk-environment';
import { createTogetherClient } from '../providers/together';
import { createBatchCalls, createEndedState, identifyAccount } from './calls';
import type { BatchApi, BatchState } from './batch';
import { CHAT_ENDPOINT, readResults, renderRequest } from './chat-file';

/**
 * Opens Together's batches: a file named by our id is uploaded, and a batch created from it.
 * @throws ModelError `bad-key` when TOGETHER_API_KEY is missing
 */
export function openBatches(spec: ModelSpec, environment: NodeJS.ProcessEnv): BatchApi {
  const apiKey = requireKey('together', environment);
  const client = createTogetherClient(environment);
  const streaming = runWithoutEnvironment(() => client.withOptions({ fetch: fetchStored }));
  const caller = buildCaller('together', spec.model, apiKey);
  const call = createBatchCalls(caller);
  const get = async (id: string) => parseJob(await call((signal) => client.batches.retrieve(id, { signal })));
  const readFile = (file: string) => call((signal) => streaming.files.content(file, { signal }));
  return {
    most: { requests: 50_000, bytes: 100_000_000 },
    account: identifyAccount(apiKey, findBaseUrl('together', environment)),
    render: (customId, request, parameters) =>
      renderRequest(customId, buildChatBody(spec.model, request, parameters)),
    async find({ id }) {
      const files = parseAnswer(
        filesSchema,
        await call((signal) => client.files.list({ signal })),
        'files',
      ).data;
      const fileIds = new Set(
        files.filter(({ filename }) => filename === buildRequestFileName(id)).map((file) => file.id),
      );
      if (fileIds.size === 0) return [];
      const jobs = await call((signal) => client.batches.list({ signal }));
      return jobs
        .map(parseJob)
        .filter(({ input_file_id: file }) => fileIds.has(file ?? ''))
        .toSorted((a, b) => Date.parse(a.created_at ?? '') - Date.parse(b.created_at ?? '') || 0)
        .map((job) => job.id);
    },
    async submit({ id, read }) {
      const file = await upload(client.baseURL, apiKey, buildRequestFileName(id), await read(), call);
      const created = await call((signal) =>
        client.batches.create(
          { input_file_id: file, endpoint: CHAT_ENDPOINT, completion_window: '24h' },
          { signal },
        ),
      );
      return parseJob(created.job).id;
    },
    poll: async (id) => readState(caller, await get(id)),
    async *results(id) {
      yield* readResults(caller, spec.model, await get(id), readFile);
    },
    cancel: (id) => call((signal) => client.batches.cancel(id, { signal })),
  };
}

function buildRequestFileName(id: string): string {
  return `${id}.jsonl`;
}

/**
 * Uploads a file in the SDK's steps, because the SDK only reads from disk and ignores the base URL. Together returns the address for the file,
 * which is sent there without the key. Returns the file's id.
 */
async function upload(
  baseUrl: string,
  apiKey: string,
  name: string,
  text: string,
  call: <T>(send: (signal: AbortSignal) => Promise<T>) => Promise<T>,
): Promise<string> {
  const query = new URLSearchParams({ file_name: name, file_type: 'jsonl', purpose: 'batch-api' });
  return call(async (signal) => {
    const response = await exchangeOrFail(`${baseUrl.replace(/\/$/, '')}/files?${query.toString()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Bearer ${apiKey}` },
      body: query.toString(),
      signal,
    });
    const [address, file] = [response.headers.get('location'), response.headers.get('x-together-file-id')];
    if (response.status !== 302 || address === null || file === null) {
      throw new WireFailure(parseHttpFailure(response.status, response.headers, response.body));
    }
    await fetchStream(address, { method: 'PUT', body: text, signal });
    return file;
  });
}

const filesSchema = z.object({ data: z.array(z.object({ id: z.string(), filename: z.string().nullish() })) });

const jobSchema = z.object({
  id: z.string().min(1),
  status: z.string().optional(),
  error: z.string().nullish(),
  created_at: z.string().nullish(),
  input_file_id: z.string().nullish(),
  output_file_id: z.string().nullish(),
  error_file_id: z.string().nullish(),
});

function parseJob(job: unknown): z.infer<typeof jobSchema> {
  return parseAnswer(jobSchema, job, 'a batch');
}

function readState(caller: Caller, { status, error }: z.infer<typeof jobSchema>): BatchState {
  const how = ENDS[status ?? ''];
  if (how === undefined) return { state: 'waiting' };
  return createEndedState(caller, how, error ? error : undefined);
}

const ENDS: Readonly<Record<string, Extract<BatchState, { state: 'ended' }>['outcome']>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  EXPIRED: 'expired',
  CANCELLED: 'cancelled',
};
