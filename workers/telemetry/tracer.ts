import { createHash } from 'node:crypto';
import {
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Span,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type IdGenerator } from '@opentelemetry/sdk-trace-base';
import { LRUCache } from 'lru-cache';
import { version } from '../../package.json';
import type { Execution, SpanPart } from './span-parts';

/**
 * Opens a tracer that exports by OTLP over HTTP, as OpenTelemetry's environment variables say.
 * @throws Error when they ask for an exporter or a protocol that there is none of
 */
export function openTracer(environment: NodeJS.ProcessEnv): DerivedTracer {
  checkEnvironment(environment);
  const ids = new DerivedIds();
  const queue = environment['OTEL_BSP_MAX_QUEUE_SIZE'] === undefined ? { maxQueueSize: QUEUE_SIZE } : {};
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'cupid', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(), queue)],
    idGenerator: ids,
  });
  return new DerivedTracer(provider, ids);
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

/**
 * Starts spans whose ids are derived from what they stand for, so that every process can name the parents of its spans without having
 * seen them.
 */
export class DerivedTracer {
  readonly #tracer: Tracer;
  /** Whether a trace is sampled, by its id. */
  readonly #flags = new LRUCache<string, number>({ max: 10_000 });

  constructor(
    private readonly provider: BasicTracerProvider,
    private readonly ids: DerivedIds,
  ) {
    this.#tracer = provider.getTracer('cupid', version);
  }

  /** Starts the span of a part of a workflow. */
  start({ execution, id, parent, name, attributes }: SpanPart, options: SpanOptions): Span {
    const ids = deriveIds(execution, id);
    const within =
      parent === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            ...deriveIds(execution, parent),
            traceFlags: this.#getFlags(ids.traceId),
            isRemote: true,
          });
    this.ids.next = ids;
    return this.#tracer.startSpan(name, { ...options, attributes }, within);
  }

  /** @param error what it failed with; undefined when it did not */
  end(span: Span, endMs: number, error: string | undefined): void {
    if (error !== undefined) {
      span.setAttribute('error.type', error);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(endMs);
  }

  /** Sends what was not sent yet. */
  async close(): Promise<void> {
    // A collector that does not answer must not fail the command.
    await this.provider.shutdown().catch(() => undefined);
  }

  /** The sampler decides by the trace alone: every process decides the same. */
  #getFlags(traceId: string): number {
    const known = this.#flags.get(traceId);
    if (known !== undefined) return known;
    this.ids.next = { traceId, spanId: PROBE };
    const { traceFlags } = this.#tracer.startSpan('run', {}, ROOT_CONTEXT).spanContext();
    this.#flags.set(traceId, traceFlags);
    return traceFlags;
  }
}

/** The id of a span that is never sent. */
const PROBE = '0000000000000001';

interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

function deriveIds({ workflowId, runId }: Execution, part: string): SpanIds {
  return {
    traceId: hash(`${workflowId} ${runId}`).slice(0, 32),
    spanId: hash(`${workflowId} ${runId} ${part}`).slice(0, 16),
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Gives the next span the ids that were derived for it. */
class DerivedIds implements IdGenerator {
  next: SpanIds = { traceId: '', spanId: '' };

  generateTraceId(): string {
    return this.next.traceId;
  }

  generateSpanId(): string {
    return this.next.spanId;
  }
}
