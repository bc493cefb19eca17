import { runAsCall } from '../../../../activities/ask-model';
import { computeTotals } from '../../../../engine/costs/ledger';
import { buildDialogueId, buildJournalKey, buildTrialId } from '../../../../engine/journal/key';
import type { Step } from '../../../../schemas/run/step';
import { openTraces, type Traces } from '../../../../workers/telemetry/traces';
import { buildJournalEntry, PARAMETERS } from '../../../journal-entry';
import { startOtlpReceiver } from '../../../stand-in/otlp-receiver';

afterAll(() => delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT']);

test('calls of a persona that two processes made are in one trace, and those of another persona in another', async () => {
  await using receiver = await startOtlpReceiver();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  const [one, other] = [openTraces(process.env), openTraces(process.env)];
  await call(one, DIALOGUE, 'assistant', 0, 'bad');
  await call(other, DIALOGUE, 'assistant', 1, 'good');
  await call(other, buildDialogueId('cupid-1', 3, 3), 'user', 0, 'good');
  await one.close();
  await other.close();

  const [first, second, third] = ['2.assistant.0', '2.assistant.1', '3.user.0'].map((of) =>
    receiver.spans.find(
      ({ attributes }) =>
        `${attributes['cupid.persona']}.${attributes['cupid.step']}.${Number(attributes['cupid.attempt']) - 1}` ===
        of,
    ),
  );
  expect(first).toMatchObject({
    name: 'chat gpt-6-luna',
    parentSpanId: '',
    attributes: { 'cupid.session': 3, 'cupid.turn': '1', 'cupid.verdict': 'bad' },
  });
  expect(second?.traceId).toBe(first?.traceId);
  expect(third?.traceId).not.toBe(first?.traceId);
});

test('each trial of an evaluation has a trace of its own', async () => {
  await using receiver = await startOtlpReceiver();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  const traces = openTraces(process.env);
  for (const [at, instance] of [1, 1, 2].entries())
    await call(traces, buildTrialId('cupid-1', { instance, model: 1, context: 'full' }), 'infer', at, 'good');
  await traces.close();
  const [first, second, third] = receiver.spans.map(({ traceId }) => traceId);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test('the HTTP request of a call is a span in it, without its query, which may hold a key', async () => {
  await using receiver = await startOtlpReceiver();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  const traces = openTraces(process.env);
  const url = `${receiver.url}/chat`;
  await fetch(`${url}?of=no-call`);
  await call(traces, DIALOGUE, 'user', 0, 'good', async () => {
    await (await fetch(`${url}?key=a-secret`, { method: 'POST' })).text();
  });
  await traces.close();

  const [sent, ...others] = receiver.spans.filter(({ attributes }) => 'url.full' in attributes);
  const { spanId } = receiver.spans.find(({ name }) => name === 'chat gpt-6-luna') ?? {};
  expect(others).toEqual([]);
  expect(sent).toMatchObject({
    name: 'POST',
    parentSpanId: spanId,
    isError: true,
    attributes: { 'url.full': url, 'http.response.status_code': 415 },
  });
  expect(receiver.bodies.join('')).not.toContain('a-secret');
});

test('an exporter or a protocol that there is none of is reported with the remedy', () => {
  expect(() => openTraces({ OTEL_TRACES_EXPORTER: 'zipkin' })).toThrow('Set it to otlp.');
  expect(() => openTraces({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(
    /by http\/protobuf only\. Unset it, and name the HTTP port/,
  );
});

const DIALOGUE = buildDialogueId('cupid-1', 2, 3);

async function call(
  traces: Traces,
  workflowId: string,
  step: Step,
  attempt: number,
  verdict: 'good' | 'bad',
  send: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const listen = traces.listen('cupid-1');
  const line = {
    event: 'sent',
    call: attempt + 1,
    key: buildJournalKey({ workflowId, revision: 0, step, turn: 1, attempt }),
    spec: 'openai:gpt-6-luna',
    step,
    sentAtMs: Date.now(),
    estimate: { input: 1, output: 1 },
  } as const;
  const of = { id: `a-worker/${attempt + 1}`, line };
  listen({ type: 'sent', ...of, request: PARAMETERS });
  await runAsCall(of.id, send);
  const counts = { calls: 1, badAnswers: verdict === 'bad' ? 1 : 0, input: 1, output: 1 };
  const row = { ...computeTotals([]), ...counts, spec: line.spec, step };
  listen({ type: 'answered', ...of, row, entry: buildJournalEntry(line.key, { model: 'gpt-6-luna' }) });
}
