import { findUsageProblem } from '../../../../engine/costs/usage-problem';
import type { Usage } from '../../../../schemas/model/usage';

const ESTIMATE = { input: 1_200, output: 200 };

test.each<[string, Usage]>([
  ['all zeros for a prompt', { input: 0, output: 0 }],
  ['no input for a prompt', { input: 0, output: 20 }],
  ['more read from a cache than sent', { input: 10, output: 1, cachedRead: 11 }],
  ['more written to a cache than sent', { input: 10, output: 1, cachedWrite: 11 }],
  ['more cached than sent in total', { input: 10, output: 1, cachedRead: 6, cachedWrite: 5 }],
  ['more than a million times the input', { input: 1_200_000_001, output: 1 }],
  ['more than a million times the output', { input: 1, output: 200_000_001 }],
  ['more than a million times, alone', { output: Number.MAX_SAFE_INTEGER }],
])('a usage with %s cannot be true', (_, usage) => {
  expect(findUsageProblem(usage, ESTIMATE)).toEqual(expect.stringMatching(/\d/));
});

test.each<[string, Usage]>([
  ['nothing that is reported', {}],
  ['a count that is not reported', { output: 0 }],
  ['an empty answer', { input: 900, output: 0 }],
  ['everything from a cache', { input: 900, output: 5, cachedRead: 600, cachedWrite: 300 }],
  ['cached tokens whose total is not reported', { cachedRead: 5 }],
  ['more reasoning than output, as some servers count it', { input: 900, output: 5, reasoning: 900 }],
  ['an input far from the estimate', { input: 1_200_000_000, output: 200_000_000 }],
])('a usage with %s can be true', (_, usage) => {
  expect(findUsageProblem(usage, ESTIMATE)).toBeUndefined();
});

test('zeros can be true for an empty prompt', () => {
  expect(findUsageProblem({ input: 0, output: 0 }, { input: 0, output: 1 })).toBeUndefined();
});

test('the problem names the numbers', () => {
  expect(findUsageProblem({ input: 0, output: 0 }, ESTIMATE)).toBe(
    '0 input tokens for a prompt of about 1,200',
  );
});
