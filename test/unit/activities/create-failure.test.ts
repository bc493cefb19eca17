import { createFailure } from '../../../activities/create-failure';
import { ModelError } from '../../../models/errors/error';
import { MemoryError } from '../../../models/memory/error';
import { IrregularFile } from '../../../data/store/own-file';
import { FolderMoved } from '../../../data/store/system-error';
import { isMisconfigured } from '../../../engine/journal/failed-work';
import { getSpec } from '../../../rules/method/evaluation-work';

test('what a process does not know of a run that has grown is tried until it does, however often', () => {
  const world = { emit: () => undefined };
  for (let tries = 0; tries < 5; tries += 1) {
    try {
      getSpec(['openai:one'], 2);
    } catch (error) {
      expect(createFailure(error, world, 'the same')).toMatchObject({
        type: 'outdated-plan',
        nonRetryable: false,
      });
    }
  }
  expect.assertions(5);
});

test('a wait of nothing leaves the wait to the backoff: Temporal would not retry after 0 ms', () => {
  const world = { emit: () => undefined };
  const none = createFailure(new ModelError('rate-limit', 'Slow down.', 0), world, 'one');
  expect(none).toMatchObject({ nonRetryable: false });
  expect(none.nextRetryDelay).toBeUndefined();
  const away = createFailure(new MemoryError('memory-away', 'Busy.', 0), world, 'one');
  expect(away).toMatchObject({ nonRetryable: false });
  expect(away.nextRetryDelay).toBeUndefined();
  expect(createFailure(new ModelError('rate-limit', 'Slow down.', 5_000), world, 'one').nextRetryDelay).toBe(
    5_000,
  );
});

test.each([
  ['memory-away', false, false],
  ['memory-failed', true, false],
  ['memory-set-up', true, true],
] as const)('%s of a memory system: ended %s, stops the run %s', (kind, isEnded, stopsRun) => {
  const world = { emit: () => undefined };
  const { type, nonRetryable, nextRetryDelay } = createFailure(
    new MemoryError(kind, 'No.', 500),
    world,
    'one',
  );
  expect({ type, nonRetryable }).toEqual({ type: kind, nonRetryable: isEnded });
  expect(nextRetryDelay).toBe(isEnded ? undefined : 500);
  expect(isMisconfigured({ kind: type ?? '' })).toBe(stopsRun);
});

test('work in a folder that was moved is retried until the folder is back, and the remedy is reported', () => {
  const emit = jest.fn();
  const error = new FolderMoved('/runs/one', '/runs/one/.cupid/lock');
  for (let tries = 0; tries < 5; tries += 1)
    expect(createFailure(error, { emit }, 'moved')).toMatchObject({ type: 'disk', nonRetryable: false });
  expect(emit).toHaveBeenLastCalledWith({ type: 'delayed', cause: 'disk', message: error.message });
});

test('a response that is no answer says that it was tried three times once it was', () => {
  const world = { emit: () => undefined };
  const error = new ModelError('invalid-response', 'openai:one answered 200: a web page.');
  const tries = [1, 2, 3].map(() => createFailure(error, world, 'odd'));
  expect(tries.map(({ message, nonRetryable }) => ({ message, nonRetryable }))).toEqual([
    { message: error.message, nonRetryable: false },
    { message: error.message, nonRetryable: false },
    { message: `${error.message} The call was tried 3 times.`, nonRetryable: true },
  ]);
});

test('a link in the place of a file of the run stops the run: every further persona would meet it, and none of them failed', () => {
  const world = { emit: () => undefined };
  const failure = createFailure(new IrregularFile('packs is a symbolic link.'), world, 'one');
  expect(failure).toMatchObject({ message: 'packs is a symbolic link.', nonRetryable: true });
  expect(isMisconfigured({ kind: failure.type ?? '' })).toBe(true);
});
