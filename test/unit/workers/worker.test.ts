import { shutDown } from '../../../workers/worker';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('workers that run are shut down, and their end is waited for', async () => {
  const shutdown = jest.fn();
  let end: (() => void) | undefined;
  const run = new Promise<void>((resolve) => (end = resolve));
  const ended = shutDown(
    [
      { getState: () => 'RUNNING', shutdown },
      { getState: () => 'FAILED', shutdown },
    ],
    [run, Promise.reject(new Error('failed'))],
  );
  await jest.advanceTimersByTimeAsync(59_000);
  expect(shutdown).toHaveBeenCalledTimes(1);
  end?.();
  expect(await ended).toBe(true);
  expect(jest.getTimerCount()).toBe(0);
});

test('a worker that never ends is left after a minute', async () => {
  const ended = shutDown([{ getState: () => 'RUNNING', shutdown: () => undefined }], [new Promise(() => {})]);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await ended).toBe(false);
});
