import { formatLogLine } from '../../../../workers/telemetry/log';

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
