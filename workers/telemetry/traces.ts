import { AsyncLocalStorage } from 'node:async_hooks';
import { Context as ActivityContext } from '@temporalio/activity';
import { SpanKind, type Attributes, type Span } from '@opentelemetry/api';
import type { WorkflowInfo } from '@temporalio/workflow';
import { LRUCache } from 'lru-cache';
import type { TranscriptEvent } from '../../schemas/run/transcript';
import type { CallObserver } from '../run-ledger';
import {
  describeAnswer,
  describeCall,
  describePlace,
  describeRequest,
  describeServer,
  getVerdict,
  type CallPlace,
} from './call-attributes';
import { watchHttpRequests, type HttpRequest, type HttpRequestEnd } from './http-requests';
import { openTracer, type DerivedTracer, type Execution } from './tracer';
import type { Traces } from './trace-settings';

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
  readonly execution: Execution;
  readonly key: string;
  readonly part: string;
  /** Its requests that have not ended. */
  readonly requests: Set<Span>;
}

/** When a part of a workflow began, and when it was last seen. */
interface Seen {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Spans of runs, workflows, dialogues, turns, calls and HTTP requests, each within the one before it. The process that makes a call has
 * its span, and that of a turn which ends with it; the process that carries a workflow on has those of its dialogues and its own.
 */
class RunTraces implements Traces {
  /** The call that this asynchronous context makes. */
  readonly #current = new AsyncLocalStorage<OpenCall | undefined>();
  /** Dialogues and turns that have not ended. */
  readonly #open = new LRUCache<string, Seen>({ max: 50_000 });
  /** How often a call was sent, by its key, until it is answered. */
  readonly #sends = new LRUCache<string, number>({ max: 10_000 });
  readonly #unwatch: () => void;

  constructor(
    private readonly tracer: DerivedTracer,
    private readonly propagates: boolean,
  ) {
    this.#unwatch = watchHttpRequests((request) => {
      const call = this.#current.getStore();
      return call === undefined ? undefined : this.#traceRequest(call, request);
    });
  }

  observeCalls(run: string): CallObserver {
    return {
      sent: (line) => {
        const { workflowExecution: execution } = ActivityContext.current().info;
        if (execution === undefined) return { ended: () => undefined };
        const { key, call, at } = line;
        const place = describePlace(run, execution.workflowId, key);
        const { name, kind, attributes } = describeCall(line);
        const part = `${key} ${at} ${call}`;
        const span = this.tracer.start(execution, part, findParent(run, execution, place), name, {
          kind,
          startTime: at,
          attributes: {
            ...attributes,
            ...place.attributes,
            ...(place.dialogue === undefined ? {} : { 'gen_ai.conversation.id': place.dialogue }),
          },
        });
        const open: OpenCall = { execution, key, part, requests: new Set() };
        this.#see(execution, place, at);
        return {
          during: (request, ask) => {
            span.setAttributes(describeRequest(request));
            return this.#current.run(open, ask);
          },
          ended: (row, entry) => {
            for (const request of open.requests) this.#end(request, Date.now(), 'abandoned');
            const verdict = row === undefined ? 'failed' : getVerdict(row);
            span.setAttributes({
              'cupid.verdict': verdict,
              ...(entry === undefined ? {} : describeAnswer(entry.answer)),
            });
            if (verdict !== 'failed') this.#sends.delete(key);
            const endMs = Date.now();
            this.#see(execution, place, endMs);
            this.#end(
              span,
              endMs,
              verdict === 'failed' ? (Object.keys(row?.failed ?? {})[0] ?? 'unwritten') : undefined,
            );
            if (line.step === 'user' && verdict === 'good')
              this.#endTurns(run, execution, place.dialogue, place.turn);
          },
        };
      },
    };
  }

  reported({ workflowId, runId, workflowType, startTime }: WorkflowInfo, event: TranscriptEvent): void {
    const execution = { workflowId, runId };
    const [run = workflowId] = workflowId.split('/');
    const startMs = startTime.getTime();
    if (event.event === 'ended') {
      this.#endWorkflow(run, execution, workflowType, startMs, event.failed);
    } else if ('session' in event && event.session !== undefined) {
      const dialogue = `${workflowId}/s${event.session}`;
      if (event.event === 'asked') return this.#see(execution, { dialogue }, Date.now());
      const error = event.event === 'failed' ? event.kind : undefined;
      this.#endDialogue(run, execution, dialogue, startMs, error);
    }
  }

  async close(): Promise<void> {
    this.#unwatch();
    await this.tracer.close();
  }

  #traceRequest(call: OpenCall, { method, url, setHeader }: HttpRequest): HttpRequestEnd {
    const { execution, key, part, requests } = call;
    const sends = this.#sends.get(key) ?? 0;
    this.#sends.set(key, sends + 1);
    const span = this.tracer.start(execution, `${part} http ${sends}`, part, method, {
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': method,
        // Without a query, which may hold a key.
        'url.full': `${url.origin}${url.pathname}`,
        ...describeServer(url),
        ...(sends === 0 ? {} : { 'http.request.resend_count': sends }),
      },
    });
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

  /** Ends the turns of a dialogue that have begun here; or one of them. */
  #endTurns(run: string, execution: Execution, dialogue = '', only?: string): void {
    const prefix = `${execution.runId} ${dialogue} `;
    for (const name of only === undefined ? [...this.#open.keys()] : [`${prefix}${only}`]) {
      const seen = name.startsWith(prefix) ? this.#open.get(name) : undefined;
      if (seen === undefined) continue;
      this.#open.delete(name);
      const turn = name.slice(prefix.length);
      const attributes = { 'cupid.run': run, 'cupid.turn': turn.slice(turn.indexOf('t') + 1) };
      this.#emit(
        execution,
        `${dialogue} ${turn}`,
        dialogue,
        `turn ${attributes['cupid.turn']}`,
        seen,
        attributes,
      );
    }
  }

  #endDialogue(
    run: string,
    execution: Execution,
    dialogue: string,
    workflowStartMs: number,
    error?: string,
  ): void {
    this.#endTurns(run, execution, dialogue);
    const name = `${execution.runId} ${dialogue}`;
    const { startMs = workflowStartMs } = this.#open.get(name) ?? {};
    this.#open.delete(name);
    const { attributes } = describePlace(run, execution.workflowId, dialogue);
    const work = findParent(run, execution, {});
    this.#emit(
      execution,
      dialogue,
      work,
      `dialogue ${dialogue.slice(run.length + 1)}`,
      { startMs, endMs: Date.now() },
      { ...attributes, 'gen_ai.conversation.id': dialogue },
      error,
    );
  }

  /** The run stands at the root of each of its traces. */
  #endWorkflow(run: string, execution: Execution, type: string, startMs: number, failed: boolean): void {
    const seen = { startMs, endMs: Date.now() };
    const attributes = {
      'cupid.run': run,
      temporalWorkflowID: execution.workflowId,
      temporalRunID: execution.runId,
    };
    const error = failed ? 'failed' : undefined;
    const work = findParent(run, execution, {});
    if (work !== ROOT)
      this.#emit(
        execution,
        work,
        ROOT,
        `${type} ${execution.workflowId.slice(run.length + 1)}`,
        seen,
        attributes,
        error,
      );
    this.#emit(execution, ROOT, undefined, `run ${run}`, seen, attributes, error);
  }

  #emit(
    execution: Execution,
    part: string,
    parent: string | undefined,
    name: string,
    { startMs, endMs }: Seen,
    attributes: Attributes,
    error?: string,
  ): void {
    this.#end(
      this.tracer.start(execution, part, parent, name, { startTime: startMs, attributes }),
      endMs,
      error,
    );
  }

  #end(span: Span, endMs: number, error?: string): void {
    // What sends the spans later belongs to no call.
    this.#current.run(undefined, () => this.tracer.end(span, endMs, error));
  }

  #see({ runId }: Execution, { dialogue, turn }: Pick<CallPlace, 'dialogue' | 'turn'>, nowMs: number): void {
    if (dialogue === undefined) return;
    const names =
      turn === undefined
        ? [`${runId} ${dialogue}`]
        : [`${runId} ${dialogue}`, `${runId} ${dialogue} ${turn}`];
    for (const name of names) {
      const { startMs = nowMs } = this.#open.get(name) ?? {};
      this.#open.set(name, { startMs, endMs: nowMs });
    }
  }
}

/** The part of the run itself. */
const ROOT = '';

/** The part that a call belongs to: its turn, or its workflow, or the run. */
function findParent(
  run: string,
  { workflowId }: Execution,
  { dialogue, turn }: Pick<CallPlace, 'dialogue' | 'turn'>,
): string {
  if (dialogue !== undefined && turn !== undefined) return `${dialogue} ${turn}`;
  return workflowId === run ? ROOT : 'workflow';
}
