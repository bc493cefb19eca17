import { MockActivityEnvironment } from '@temporalio/testing';
import { runAsCall } from '../../../../activities/ask-model';
import { computeTotals } from '../../../../engine/costs/ledger';
import { buildJournalKey } from '../../../../engine/journal/key';
import type { Step } from '../../../../schemas/run/step';
import { openTraces, type Traces } from '../../../../workers/telemetry/traces';
import { buildJournalEntry, PARAMETERS } from '../../../journal-entry';
import { startOtlpReceiver } from '../../../stand-in/otlp-receiver';

afterAll(() => delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT']);

test('calls of a persona that two processes made are in one trace, and those of another persona in another', async () => {
  await using receiver = await startOtlpReceiver();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  const [one, other] = [openTraces(process.env), openTraces(process.env)];
  await call(one, 2, 'assistant', 0, 'bad');
  await call(other, 2, 'assistant', 1, 'good');
  await call(other, 3, 'user', 0, 'good');
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

test('the HTTP request of a call is a span in it, without its query, which may hold a key', async () => {
  await using receiver = await startOtlpReceiver();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  const traces = openTraces(process.env);
  const url = `${receiver.url}/chat`;
  await fetch(`${url}?of=no-call`);
  await call(traces, 2, 'user', 0, 'good', async () => {
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

async function call(
  traces: Traces,
  persona: number,
  step: Step,
  attempt: number,
  verdict: 'good' | 'bad',
  send: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const workflowId = `cupid-1/p${persona}`;
  const execution = { workflowId, runId: 'a-run-id' };
  const activity = new MockActivityEnvironment({ workflowExecution: execution });
  await activity.run(async () => {
    const listen = traces.listen('cupid-1');
    const line = {
      event: 'sent',
      call: attempt + 1,
      key: buildJournalKey({ workflowId: `${workflowId}/s3`, revision: 0, step, turn: 1, attempt }),
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
  });
}
