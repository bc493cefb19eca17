import { formatLogLine, logEvents } from '../../../../workers/telemetry/log';
import { listExamples } from '../../../page-examples';

test('an error is logged by its name and its frames: its message may quote what a model was asked', () => {
  const line = formatLogLine(
    {
      level: 'ERROR',
      message: 'Workflow failed',
      run: 'cupid-1',
      error: new TypeError('in "Dear assistant"\n  and more'),
    },
    '2026-11-24T00:00:00.000Z',
  );
  expect(JSON.parse(line)).toEqual({
    time: '2026-11-24T00:00:00.000Z',
    level: 'ERROR',
    message: 'Workflow failed',
    run: 'cupid-1',
    error: { name: 'TypeError', stack: expect.arrayContaining([expect.stringMatching(/^at /)]) },
  });
  expect(line).not.toContain('Dear');
  expect(line).not.toContain('and more');
});

test('a call that failed is logged as docs/telemetry.md shows it', () => {
  const [example] = listExamples('docs/telemetry.md').filter(({ language }) => language === 'json');
  const lines: string[] = [];
  const run = 'cupid-1a2b3c4d';
  const listen = logEvents((record) => lines.push(formatLogLine(record, '2026-11-24T00:12:01.120Z')), run);
  const line = {
    event: 'sent',
    call: 1,
    key: `${run}/p17/s3#r0.user.t4.a0`,
    spec: 'openai:gpt-6-luna',
    step: 'user',
    sentAtMs: 1,
    estimate: { input: 0, output: 0 },
  } as const;
  listen({ type: 'failed', id: '1', line, kind: 'rate-limit' });
  expect(lines).toEqual([example?.text]);
});
