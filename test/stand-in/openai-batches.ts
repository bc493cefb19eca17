import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';

/** A batch, as the stand-in keeps it. */
export interface ReceivedBatch {
  readonly id: string;
  readonly key: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly endpoint: Endpoint;
  readonly requests: readonly z.infer<typeof requestSchema>[];
  status: 'in_progress' | 'completed' | 'expired' | 'cancelled' | 'failed';
  /** Number of requests for its state. */
  polls: number;
}

/** OpenAI's batches: files, batches made of them, and their results in files, all visible only to the key that made them. */
export class BatchQueue {
  readonly received: ReceivedBatch[] = [];
  /** While true, batches are accepted, but the answer is lost. */
  swallowsAnswers = false;
  /** While true, batches are made, but the answer is a server error. */
  failsAfterwards = false;
  /** Number of further lists without any batch; counts down. */
  emptyLists = 0;
  /** While true, batches do not end. */
  isSlow = false;
  /** Lines of results that are sent before the connection stalls; absent: all. */
  linesSent: number | undefined;
  /** Returns the fault of a batch: its requests without an answer, and the reason. Absent: all are answered. */
  faults: ((batch: number) => BatchFault | undefined) | undefined;
  /** Error for a batch, which is then not accepted; absent: it is accepted. */
  refusal: { readonly status: number; readonly error: object } | undefined;
  readonly #files = new Map<string, { readonly key: string; readonly name: string; readonly text: string }>();

  constructor(private readonly complete: (body: string, endpoint: Endpoint) => Promise<object>) {}

  /** Responds to a request; false for one to another API. */
  async respond(request: IncomingMessage, response: ServerResponse, body: string): Promise<boolean> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stand-in');
    const [, , kind, id, action] = pathname.split('/');
    if (kind !== 'files' && kind !== 'batches') return false;
    const key = request.headers.authorization ?? '';
    const call = `${request.method} ${kind}${id === undefined ? '' : '/id'}${action === undefined ? '' : `/${action}`}`;
    if (call === 'POST files') send(response, await this.#upload(request, key, body));
    else if (call === 'GET files/id/content') await this.#download(response, key, id ?? '');
    else if (call === 'POST batches') await this.#create(response, key, body);
    else if (call === 'GET batches') send(response, this.#list(key, searchParams));
    else if (call === 'GET batches/id') this.#show(response, key, id ?? '');
    else if (call === 'POST batches/id/cancel') this.#show(response, key, id ?? '', 'cancelled');
    else send(response, { error: { message: `There is no ${call} here.` } }, 404);
    return true;
  }

  async #upload(request: IncomingMessage, key: string, body: string): Promise<object> {
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const form = await new Response(body, { headers }).formData();
    const file = form.get('file');
    if (!(file instanceof File) || form.get('purpose') !== 'batch')
      throw new Error('That is no file of a batch.');
    return this.#keepFile(key, file.name, await file.text());
  }

  #keepFile(key: string, name: string, text: string): { readonly id: string } {
    const id = `file-${this.#files.size + 1}`;
    this.#files.set(id, { key, name, text });
    const file = {
      id,
      object: 'file',
      bytes: text.length,
      created_at: nowSeconds(),
      filename: name,
      purpose: 'batch',
    };
    return file;
  }

  async #download(response: ServerResponse, key: string, id: string): Promise<void> {
    const file = this.#files.get(id);
    if (file === undefined || file.key !== key)
      return send(response, { error: { message: `No such File: ${id}` } }, 404);
    const lines = file.text.split('\n');
    const sent = lines.slice(0, this.linesSent).map((line) => `${line}\n`);
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    response.write(sent.join(''));
    if (sent.length < lines.length) await once(response, 'close');
    response.end();
  }

  async #create(response: ServerResponse, key: string, body: string): Promise<void> {
    const { input_file_id, metadata, endpoint } = createSchema.parse(JSON.parse(body));
    if (this.refusal !== undefined) {
      const { status, error } = this.refusal;
      send(response, { error }, status);
      return;
    }
    const file = this.#files.get(input_file_id);
    if (file === undefined || file.key !== key) throw new Error(`There is no file ${input_file_id}.`);
    const requests = file.text
      .split('\n')
      .filter(Boolean)
      .map((line) => requestSchema.parse(JSON.parse(line)));
    if (requests.some(({ url }) => url !== endpoint)) throw new Error(`A request is not to ${endpoint}.`);
    const id = `batch_${this.received.length + 1}`;
    const batch: ReceivedBatch = { id, key, metadata, endpoint, requests, status: 'in_progress', polls: 0 };
    this.received.push(batch);
    if (this.swallowsAnswers) await once(response, 'close');
    else if (this.failsAfterwards) send(response, { error: { message: 'The server had an error.' } }, 500);
    else send(response, await this.#describe(batch));
  }

  #list(key: string, query: URLSearchParams): object {
    const isEmpty = this.emptyLists > 0;
    if (isEmpty) this.emptyLists -= 1;
    const own = isEmpty ? [] : this.received.filter((batch) => batch.key === key).toReversed();
    const from = own.findIndex(({ id }) => id === query.get('after')) + 1;
    const page = own.slice(from, from + Number(query.get('limit') ?? 20));
    const data = page.map((batch) => this.#summarize(batch));
    return { object: 'list', data, has_more: from + page.length < own.length };
  }

  #show(response: ServerResponse, key: string, id: string, status?: ReceivedBatch['status']): void {
    const batch = this.received.find((one) => one.id === id && one.key === key);
    if (batch === undefined)
      return send(response, { error: { message: `No batch found with id '${id}'.` } }, 404);
    batch.polls += 1;
    if (status !== undefined && batch.status === 'in_progress') batch.status = status;
    void this.#describe(batch).then((described) => send(response, described));
  }

  /** Describes a batch to its maker. It is done when this is called, unless the stand-in is slow. */
  async #describe(batch: ReceivedBatch): Promise<object> {
    if (this.isSlow && batch.status === 'in_progress') return this.#summarize(batch);
    const fault = this.faults?.(this.received.indexOf(batch));
    if (batch.status === 'in_progress') batch.status = fault?.status ?? 'completed';
    if (batch.status === 'failed') {
      const data = [
        { code: fault?.code ?? 'invalid_json_line', message: 'The stand-in was told to fail.', line: 1 },
      ];
      return { ...this.#summarize(batch), errors: { object: 'list', data } };
    }
    const unanswered = fault?.unanswered ?? (batch.status === 'cancelled' ? batch.requests.length : 0);
    const good: string[] = [];
    const bad: string[] = [];
    // In another order than the requests.
    for (const [at, { custom_id, body }] of [...batch.requests.entries()].toReversed()) {
      const id = `batch_req_${at}`;
      if (at < unanswered) {
        const expired = { code: 'batch_expired', message: 'This request could not be executed in time.' };
        const response = fault?.response ?? null;
        bad.push(JSON.stringify({ id, custom_id, response, error: response === null ? expired : null }));
      } else {
        const response = {
          status_code: 200,
          request_id: id,
          body: await this.complete(JSON.stringify(body), batch.endpoint),
        };
        good.push(JSON.stringify({ id, custom_id, response, error: null }));
      }
    }
    const keep = (lines: string[]) =>
      lines.length === 0 ? null : this.#keepFile(batch.key, `${batch.id}.jsonl`, lines.join('\n')).id;
    return { ...this.#summarize(batch), output_file_id: keep(good), error_file_id: keep(bad) };
  }

  #summarize({ id, status, endpoint, metadata, requests }: ReceivedBatch): object {
    return {
      id,
      object: 'batch',
      endpoint,
      status,
      created_at: nowSeconds(),
      completion_window: '24h',
      input_file_id: 'file',
      metadata,
      request_counts: {
        total: requests.length,
        completed: status === 'in_progress' ? 0 : requests.length,
        failed: 0,
      },
    };
  }
}

export interface BatchFault {
  readonly status: 'completed' | 'expired' | 'failed';
  /** Number of its first requests without an answer. */
  readonly unanswered?: number;
  /** Their response; absent: they expired. */
  readonly response?: { readonly status_code: number; readonly body: object };
  /** Reason of its failure. */
  readonly code?: string;
}

const endpointSchema = z.enum(['/v1/chat/completions', '/v1/responses']);
export type Endpoint = z.infer<typeof endpointSchema>;

const createSchema = z.object({
  input_file_id: z.string(),
  endpoint: endpointSchema,
  completion_window: z.literal('24h'),
  metadata: z.record(z.string(), z.string().max(512)),
});

const requestSchema = z.object({
  custom_id: z.string().max(64),
  method: z.literal('POST'),
  url: endpointSchema,
  body: z.record(z.string(), z.unknown()),
});

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

function send(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
