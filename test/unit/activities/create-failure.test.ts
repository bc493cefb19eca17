import { createFailure } from '../../../activities/create-failure';
import { ModelError } from '../../../models/errors/error';
import { getSpec } from '../../../rules/trials/trials';

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
  expect(createFailure(new ModelError('rate-limit', 'Slow down.', 5_000), world, 'one').nextRetryDelay).toBe(
    5_000,
  );
});
