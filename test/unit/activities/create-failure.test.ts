import { createFailure } from '../../../activities/create-failure';
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
