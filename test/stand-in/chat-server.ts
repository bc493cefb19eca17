import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import type { Model, ModelAnswer } from '../../models/model';
import { OPENING_MESSAGE } from '../../models/opening';
import { messageSchema } from '../../schemas/dataset/message';
import { openSimulatedModel } from '../../models/simulated/model';
import { CHECK_SYSTEM } from '../../workers/model-check';
import { findOwnPort } from '../ports';
import { BatchQueue } from './openai-batches';
import type { CachedPrompt, CacheUse, PrefixCache } from './prefix-cache';
import { openQuestionReader, type QuestionReader } from './question';

/** A completely received request for a completion. */
export interface ReceivedRequest {
  /** SHA-256 of the body as sent, hexadecimal. */
  readonly bodyHash: string;
  /** Header of this name: the trace that it belongs to. */
  readonly traceparent?: string;
  /** Name of the model; empty if the body does not have it. */
  readonly model: string;
  /** Time of its arrival: milliseconds since the server started. */
  readonly at: number;
  /**
   * `answered`: the answer was handed to the system, even if the client died before it read it; `lost`: the connection broke before that;
   * `refused`: answered with a planned fault, or not understood.
   */
  readonly outcome: 'pending' | 'answered' | 'lost' | 'refused';
  /** Tokens read and written, as reported in the answer; 0 while there is none. */
  readonly tokens: number;
  /** Step of the request, once it is recognized. */
  readonly step?: string;
  /** Cached tokens, if the server caches prompts. */
  readonly cache?: CacheUse;
  /** Status of the fault that it got. */
  readonly status?: number;
}

/** A fault in place of completions. */
export interface Fault {
  readonly status: number;
  /** Seconds, for the header. */
  readonly retryAfter?: number;
  /** Error in OpenAI's form. */
  readonly error?: Readonly<Record<string, unknown>>;
  /** The whole body, in place of an error: JSON, or a text as it is. */
  readonly body?: unknown;
}

export interface StandInOptions {
  /** Milliseconds until an answer. */
  readonly latency?: number;
  /** Options of the simulated model behind it, as after `simulated:default?`. */
  readonly simulated?: Readonly<Record<string, string>>;
  /** Present if it caches prompts; its answers report how much it read. */
  readonly cache?: PrefixCache;
  /** Folder of the prompt pack that it understands; absent: the built-in one. */
  readonly prompts?: string;
}

/** Starts a stand-in for a provider on a port of its own. */
export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const questions = await openQuestionReader(options.prompts);
  const standIn = new StandIn(await findOwnPort(), options, questions);
  await standIn.comeBack();
  return standIn;
}

/**
 * A provider with OpenAI's chat completions over real HTTP, which answers like the simulated model. It knows only what comes over the wire:
 * it recognizes the step and its values in the rendered prompts. An answer depends only on its request, so the same request gets the same
 * answer.
 */
export class StandIn implements AsyncDisposable {
  /** Milliseconds until an answer; may be changed at any time. */
  latency: number;
  /** Another number gives other answers to the same requests, like a second sample of a model. */
  variant = 0;
  /** While set, every request gets this and no answer. A function decides for each request, by its number from 0 and its body. */
  fault: Fault | ((request: number, body: unknown) => Fault | undefined) | undefined;
  /** Returns the part of an answer's token limit that reasoning uses up, if any: the answer is then cut off. */
  reasoning: ((limit: number) => number | undefined) | undefined;
  /** While set, a longer prompt is cut to this number of tokens, and its answer says so only in its usage. */
  window: number | undefined;
  /** While set, every answer reports this usage. */
  usage: object | undefined;
  /** Wraps the text of an answer as a server may leave it, by the number of the answer. */
  wrap: ((text: string, answer: number) => string) | undefined;
  /** Maximum number of requests that waited for their answers at once. */
  mostInFlight = 0;
  /** Requests that fit no prompt of the pack, each with the reason; a test should find none. */
  readonly misunderstood: string[] = [];
  /** Its batches, which are answered like single requests, and do not count as received. */
  readonly batches = new BatchQueue(async (body, endpoint) => {
    const { completion } = await this.#complete(toChat(body, endpoint), undefined);
    return toAnswer(completion, endpoint);
  });
  readonly #received: Mutable<ReceivedRequest>[] = [];
  readonly #start = performance.now();
  #answers = 0;
  readonly #cache: PrefixCache | undefined;
  #model: Model;
  #server: Server | undefined;

  constructor(
    private readonly port: number,
    { latency = 0, simulated = {}, cache }: StandInOptions,
    private readonly read: QuestionReader,
  ) {
    this.#cache = cache;
    this.latency = latency;
    this.#model = modelWith(simulated);
  }

  /** Changes the options of the simulated model behind it, for later requests. */
  simulate(options: Readonly<Record<string, string>>): void {
    this.#model = modelWith(options);
  }

  /** Returns the model SPEC of this server. */
  get spec(): string {
    return this.specOf('stand-in');
  }

  /** Returns the SPEC of a model of this name here. All models answer alike; only the received requests distinguish them. */
  specOf(model: string): string {
    return `openai-compatible:${model}@${this.url}`;
  }

  /** Returns its base URL. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  get received(): readonly ReceivedRequest[] {
    return this.#received;
  }

  /** Counts the requests from number `since` on with this outcome. */
  count(outcome: ReceivedRequest['outcome'], since = 0): number {
    return this.#received.slice(since).filter((request) => request.outcome === outcome).length;
  }

  /** Resolves when a request that arrives from now on waits for its answer. */
  async untilAsked(): Promise<void> {
    const from = this.#received.length;
    while (this.count('pending', from) === 0) await wait(20);
  }

  /** Breaks every connection and stops listening, like a crashed provider. */
  async goDown(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.goDown();
  }

  /** Listens again on the same port. */
  async comeBack(): Promise<void> {
    const server = createServer((request, response) => void this.#respond(request, response));
    // Otherwise a client that reuses connections might write into one that is being closed.
    server.keepAliveTimeout = 600_000;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.#server = server;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request).catch(() => undefined);
    // The client has already gone.
    if (body === undefined) return;
    if (await this.batches.respond(request, response, body)) return;
    if (request.method !== 'POST' || (request.url !== CHAT && request.url !== RESPONSES)) {
      send(response, 404, { error: { message: `There is no ${request.method} ${request.url} here.` } });
      return;
    }
    const { traceparent } = request.headers;
    const received: Mutable<ReceivedRequest> = {
      bodyHash: createHash('sha256').update(body).digest('hex'),
      ...(typeof traceparent === 'string' ? { traceparent } : {}),
      model: modelIn(body),
      at: Math.round(performance.now() - this.#start),
      outcome: 'pending',
      tokens: 0,
    };
    this.#received.push(received);
    this.mostInFlight = Math.max(this.mostInFlight, this.count('pending', this.#received.length - 2_000));
    response.once('close', () => {
      if (received.outcome === 'pending') received.outcome = response.writableFinished ? 'answered' : 'lost';
    });
    const number = this.#received.length - 1;
    const fault = typeof this.fault === 'function' ? this.fault(number, JSON.parse(body)) : this.fault;
    if (fault !== undefined) {
      received.outcome = 'refused';
      received.status = fault.status;
      const headers = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
      const { body: whole, error = { message: 'The stand-in was told to fail.' } } = fault;
      send(response, fault.status, whole ?? { error }, headers);
      return;
    }
    try {
      const chat = toChat(body, request.url);
      const cached = this.#cache?.open(cachedPrompt(chat));
      const { completion, step } = await this.#complete(chat, cached?.use);
      received.step = step;
      received.tokens = completion.usage.total_tokens;
      if (cached !== undefined) received.cache = cached.use;
      // `ref: false`, so that tests end even if nobody waits for the answer.
      if (this.latency > 0) await wait(this.latency, undefined, { ref: false });
      // `goDown` has broken the connection, and Node.js would treat anything written to it as sent.
      if (response.socket?.destroyed === true) return;
      cached?.keep();
      const answer = toAnswer(completion, request.url);
      send(response, 200, this.usage === undefined ? answer : { ...answer, usage: this.usage });
    } catch (error) {
      received.outcome = 'refused';
      const message = error instanceof Error ? error.message : String(error);
      this.misunderstood.push(message);
      send(response, 400, { error: { message, type: 'invalid_request_error' } });
    }
  }

  async #complete(
    body: string,
    cached: CacheUse | undefined,
  ): Promise<{ completion: ReturnType<typeof completionOf>; step: string }> {
    const {
      model,
      messages,
      seed,
      temperature,
      service_tier: tier,
      ...limits
    } = bodySchema.parse(JSON.parse(body));
    const maxTokens = limits.max_tokens ?? limits.max_completion_tokens;
    if (maxTokens === undefined) throw new Error('There is no limit on the tokens of the answer.');
    const [first, ...rest] = messages;
    if (first !== undefined && textOnly(first).content.startsWith(CHECK_SYSTEM)) {
      const usage = { input: Math.ceil(body.length / 4), output: 1 };
      return { completion: completionOf(model, { ...READY, usage }, tier), step: 'check' };
    }
    if (first?.role !== 'system' && first?.role !== 'developer') {
      throw new Error('The first message is not a system prompt.');
    }
    const sent = z.array(messageSchema).parse(rest.map(textOnly));
    const conversation = sent[0]?.content === OPENING_MESSAGE.content ? sent.slice(1) : sent;
    const system = textOnly(first).content;
    const question = this.read(system, conversation);
    if (question === undefined) {
      throw new Error(`No prompt of the built-in pack was rendered to: ${system.slice(0, 200)}`);
    }
    const bare = await this.#model.ask(
      // The seed distinguishes attempts, because their numbers do not come over the wire.
      {
        ...question,
        system,
        messages: conversation,
        temperature,
        maxTokens,
        attempt: 0,
        seed: seed + this.variant,
      },
      new AbortController().signal,
    );
    const answer = cached === undefined ? bare : { ...bare, usage: { ...bare.usage, ...usageOf(cached) } };
    const read = Math.min(answer.usage.input ?? 0, this.window ?? Infinity);
    const reasoning = this.reasoning?.(maxTokens);
    if (reasoning !== undefined) {
      const usage = { ...answer.usage, output: maxTokens, reasoning };
      return {
        completion: completionOf(model, { ...answer, text: '', finish: 'reasoning', usage }, tier),
        step: question.step,
      };
    }
    const text = this.wrap?.(answer.text, (this.#answers += 1)) ?? answer.text;
    const usage = { ...answer.usage, input: read };
    return { completion: completionOf(model, { ...answer, text, usage }, tier), step: question.step };
  }
}

const CHAT = '/v1/chat/completions';
const RESPONSES = '/v1/responses';

/** Converts a request to the Responses API to one for chat completions; others stay. */
function toChat(body: string, url: string): string {
  if (url !== RESPONSES) return body;
  const { instructions, input, max_output_tokens, ...sent } = responseBodySchema.parse(JSON.parse(body));
  const messages = [{ role: 'developer', content: instructions }, ...input];
  return JSON.stringify({ ...sent, messages, max_completion_tokens: max_output_tokens });
}

/** Converts a completion to the answer of the API that was asked. */
function toAnswer({ model, choices, ...completion }: ReturnType<typeof completionOf>, url: string): object {
  if (url !== RESPONSES) return { ...completion, model, choices };
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = completion.usage;
  const reason = choices[0]?.finish_reason === 'length' ? 'max_output_tokens' : choices[0]?.finish_reason;
  return {
    object: 'response',
    model,
    ...(reason === 'stop'
      ? { status: 'completed' }
      : { status: 'incomplete', incomplete_details: { reason } }),
    output: choices.map(({ message }) => ({
      type: 'message',
      content: [{ type: 'output_text', text: message.content }],
    })),
    usage: { input_tokens, output_tokens },
  };
}

const responseBodySchema = z.looseObject({
  instructions: z.string(),
  input: z.array(messageSchema),
  max_output_tokens: z.number().int(),
  store: z.literal(false),
  messages: z.never().optional(),
  seed: z.never().optional(),
});

const READY: ModelAnswer = {
  text: 'ready',
  finish: 'complete',
  model: 'stand-in',
  usage: {},
};

function modelWith(options: Readonly<Record<string, string>>): Model {
  return openSimulatedModel({ provider: 'simulated', model: 'default', options });
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const partSchema = z.object({ text: z.string(), prompt_cache_breakpoint: z.object({}).optional() });

const bodySchema = z.object({
  model: z.string(),
  messages: z.array(
    z.object({
      role: z.enum(['system', 'developer', 'user', 'assistant']),
      content: z.union([z.string(), z.array(partSchema)]),
    }),
  ),
  seed: z.number().int().default(0),
  temperature: z.number().default(1),
  max_tokens: z.number().int().optional(),
  max_completion_tokens: z.number().int().optional(),
  service_tier: z.string().optional(),
  prompt_cache_key: z.string().max(64).optional(),
  prompt_cache_options: z.object({ mode: z.string() }).optional(),
});

type SentMessage = z.infer<typeof bodySchema>['messages'][number];

function partsOf({ content }: SentMessage): z.infer<typeof partSchema>[] {
  return typeof content === 'string' ? [{ text: content }] : content;
}

function textOnly(message: SentMessage) {
  const parts = partsOf(message);
  return { role: message.role, content: parts.map(({ text }) => text).join('') };
}

function cachedPrompt(body: string): CachedPrompt {
  const { messages, ...sent } = bodySchema.parse(JSON.parse(body));
  return {
    key: sent.prompt_cache_key ?? '',
    explicit: sent.prompt_cache_options?.mode === 'explicit',
    messages: messages.map((message) => ({
      role: message.role,
      parts: partsOf(message).map(({ text, prompt_cache_breakpoint: mark }) => ({
        text,
        marked: mark !== undefined,
      })),
    })),
  };
}

function usageOf({ input, read, written }: CacheUse) {
  return { input, cachedRead: read, cachedWrite: written };
}

function modelIn(body: string): string {
  try {
    return bodySchema.pick({ model: true }).parse(JSON.parse(body)).model;
  } catch {
    return '';
  }
}

function completionOf(model: string, { text, finish, usage }: ModelAnswer, tier: string | undefined) {
  const input = usage.input ?? 0;
  const output = usage.output ?? 0;
  const reason = {
    complete: 'stop',
    length: 'length',
    reasoning: 'length',
    refused: 'content_filter',
    failed: 'error',
  }[finish];
  return {
    id: 'chatcmpl-stand-in',
    object: 'chat.completion',
    created: 0,
    model,
    ...(tier === undefined ? {} : { service_tier: tier }),
    choices: [
      { index: 0, message: { role: 'assistant', content: text }, logprobs: null, finish_reason: reason },
    ],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      ...(usage.cachedRead === undefined
        ? {}
        : {
            prompt_tokens_details: { cached_tokens: usage.cachedRead, cache_write_tokens: usage.cachedWrite },
          }),
      ...(usage.reasoning === undefined
        ? {}
        : { completion_tokens_details: { reasoning_tokens: usage.reasoning } }),
    },
  };
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
