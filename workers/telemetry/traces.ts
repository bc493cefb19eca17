import { Context as ActivityContext } from '@temporalio/activity';
import { SpanKind, type Span } from '@opentelemetry/api';
import { LRUCache } from 'lru-cache';
import { sentCall } from '../../activities/ask-model';
import type { RunEvent, RunListener } from '../../activities/run-events';
import { parseJournalKey } from '../../engine/journal/key';
import type { WorkflowEvent } from '../../schemas/run/workflow-event';
import {
  describeAnswer,
  describeCall,
  describePlace,
  describeRequest,
  describeServer,
  getVerdict,
} from './call-attributes';
import { parseCallPlace } from './call-place';
import { watchHttpRequests, type HttpRequest, type HttpRequestEnd } from './http-requests';
import {
  buildDialoguePart,
  buildRunPart,
  buildTurnPart,
  buildWorkflowPart,
  findWorkflow,
  type Execution,
  type SpanPart,
} from './span-parts';
import { openTracer, type DerivedTracer } from './tracer';
import type { ReportingWorkflow, Traces } from './trace-settings';

/**
 * Opens the traces of this process, as OpenTelemetry's environment variables say.
 * @throws Error when they ask for an exporter or a protocol that there is none of
 */
export function openTraces(environment: NodeJS.ProcessEnv): Traces {
  return new RunTraces(openTracer(environment), isPropagating(environment));
}

/** Providers see the ids of a trace only where they were asked for: by default OpenTelemetry would send them. */
function isPropagating({ OTEL_PROPAGATORS: propagators = '' }: NodeJS.ProcessEnv): boolean {
  return propagators.split(',').includes('tracecontext');
}

/** A call in flight. */
interface OpenCall {
  readonly key: string;
  readonly part: SpanPart;
  readonly span: Span;
  /** The turn that it belongs to. */
  readonly turn: SpanPart | undefined;
  /** Its requests that have not ended. */
  readonly requests: Set<Span>;
}

/** A part of a workflow that has begun here: when it began, and when it was last seen. */
interface OpenPart {
  readonly part: SpanPart;
  readonly startMs: number;
  readonly endMs: number;
  /** The key of the last call that was seen in it. */
  readonly lastCall?: string;
}

/**
 * Spans of runs, workflows, dialogues, turns, calls and HTTP requests, each within the one before it. The process that makes a call has
 * its span, and that of a turn which ends with it; the process that carries a workflow on has those of its dialogues and its own.
 */
class RunTraces implements Traces {
  /** Calls in flight, by their ids. */
  readonly #calls = new Map<string, OpenCall>();
  /** Dialogues and turns that have not ended. */
  readonly #open = new LRUCache<string, OpenPart>({ max: 50_000 });
  /** How often a call was sent, by its key, until it is answered. */
  readonly #sends = new LRUCache<string, number>({ max: 10_000 });
  readonly #unwatch: () => void;

  constructor(
    private readonly tracer: DerivedTracer,
    private readonly propagates: boolean,
  ) {
    this.#unwatch = watchHttpRequests((request) => {
      const call = this.#calls.get(sentCall.getStore() ?? '');
      return call === undefined ? undefined : this.#traceRequest(call, request);
    });
  }

  listen(run: string): RunListener {
    return (event) => {
      if (event.type === 'sent') this.#begin(run, event);
      else if (event.type === 'answered' || event.type === 'failed') this.#finish(run, event);
    };
  }

  #begin(run: string, { id, line, request }: Extract<RunEvent, { type: 'sent' }>): void {
    const { workflowExecution: execution } = ActivityContext.current().info;
    if (execution === undefined) return;
    const { key, call, at } = line;
    const place = parseCallPlace(key);
    const turn = buildTurnPart(run, execution, place);
    const { name, kind, attributes } = describeCall(line);
    const part: SpanPart = {
      execution,
      id: `${key} ${at} ${call}`,
      parent: turn?.id ?? findWorkflow(run, execution),
      name,
      attributes: { ...attributes, ...describePlace(run, place), 'cupid.call': key },
    };
    const span = this.tracer.start(part, { kind, startTime: at });
    span.setAttributes(describeRequest(request));
    const open: OpenCall = { key, part, span, turn, requests: new Set() };
    this.#calls.set(id, open);
    for (const one of listParts(run, open)) this.#see(one, at);
  }

  #finish(run: string, event: Extract<RunEvent, { type: 'answered' | 'failed' }>): void {
    const open = this.#calls.get(event.id);
    if (open === undefined) return;
    this.#calls.delete(event.id);
    const { key, span, turn, requests } = open;
    const endMs = Date.now();
    for (const request of requests) this.#end(request, endMs, 'abandoned');
    for (const one of listParts(run, open)) this.#see(one, endMs, endMs, key);
    const verdict = event.row === undefined ? 'failed' : getVerdict(event.row);
    span.setAttribute('cupid.verdict', verdict);
    if (event.type === 'failed')
      return this.#end(span, endMs, Object.keys(event.row?.failed ?? {})[0] ?? 'unwritten');
    this.#sends.delete(key);
    span.setAttributes(describeAnswer(event.entry.answer));
    this.#end(span, endMs);
    if (turn !== undefined && event.line.step === 'user' && verdict === 'good') this.#endOpen(turn);
  }

  reported({ workflowId, runId, workflowType, startTime }: ReportingWorkflow, event: WorkflowEvent): void {
    const execution = { workflowId, runId };
    const [run = workflowId] = workflowId.split('/');
    const startMs = startTime.getTime();
    if (event.event === 'ended') {
      const error = event.failed ? 'failed' : undefined;
      const parts = [buildWorkflowPart(run, execution, workflowType), buildRunPart(run, execution)];
      for (const part of parts)
        if (part !== undefined) this.#emit({ part, startMs, endMs: Date.now() }, error);
      return;
    }
    if (event.event === 'answered') return this.#acceptTurn(run, execution, event.key);
    const part = buildDialoguePart(run, execution, parseCallPlace(`${workflowId}/s${event.session}`));
    if (event.event === 'dialogue-begun') return this.#see(part, Date.now());
    // Turns that no good answer of the user ended here: the dialogue's last one, or one with a doubtful answer.
    for (const turn of this.#open.values()) if (isWithin(turn.part, part)) this.#endOpen(turn.part);
    this.#see(part, Date.now(), startMs);
    this.#endOpen(part, event.event === 'dialogue-failed' ? event.kind : undefined);
  }

  /** Ends a turn whose last answer is good. One that was answered in another process is that one's to end. */
  #acceptTurn(run: string, execution: Execution, key: string): void {
    const turn = buildTurnPart(run, execution, parseCallPlace(key));
    if (turn === undefined || parseJournalKey(key)?.step !== 'user') return;
    if (this.#open.get(getName(turn))?.lastCall === key) this.#endOpen(turn);
    else this.#open.delete(getName(turn));
  }

  async close(): Promise<void> {
    this.#unwatch();
    await this.tracer.close();
  }

  #traceRequest(
    { key, part: call, requests }: OpenCall,
    { method, url, setHeader }: HttpRequest,
  ): HttpRequestEnd {
    const sends = this.#sends.get(key) ?? 0;
    this.#sends.set(key, sends + 1);
    const part: SpanPart = {
      execution: call.execution,
      id: `${call.id} http ${sends}`,
      parent: call.id,
      name: method,
      attributes: {
        'http.request.method': method,
        // Without a query, which may hold a key.
        'url.full': `${url.origin}${url.pathname}`,
        ...describeServer(url),
        ...(sends === 0 ? {} : { 'http.request.resend_count': sends }),
      },
    };
    const span = this.tracer.start(part, { kind: SpanKind.CLIENT });
    requests.add(span);
    if (this.propagates) {
      const { traceId, spanId, traceFlags } = span.spanContext();
      setHeader('traceparent', `00-${traceId}-${spanId}-0${traceFlags}`);
    }
    let failed: string | undefined;
    return {
      answered(status) {
        span.setAttribute('http.response.status_code', status);
        if (status >= 400) failed = String(status);
      },
      ended: (error) => {
        if (requests.delete(span)) this.#end(span, Date.now(), error ?? failed);
      },
    };
  }

  /** @param startMs when it began, where that was not seen here */
  #see(part: SpanPart, nowMs: number, startMs = nowMs, lastCall?: string): void {
    const seen = this.#open.get(getName(part));
    this.#open.set(getName(part), {
      part,
      startMs: seen?.startMs ?? startMs,
      endMs: nowMs,
      ...(lastCall === undefined ? {} : { lastCall }),
    });
  }

  #endOpen(part: SpanPart, error?: string): void {
    const seen = this.#open.get(getName(part));
    this.#open.delete(getName(part));
    if (seen !== undefined) this.#emit(seen, error);
  }

  #emit({ part, startMs, endMs }: OpenPart, error?: string): void {
    this.#end(this.tracer.start(part, { startTime: startMs }), endMs, error);
  }

  #end(span: Span, endMs: number, error?: string): void {
    // What sends the spans later belongs to no call.
    sentCall.run(undefined, () => this.tracer.end(span, endMs, error));
  }
}

/** The turn of a call and its dialogue, where it has one. */
function listParts(run: string, { key, part: { execution }, turn }: OpenCall): SpanPart[] {
  return turn === undefined ? [] : [turn, buildDialoguePart(run, execution, parseCallPlace(key))];
}

function getName({ execution, id }: SpanPart): string {
  return `${execution.runId} ${id}`;
}

function isWithin(part: SpanPart, outer: SpanPart): boolean {
  return part.parent === outer.id && part.execution.runId === outer.execution.runId;
}
