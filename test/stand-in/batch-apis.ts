import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { listen } from '../ports';

/** A request and its sender. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown };

/** A batch that a stand-in received, by the ids of its requests. */
export interface StoredBatch {
  readonly id: string;
  readonly name: string;
  readonly requests: readonly { readonly customId: string; readonly request: unknown }[];
  ended: boolean;
  cancelled: boolean;
}

/**
 * A stand-in for the batches of one provider on this machine; the first request of a batch fails, the others are
 * answered.
 */
export interface BatchStandIn extends AsyncDisposable {
  readonly url: string;
  readonly batches: StoredBatch[];
}

/** Starts Anthropic's message batches. @param answer returns a message for its parameters */
export function startAnthropicBatches(answer: (params: unknown) => unknown): Promise<BatchStandIn> {
  return start((batches) => ({ method, path, body }) => {
    const [, id, action] = /^\/v1\/messages\/batches\/?([^/]*)\/?(.*)$/.exec(path) ?? [];
    const batch = batches.find((one) => one.id === id);
    if (method === 'POST' && id === '') {
      const { requests } = JSON.parse(body);
      const ids = requests.map((one: { custom_id: string }) => one.custom_id);
      if (ids.some((one: string) => !/^[\w-]{1,64}$/.test(one))) return { status: 400, body: {} };
      return {
        body: describeMessageBatch(
          keep(
            batches,
            'msgbatch',
            '',
            requests.map(({ custom_id, params }: never) => [custom_id, params]),
          ),
        ),
      };
    }
    if (method === 'GET' && id === '')
      return { body: { data: batches.toReversed().map(describeMessageBatch), has_more: false } };
    if (batch === undefined)
      return { status: 404, body: { type: 'error', error: { type: 'not_found_error', message: 'none' } } };
    if (action === 'cancel') batch.cancelled = true;
    if (action !== 'results') return { body: describeMessageBatch(batch) };
    const busy = {
      type: 'errored',
      error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    };
    const lines = batch.requests.map(({ customId, request }, at) =>
      JSON.stringify({
        custom_id: customId,
        result: at === 0 ? busy : { type: 'succeeded', message: answer(request) },
      }),
    );
    return { headers: { 'content-type': 'application/x-jsonl' }, body: lines.toReversed().join('\n') };
  });
}

/** Starts Gemini's batches. @param answer returns a response for a request */
export function startGeminiBatches(answer: (request: unknown) => unknown): Promise<BatchStandIn> {
  return start((batches) => ({ method, path, body }) => {
    if (method === 'POST' && path.endsWith(':batchGenerateContent')) {
      const { batch } = JSON.parse(body);
      const requests = batch.inputConfig.requests.requests;
      const kept = requests.map(({ metadata, request }: never) => [Reflect.get(metadata, 'key'), request]);
      return { body: describeOperation(keep(batches, 'b', batch.displayName, kept), answer) };
    }
    if (method === 'GET' && path === '/v1beta/batches')
      return { body: { operations: batches.toReversed().map((one) => describeOperation(one, answer)) } };
    const [, id, action] = /^\/v1beta\/batches\/([^:]*):?(.*)$/.exec(path) ?? [];
    const batch = batches.find((one) => one.id === id);
    if (batch === undefined)
      return { status: 404, body: { error: { code: 404, status: 'NOT_FOUND', message: 'none' } } };
    if (action === 'cancel') batch.cancelled = true;
    return { body: action === 'cancel' ? {} : describeOperation(batch, answer) };
  });
}

/** Starts Together's batches. @param answer returns a chat completion for a body */
export function startTogetherBatches(answer: (body: unknown) => unknown): Promise<BatchStandIn> {
  const files = new Map<string, { name: string; text: string }>();
  const failed = { status_code: 503, body: { error: { message: 'Busy.' } } };
  return start((batches, url) => ({ method, path, query, headers, body }) => {
    const [, kind, id, action] = path.split('/').slice(1);
    if (path.startsWith('/storage/')) {
      if (headers.authorization !== undefined)
        return { status: 400, body: 'The key is not for this address.' };
      const file = files.get(path.slice('/storage/'.length));
      if (method === 'PUT' && file !== undefined) file.text = body;
      return { body: file?.text };
    }
    if (method === 'POST' && kind === 'files') {
      const file = `file-${files.size + 1}`;
      files.set(file, { name: query.get('file_name') ?? '', text: '' });
      return {
        status: 302,
        headers: { location: `${url()}/storage/${file}`, 'x-together-file-id': file },
        body: '',
      };
    }
    if (kind === 'files' && id === undefined) {
      return { body: { data: [...files].map(([one, { name }]) => ({ id: one, filename: name })) } };
    }
    if (kind === 'files' && action === 'content') {
      const batch = batches.find((one) => `${one.id}-out` === id);
      const lines = batch?.requests.map(({ customId, request }, at) => {
        const response = at === 0 ? failed : { status_code: 200, body: answer(request) };
        return JSON.stringify({ custom_id: customId, response });
      });
      const kept = `content-${id}`;
      files.set(kept, { name: '', text: lines?.join('\n') ?? '' });
      return { status: 302, headers: { location: `${url()}/storage/${kept}` }, body: '' };
    }
    if (method === 'POST' && id === undefined) {
      const { input_file_id: file } = JSON.parse(body);
      const lines = (files.get(file)?.text ?? '').split('\n').filter(Boolean);
      const requests = lines.map((line) => JSON.parse(line)).map((one) => [one.custom_id, one.body] as const);
      return { body: { job: describeJob(keep(batches, 'job', file, requests)) } };
    }
    if (id === undefined) return { body: batches.map(describeJob) };
    const batch = batches.find((one) => one.id === id);
    if (batch === undefined) return { status: 404, body: { error: { message: 'none' } } };
    if (action === 'cancel') batch.cancelled = true;
    return { body: describeJob(batch) };
  });
}

/** Starts Bedrock's model invocation jobs and their storage, at one address. @param answer returns Converse's answer to a request */
export function startBedrockBatches(answer: (input: unknown) => unknown): Promise<BatchStandIn> {
  const objects = new Map<string, string>();
  const failed = { errorCode: 503, errorMessage: 'Busy.' };
  return start((batches) => ({ method, path, query, body }) => {
    if (path.startsWith('/bucket/')) {
      if (method === 'PUT') objects.set(path, body);
      const found = objects.get(path);
      return found === undefined ? { status: 404, body: '' } : { body: method === 'PUT' ? '' : found };
    }
    const [, arn, action] = /^\/model-invocation-job\/(.*?)(\/stop)?$/.exec(decodeURIComponent(path)) ?? [];
    if (path === '/model-invocation-jobs') {
      const named = batches.filter(({ name }) => name.includes(query.get('nameContains') ?? ''));
      return { body: { invocationJobSummaries: named.map(describeInvocationJob) } };
    }
    if (path === '/model-invocation-job') {
      const job = JSON.parse(body);
      const same = batches.find(({ name }) => name === job.jobName);
      if (same !== undefined) return { body: { jobArn: describeInvocationJob(same).jobArn } };
      const input: string = job.inputDataConfig.s3InputDataConfig.s3Uri.replace('s3://', '/');
      const lines = (objects.get(input) ?? '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      const requests = lines.map((one) => [one.recordId, one.modelInput] as const);
      const kept = keep(batches, 'job', job.jobName, requests);
      const results = kept.requests.map(({ customId, request }, at) =>
        JSON.stringify({
          recordId: customId,
          ...(at === 0 ? { error: failed } : { modelOutput: answer(request) }),
        }),
      );
      objects.set(input.replace(/[^/]*$/, `${kept.id}/requests.jsonl.out`), results.join('\n'));
      return { body: { jobArn: describeInvocationJob(kept).jobArn } };
    }
    const batch = batches.find((one) => describeInvocationJob(one).jobArn === arn);
    if (batch === undefined) {
      return {
        status: 404,
        headers: { 'x-amzn-errortype': 'ResourceNotFoundException' },
        body: { message: 'none' },
      };
    }
    if (action !== undefined) batch.cancelled = true;
    return { body: action === undefined ? describeInvocationJob(batch) : {} };
  });
}

function describeInvocationJob(one: StoredBatch) {
  return {
    jobArn: `arn:aws:bedrock:us-east-1:1:model-invocation-job/${one.id}`,
    jobName: one.name,
    status: one.cancelled ? 'Stopped' : one.ended ? 'Completed' : 'InProgress',
  };
}

function describeMessageBatch(one: StoredBatch): object {
  const count = one.requests.length;
  return {
    id: one.id,
    type: 'message_batch',
    processing_status: one.ended ? 'ended' : one.cancelled ? 'canceling' : 'in_progress',
    created_at: new Date().toISOString(),
    cancel_initiated_at: one.cancelled ? new Date().toISOString() : null,
    request_counts: one.ended
      ? { processing: 0, succeeded: count - 1, errored: 1, canceled: 0, expired: 0 }
      : { processing: count, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
  };
}

function describeOperation(one: StoredBatch, answer: (request: unknown) => unknown): object {
  return {
    name: `batches/${one.id}`,
    metadata: {
      displayName: one.name,
      state: one.cancelled
        ? 'BATCH_STATE_CANCELLED'
        : one.ended
          ? 'BATCH_STATE_SUCCEEDED'
          : 'BATCH_STATE_RUNNING',
      createTime: new Date().toISOString(),
      ...(one.ended
        ? {
            output: {
              inlinedResponses: {
                inlinedResponses: one.requests.map(({ customId, request }, at) => ({
                  metadata: { key: customId },
                  ...(at === 0
                    ? { error: { code: 8, message: 'Resource exhausted.' } }
                    : { response: answer(request) }),
                })),
              },
            },
          }
        : {}),
    },
  };
}

function describeJob(one: StoredBatch): object {
  return {
    id: one.id,
    input_file_id: one.name,
    status: one.cancelled ? 'CANCELLED' : one.ended ? 'COMPLETED' : 'IN_PROGRESS',
    ...(one.ended ? { output_file_id: `${one.id}-out` } : {}),
  };
}

function keep(
  batches: StoredBatch[],
  prefix: string,
  name: string,
  requests: readonly (readonly [string, unknown])[],
): StoredBatch {
  const batch: StoredBatch = {
    id: `${prefix}-${batches.length + 1}`,
    name,
    requests: requests.map(([customId, request]) => ({ customId, request })),
    ended: false,
    cancelled: false,
  };
  batches.push(batch);
  return batch;
}

async function start(
  handle: (batches: StoredBatch[], url: () => string) => (asked: Asked) => Answer,
): Promise<BatchStandIn> {
  const batches: StoredBatch[] = [];
  const server = createServer((request, response) => void respond(request, response));
  const url = `http://127.0.0.1:${await listen(server)}`;
  const answer = handle(batches, () => url);
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', url);
    const { method = '', headers } = request;
    const said = answer({ method, path, query, headers, body: await textOf(request) });
    const text = typeof said.body === 'string' ? said.body : JSON.stringify(said.body);
    response.writeHead(said.status ?? 200, { 'content-type': 'application/json', ...said.headers });
    response.end(text);
  }
  return {
    url,
    batches,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
