import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { computeTotals } from '../../engine/costs/ledger';
import { readLedgers } from '../../runs/estimate/ledgers';
import { createFolderStore } from '../../data/store/store';
import { parseJournalKey } from '../../engine/journal/key';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../stand-in/otlp-receiver';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { createTemporaryFolder } from '../temporary-folder';
import type { Running } from '../end-to-end/command';
import { countJournalEntries, untilJournalHas } from '../end-to-end/journal';
import { askEndpoint, scrapeLast, sumMetric, type Metric } from '../end-to-end/metrics';
import { readRecords } from '../end-to-end/outputs';
import { endLeftovers, startCommand, until } from '../end-to-end/processes';

// One run in two processes, so that metrics and traces are compared with the same calls.
const run = join(createTemporaryFolder(), 'run');
let standIn: StandIn;
let collector: OtlpReceiver;
let metrics: readonly Metric[][];
let processes: readonly Running[];

beforeAll(async () => {
  [standIn, collector] = await Promise.all([
    startStandIn({ simulated: { malformed: '0.1' }, latency: 20 }),
    startOtlpReceiver(),
  ]);
  standIn.fault = (request) => {
    if (request % 25 === 24) return { status: 429, retryAfter: 0.1 };
    return request % 40 === 30 ? { status: 503 } : undefined;
  };
  const first = start({});
  await until(async () => (await askEndpoint(first, '/readyz')).status === 200);
  expect((await askEndpoint(first, '/healthz')).status).toBe(200);
  await untilJournalHas(run, 40, first);
  first.child.kill('SIGINT');
  const interrupted = await scrapeLast(first);
  const second = start({ OTEL_PROPAGATORS: 'tracecontext' });
  metrics = [interrupted, await scrapeLast(second)];
  processes = [first, second];
  expect((await first.ended).code).toBe(130);
  expect(await second.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
});
afterAll(async () => {
  await endLeftovers();
  await Promise.all([standIn.goDown(), collector[Symbol.asyncDispose]()]);
});

test('metrics agree with the ledger to the call: answers good and bad, failures by kind, tokens, time', async () => {
  for (const [index, { pid }] of processes.entries()) {
    const ledgers = await readLedgers(createFolderStore(join(run, '.cupid')));
    const rows = ledgers.filter(({ worker }) => worker.includes(`-${pid}-`)).flatMap((one) => one.rows);
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) {
      const of = { model: 'openai-compatible:stand-in', step: row.step };
      const sum = (name: string, labels: Metric['labels'] = {}) =>
        sumMetric(metrics[index] ?? [], name, { ...of, ...labels });
      expect({
        calls: sum('cupid_calls_total', { error: '' }),
        bad: sum('cupid_calls_total', { outcome: 'bad' }),
        failed: sum('cupid_calls_total', { outcome: 'failed' }),
        input: sum('cupid_tokens_total', { type: 'input' }),
        output: sum('cupid_tokens_total', { type: 'output' }),
        answered: sum('cupid_call_duration_seconds_count'),
      }).toEqual({
        calls: row.calls,
        bad: row.badAnswers,
        failed: Object.values(row.failures).reduce((all, count) => all + count, 0),
        input: row.input,
        output: row.output,
        answered: row.calls,
      });
      expect(sum('cupid_call_duration_seconds_sum')).toBeCloseTo(row.durationMs / 1000, 6);
    }
    const { failures } = computeTotals(rows);
    for (const [error, count] of Object.entries(failures))
      expect(sumMetric(metrics[index] ?? [], 'cupid_calls_total', { error })).toBe(count);
  }
  const all = metrics.flat();
  expect(sumMetric(all, 'cupid_calls_total')).toBe(standIn.received.length);
  expect(sumMetric(all, 'cupid_calls_total', { error: 'rate-limit' })).toBeGreaterThan(0);
  expect(sumMetric(all, 'cupid_calls_total', { outcome: 'bad' })).toBeGreaterThan(0);
  expect(sumMetric(all, 'cupid_calls_in_flight')).toBe(0);
  // The second process took the first one's answers from the journal.
  expect(sumMetric(metrics[1] ?? [], 'cupid_journal_answers_total')).toBeGreaterThan(0);
  expect(sumMetric(all, 'cupid_calls_total', { error: '' })).toBe(await countJournalEntries(run));
});

test("the Temporal SDK's metrics are served with them, queue latency among them", () => {
  for (const one of metrics)
    expect(
      sumMetric(one, 'temporal_activity_schedule_to_start_latency_seconds_count', { namespace: 'default' }),
    ).toBeGreaterThan(0);
});

test('each call has one span, its HTTP request one within it, and the calls of a workflow share a trace', () => {
  const { spans } = collector;
  const calls = new Map(spans.filter(isCall).map((span) => [span.spanId, span]));
  const requests = spans.filter(({ name }) => name === 'POST');
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(calls.size + requests.length);
  expect([calls.size, requests.length]).toEqual([standIn.received.length, standIn.received.length]);
  const parents = requests.map(({ parentSpanId }) => calls.get(parentSpanId));
  expect(new Set(parents).size).toBe(calls.size);
  for (const [index, { traceId, startMs, endMs }] of requests.entries()) {
    const call = parents[index] ?? fail();
    expect([call.traceId, call.parentSpanId]).toEqual([traceId, '']);
    expect([call.startMs <= startMs + CLOCK_MS, call.endMs >= endMs - CLOCK_MS]).toEqual([true, true]);
  }
  // The run describes its personas.
  const personas = new Set([...calls.values()].map((call) => String(call.attributes['cupid.persona'])));
  expect(personas).toEqual(new Set(['1', '2', 'undefined']));
  const traces = [...calls.values()].map((call) => `${call.traceId} ${call.attributes['cupid.persona']}`);
  expect(new Set(traces).size).toBe(3);
});

test('a call says where it belongs, what it used and what came of it', () => {
  const call = collector.spans.findLast(({ attributes }) => attributes['cupid.step'] === 'user') ?? fail();
  expect(call.name).toBe('chat stand-in');
  expect(call.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai-compatible',
    'gen_ai.request.model': 'stand-in',
    'gen_ai.usage.input_tokens': expect.any(Number),
    'gen_ai.conversation.id': expect.stringMatching(/^cupid-\w+\/p\d\/s\d+$/),
    'server.address': '127.0.0.1',
    'cupid.run': expect.stringMatching(/^cupid-/),
    'cupid.session': expect.any(Number),
    'cupid.turn': expect.any(String),
    'cupid.verdict': expect.stringMatching(/^(good|bad)$/),
  });
  expect(parseJournalKey(String(call.attributes['cupid.call']))).toMatchObject({ step: 'user' });
});

test('what failed is marked, calls and requests', () => {
  const failed = collector.spans.filter(({ isError }) => isError);
  const [calls, requests] = [failed.filter(isCall), failed.filter((span) => !isCall(span))];
  expect([calls.length, requests.length]).toEqual([standIn.count('refused'), standIn.count('refused')]);
  for (const { attributes } of requests)
    expect(attributes['error.type']).toBe(String(attributes['http.response.status_code']));
});

test('each call that failed is a line of the log, with what it was for and without a text', async () => {
  const text = await readFile(join(run, '.cupid', 'worker.log'), 'utf8');
  const failed = text
    .trimEnd()
    .split('\n')
    .map((line) => logLineSchema.parse(JSON.parse(line)))
    .filter(({ message }) => message === 'The call was not answered.');
  expect(failed).toHaveLength(standIn.count('refused'));
  expect(failed.find(({ step }) => step === 'user')).toMatchObject({
    level: 'WARN',
    run: expect.stringMatching(/^cupid-/),
    persona: expect.any(Number),
    session: expect.any(Number),
    model: 'openai-compatible:stand-in',
    kind: expect.stringMatching(/^(rate-limit|unavailable)$/),
  });
  expect((await readTexts()).filter((one) => text.includes(one.slice(0, 40)))).toEqual([]);
});

test('no trace has a word of a dialogue, and providers see its ids only where they are asked to', async () => {
  const sent = collector.bodies.join('\n');
  const texts = await readTexts();
  expect(texts.length).toBeGreaterThan(40);
  expect(texts.filter((text) => sent.includes(text.slice(0, 40)))).toEqual([]);
  const [before, after] = metrics.map((one) => sumMetric(one, 'cupid_calls_total'));
  const traced = standIn.received.map(({ traceparent }) => traceparent !== undefined);
  expect(traced.slice(0, before).includes(true)).toBe(false);
  expect(traced.slice(before).filter(Boolean)).toHaveLength(after ?? 0);
  const ids = new Set(collector.spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
  expect(
    standIn.received.flatMap(({ traceparent }) => traceparent ?? []).filter((one) => !ids.has(one)),
  ).toEqual([]);
});

const logLineSchema = z.looseObject({ time: z.iso.datetime(), level: z.string(), message: z.string() });

/** Reads the run's texts about its personas, and those of the dialogues. */
async function readTexts(): Promise<string[]> {
  return (await readRecords(run)).flatMap(({ persona, interactions }) => [
    persona.description,
    ...interactions.flatMap(({ chat }) => chat.map(({ content }) => content)),
  ]);
}

/** Tolerance for times that are rounded to milliseconds, and for a body that is read after its last byte was reported. */
const CLOCK_MS = 50;

function isCall({ attributes }: ReceivedSpan): boolean {
  return attributes['gen_ai.operation.name'] === 'chat';
}

function start(environment: Record<string, string>): Running {
  const size = ['--n-personas=2', '--n-sessions=9', '--concurrency=8'];
  return startCommand(['synth', `--output-dir=${run}`, `--model=${standIn.spec}`, ...size, '--telemetry=0'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ...environment,
  });
}

function fail(): never {
  throw new Error('There is none.');
}
