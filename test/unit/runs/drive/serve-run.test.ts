import { describeShare } from '../../../../runs/drive/serve-run';

const [driver, worker] = [24, 12].map((concurrency, at) => ({
  worker: `worker-${at}`,
  codeVersion: '1',
  inFlight: 0,
  perMinute: 0,
  concurrency,
}));

test.each([
  ['alone', [worker], {}, undefined],
  [
    'beside a command',
    [driver, worker],
    {},
    'At most 12 of 36 calls in flight here: --concurrency counts for each of 2 workers by itself.',
  ],
  [
    'beside a command, with a maximum for the run',
    [driver, worker],
    { concurrency: 30 },
    'At most 30 calls in flight over 2 workers, as set with cupid set --concurrency.',
  ],
])('a worker says which concurrency holds: %s', (_, workers, steering, line) => {
  const known = workers.filter((one) => one !== undefined);
  expect(describeShare(12, { workers: known, steering: { paused: false, limits: {}, ...steering } })).toBe(
    line,
  );
});
