import {
  context,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Context,
  type ContextManager,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import { hashText } from '../../data/store/files';
import { buildPersonaWorkflowId, parseJournalKey } from '../../engine/journal/key';
import { followSentCalls } from '../../activities/ask-model';
import type { RunEvent, RunListener } from '../../activities/run-events';
import { version } from '../../package.json';
import { describeAnswer, describeCall, describePlace, describeRequest, getVerdict } from './call-attributes';
import { parseCallPlace } from './call-place';

/**
 * Opens the traces of this process: by OTLP over HTTP, as OpenTelemetry's environment variables say.
 * @throws Error when they ask for an exporter or a protocol that there is none of
 */
export function openTraces(environment: NodeJS.ProcessEnv): Traces {
  checkEnvironment(environment);
  const ids = new TraceIds();
  const queue = environment['OTEL_BSP_MAX_QUEUE_SIZE'] === undefined ? { maxQueueSize: QUEUE_SIZE } : {};
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'cupid', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(), queue)],
    // An event of a span would be an exception, with the paths of this machine in its stack.
    spanLimits: { eventCountLimit: 0 },
    idGenerator: ids,
  });
  return new Traces(provider, ids, isPropagating(environment));
}

/** Spans that wait to be sent: a fast model makes more than the usual 2,048 within the five seconds between two batches. */
const QUEUE_SIZE = 16_384;

function checkEnvironment(environment: NodeJS.ProcessEnv): void {
  const exporter = environment['OTEL_TRACES_EXPORTER'] ?? '';
  if (exporter !== '' && exporter !== 'otlp')
    throw new Error(
      `OTEL_TRACES_EXPORTER is ${exporter}, but cupid exports traces by OTLP only. Set it to otlp.`,
    );
  const protocol =
    environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? environment['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? '';
  if (protocol !== '' && protocol !== 'http/protobuf')
    throw new Error(
      `OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}, but cupid exports traces by http/protobuf only. Unset it, and name the HTTP port of the collector (4318).`,
    );
}

/** Returns whether providers see the ids of a trace: only if asked for, though by default OpenTelemetry would send them. */
function isPropagating({ OTEL_PROPAGATORS: propagators = '' }: NodeJS.ProcessEnv): boolean {
  return propagators.split(',').includes('tracecontext');
}

/** Spans of calls, and of the HTTP requests in them. The calls of a workflow share a trace, whichever process makes them. */
export class Traces {
  /** Spans of the calls in flight, by the ids of the calls. */
  readonly #calls = new Map<string, Span>();
  readonly #tracer: Tracer;
  readonly #requests: UndiciInstrumentation;

  constructor(
    private readonly provider: BasicTracerProvider,
    private readonly ids: TraceIds,
    propagates: boolean,
  ) {
    this.#tracer = provider.getTracer('cupid', version);
    context.setGlobalContextManager(new CallContexts(this.#calls));
    this.#requests = new UndiciInstrumentation({
      requireParentforSpans: true,
      // A query may hold a key.
      startSpanHook: ({ origin, path }) => ({
        'url.full': new URL(path, origin).href.replace(/\?.*/, ''),
        'url.query': undefined,
      }),
      requestHook: (span, request) => {
        const { traceId, spanId, traceFlags } = span.spanContext();
        if (propagates) request.addHeader('traceparent', `00-${traceId}-${spanId}-0${traceFlags}`);
      },
    });
    this.#requests.setTracerProvider(provider);
  }

  /** Follows the calls of a run. */
  listen(run: string): RunListener {
    return (event) => {
      if (event.type === 'sent') this.#begin(run, event);
      else if (event.type === 'answered' || event.type === 'failed') this.#end(event);
    };
  }

  /** Sends what was not sent yet. */
  async close(): Promise<void> {
    this.#requests.disable();
    context.disable();
    // A collector that does not answer must not fail the command.
    await this.provider.shutdown().catch(() => undefined);
  }

  #begin(run: string, { id, line, request }: Extract<RunEvent, { type: 'sent' }>): void {
    this.ids.workId = findTracedWork(run, line.key);
    const { name, kind, attributes } = describeCall(line);
    const place = describePlace(run, parseCallPlace(line.key));
    const callAttributes = { ...attributes, ...place, 'cupid.call': line.key, ...describeRequest(request) };
    const options = { kind, startTime: line.sentAtMs, attributes: callAttributes };
    this.#calls.set(id, this.#tracer.startSpan(name, options, ROOT_CONTEXT));
  }

  #end(event: Extract<RunEvent, { type: 'answered' | 'failed' }>): void {
    const span = this.#calls.get(event.id);
    if (span === undefined) return;
    this.#calls.delete(event.id);
    span.setAttribute('cupid.verdict', event.row === undefined ? 'failed' : getVerdict(event.row));
    if (event.type === 'answered') span.setAttributes(describeAnswer(event.entry.answer));
    else {
      span.setAttribute('error.type', event.kind);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }
}

/** Returns the id of the work whose calls share a trace: a persona, a trial, a piece of a study, or else the run. */
function findTracedWork(run: string, key: string): string {
  const { persona } = parseCallPlace(key);
  return persona === undefined
    ? (parseJournalKey(key)?.workflowId ?? run)
    : buildPersonaWorkflowId(run, persona);
}

/** Ids of traces, derived from those of their work: every process has the same ones, and samples the same traces. */
class TraceIds extends RandomIdGenerator {
  /** Id of the next trace's work. */
  workId = '';

  override generateTraceId = (): string => hashText(this.workId).slice(0, 32);
}

/** Contexts in which the span of the call that is being sent is the parent of its HTTP requests. */
class CallContexts implements ContextManager {
  readonly #getSentCall = followSentCalls();

  constructor(private readonly calls: ReadonlyMap<string, Span>) {}

  active(): Context {
    const span = this.calls.get(this.#getSentCall() ?? '');
    return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span);
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    _: Context,
    run: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return run.call(self, ...args);
  }

  bind<T>(_: Context, target: T): T {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    return this;
  }
}
