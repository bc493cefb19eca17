import { describeConcurrency } from '../../../../runs/drive/serve-run';

const worker = { worker: 'worker-1', codeVersion: '1', inFlight: 0, perMinute: 0, concurrency: 12 };
const driver = { ...worker, worker: 'worker-0', concurrency: 24 };

test.each([
  ['alone', [worker], {}, undefined],
  [
    'beside a command',
    [driver, worker],
    {},
    'At most 12 of 36 calls in flight here: --concurrency applies to each of the 2 workers separately.',
  ],
  [
    'beside a command, with a maximum for the run',
    [driver, worker],
    { concurrency: 30 },
    'At most 30 calls in flight over 2 workers, as set with cupid set --concurrency.',
  ],
])('a worker says which concurrency holds: %s', (_, workers, steering, line) => {
  expect(describeConcurrency(12, { workers, steering: { paused: false, limits: {}, ...steering } })).toBe(
    line,
  );
});
