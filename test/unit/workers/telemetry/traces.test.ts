import { MockActivityEnvironment } from '@temporalio/testing';
import { buildJournalKey } from '../../../../engine/journal/key';
import type { LedgerRow } from '../../../../schemas/run/ledger';
import type { Step } from '../../../../schemas/run/step';
import { openTraces } from '../../../../workers/telemetry/traces';
import type { Traces } from '../../../../workers/telemetry/trace-settings';
import { PARAMETERS } from '../../../journal-entry';
import { startOtlpReceiver } from '../../../stand-in/otlp-receiver';

afterAll(() => delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT']);

const execution = { workflowId: 'cupid-1/p2', runId: 'a-run-id' };

test('a turn that two processes worked on has one span, with the calls of both in it', async () => {
  await using receiver = await startOtlpReceiver();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  const [one, other] = [openTraces(process.env), openTraces(process.env)];
  report(one, { event: 'dialogue-begun', session: 3 });
  await call(one, 'assistant', 0, 'bad');
  await call(other, 'assistant', 1, 'good');
  report(one, { event: 'answered', key: keyOf('assistant', 1) });
  await call(other, 'user', 0, 'good');
  report(one, { event: 'answered', key: keyOf('user', 0) });
  report(one, { event: 'dialogue-completed', session: 3 });
  report(one, { event: 'ended', failed: false });
  await one.close();
  await other.close();

  const names = new Map(receiver.spans.map(({ spanId, name }) => [spanId, name]));
  const edges = receiver.spans.map(
    ({ name, parentSpanId }) => `${names.get(parentSpanId) ?? parentSpanId} > ${name}`,
  );
  expect(edges.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    ' > run cupid-1',
    'dialogue p2/s3 > turn 1',
    'persona p2 > dialogue p2/s3',
    'run cupid-1 > persona p2',
    'turn 1 > chat gpt-6-luna',
    'turn 1 > chat gpt-6-luna',
    'turn 1 > chat gpt-6-luna',
  ]);
});

test('an exporter or a protocol that there is none of is reported with the remedy', () => {
  expect(() => openTraces({ OTEL_TRACES_EXPORTER: 'zipkin' })).toThrow('Set it to otlp.');
  expect(() => openTraces({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(
    /by http\/protobuf only\. Unset it, and name the HTTP port/,
  );
});

async function call(traces: Traces, step: Step, ask: number, verdict: 'good' | 'bad'): Promise<void> {
  const activity = new MockActivityEnvironment({ workflowExecution: execution });
  await activity.run(async () => {
    const listen = traces.listen('cupid-1');
    const line = {
      event: 'sent',
      call: ask + 1,
      key: keyOf(step, ask),
      spec: 'openai:gpt-6-luna',
      step,
      at: Date.now(),
      estimate: { input: 1, output: 1 },
    } as const;
    const of = { id: `a-worker/${ask + 1}`, line };
    listen({ type: 'sent', ...of, request: PARAMETERS });
    const row = { ...ROW, step, bad: verdict === 'bad' ? 1 : 0 };
    listen({ type: 'answered', ...of, row, entry: ENTRY });
  });
}

function report(traces: Traces, event: Parameters<Traces['reported']>[1]): void {
  traces.reported({ ...execution, workflowType: 'persona', startTime: new Date() }, event);
}

function keyOf(step: Step, ask: number): string {
  return buildJournalKey({ workflowId: 'cupid-1/p2/s3', revision: 0, step, turn: 1, ask });
}

const ROW: LedgerRow = {
  spec: 'openai:gpt-6-luna',
  step: 'user',
  calls: 1,
  bad: 0,
  refused: 0,
  input: 1,
  output: 1,
  uncounted: 0,
  lost: 0,
  assumed: { input: 0, output: 0 },
  failed: {},
  milliseconds: 1,
};

const ENTRY = {
  key: '',
  request: '',
  settings: '',
  spec: '',
  milliseconds: 1,
  answer: { text: '', finish: 'complete', model: 'gpt-6-luna', usage: {} },
} as const;
