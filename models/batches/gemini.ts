import { JobState, type InlinedRequest } from '@google/genai';
import * as z from 'zod';
import type { ModelSpec } from '../../schemas/model/model-spec';
import { classifyFailure, type Caller } from '../errors/failure';
import { buildCaller, findBaseUrl, requireKey } from '../keys';
import { parseAnswer } from '../parse-answer';
import { buildGeminiRequest, createGeminiClient, parseGeminiAnswer } from '../providers/gemini';
import { createBatchCalls, createEndedState, findOwn, identifyAccount, readResult } from './calls';
import type { BatchApi, BatchResult, BatchState } from './batch';

/**
 * Opens Gemini's batches of requests in the body of the call (at most 20 MB). Their display name is our id.
 * @throws ModelError `bad-key` when neither GOOGLE_API_KEY nor GEMINI_API_KEY is set
 */
export function openBatches(spec: ModelSpec, environment: NodeJS.ProcessEnv): BatchApi {
  const apiKey = requireKey('gemini', environment);
  const client = createGeminiClient(environment);
  const caller = buildCaller('gemini', spec.model, apiKey);
  const call = createBatchCalls(caller);
  const get = async (name: string) =>
    parseJob(await call((abortSignal) => client.batches.get({ name, config: { abortSignal } })));
  return {
    most: { requests: 50_000, bytes: 36_000_000 },
    account: identifyAccount(apiKey, findBaseUrl('gemini', environment)),
    render: (customId, request, parameters) =>
      JSON.stringify({ ...buildGeminiRequest(request, parameters), metadata: { key: customId } }),
    find: ({ id, sentAtMs }) =>
      call(async (abortSignal) =>
        findOwn(await client.batches.list({ config: { pageSize: 100, abortSignal } }), sentAtMs, (job) => {
          const { name, displayName, createTime } = parseJob(job);
          return { id: name, isOwn: displayName === id, createdMs: Date.parse(createTime ?? '') };
        }),
      ),
    async submit({ id, read }) {
      const lines = (await read()).split('\n').filter(Boolean);
      const src = lines.map((line) => requestSchema.parse(JSON.parse(line)));
      const job = await call((abortSignal) =>
        client.batches.create({ model: spec.model, src, config: { displayName: id, abortSignal } }),
      );
      return parseJob(job).name;
    },
    poll: async (name) => readState(caller, await get(name)),
    async *results(name) {
      const { dest } = await get(name);
      for (const result of dest?.inlinedResponses ?? []) yield parseResult(caller, spec.model, result);
    },
    cancel: (name) => call((abortSignal) => client.batches.cancel({ name, config: { abortSignal } })),
  };
}

/** The form that `render` writes. */
const requestSchema = z.custom<InlinedRequest>();

const inlinedSchema = z.object({
  metadata: z.object({ key: z.string() }),
  response: z.unknown().optional(),
  error: z.object({ code: z.number().nullish(), message: z.string().nullish() }).nullish(),
});

const jobSchema = z.object({
  name: z.string().min(1),
  displayName: z.string().optional(),
  state: z.string().optional(),
  createTime: z.string().optional(),
  error: z.object({ message: z.string().nullish() }).nullish(),
  dest: z.object({ inlinedResponses: z.array(inlinedSchema).nullish() }).nullish(),
});
type Job = z.infer<typeof jobSchema>;

function parseJob(job: unknown): Job {
  return parseAnswer(jobSchema, job, 'a batch');
}

function readState(caller: Caller, { state, error }: Job): BatchState {
  const how = ENDS[state ?? ''];
  if (how === undefined) return { state: 'waiting' };
  return createEndedState(caller, how, error?.message ?? undefined);
}

const ENDS: Readonly<Record<string, Extract<BatchState, { state: 'ended' }>['outcome']>> = {
  [JobState.JOB_STATE_SUCCEEDED]: 'completed',
  [JobState.JOB_STATE_PARTIALLY_SUCCEEDED]: 'completed',
  [JobState.JOB_STATE_FAILED]: 'failed',
  [JobState.JOB_STATE_CANCELLED]: 'cancelled',
  [JobState.JOB_STATE_EXPIRED]: 'expired',
};

function parseResult(
  caller: Caller,
  model: string,
  { metadata: { key: customId }, response, error }: z.infer<typeof inlinedSchema>,
): BatchResult {
  if (error === undefined || error === null)
    return readResult(caller, customId, () => parseGeminiAnswer(response, model));
  const status = STATUSES[error.code ?? 0] ?? 500;
  return { customId, error: classifyFailure(caller, { status, labels: [], message: error.message ?? '' }) };
}

/** HTTP status of single requests by gRPC code. */
const STATUSES: Readonly<Record<number, number>> = { 3: 400, 5: 404, 7: 403, 8: 429, 16: 401 };
