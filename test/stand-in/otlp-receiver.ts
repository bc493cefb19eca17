import { createServer } from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { parse } from 'protobufjs';
import * as z from 'zod';

/** A received span; ids in hexadecimal digits, times in milliseconds since 1970. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
}

/** A stand-in for a collector: takes traces by OTLP over HTTP in Protobuf, like OpenTelemetry's collector on its port 4318. */
export interface OtlpReceiver extends AsyncDisposable {
  /** Value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Every request's body as text, whatever its bytes mean. */
  readonly bodies: readonly string[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (request.url !== '/v1/traces' || request.headers['content-type'] !== 'application/x-protobuf') {
        return response.writeHead(415).end();
      }
      bodies.push(body.toString('utf8'));
      spans.push(...decodeSpans(body));
      return response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = z.object({ port: z.number() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    bodies,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Fields that tests read in the messages of OTLP (trace/v1 and common/v1, stable). */
const MESSAGES = parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { repeated ScopeSpans scope_spans = 2; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9; Status status = 15;
  }
  message Status { int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`).root;

const id = z.string().transform((text) => Buffer.from(text, 'base64').toString('hex'));
const time = z.string().transform((nanoseconds) => Number(nanoseconds) / 1_000_000);
const requestSchema = z.object({
  resourceSpans: z.array(
    z.object({
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: id,
              spanId: id,
              parentSpanId: id.default(''),
              name: z.string(),
              startTimeUnixNano: time,
              endTimeUnixNano: time,
              attributes: z.array(
                z.object({ key: z.string(), value: z.record(z.string(), z.union([z.string(), z.number()])) }),
              ),
              status: z.object({ code: z.number().optional() }).optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

function decodeSpans(body: Uint8Array): ReceivedSpan[] {
  const type = MESSAGES.lookupType('Request');
  const message = type.toObject(type.decode(body), { bytes: String, longs: String });
  return requestSchema
    .parse(message)
    .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(({ startTimeUnixNano: startMs, endTimeUnixNano: endMs, attributes, status, ...span }) => ({
      ...span,
      startMs,
      endMs,
      isError: status?.code === 2,
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)])),
    }));
}

function readValue(value: Readonly<Record<string, string | number>>): string | number | undefined {
  return 'intValue' in value ? Number(value['intValue']) : Object.values(value)[0];
}
