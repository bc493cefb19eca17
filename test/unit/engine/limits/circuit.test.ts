import { computeCircuit, FAILURES_TO_OPEN } from '../../../../engine/limits/circuit';

const FAILING = { failures: FAILURES_TO_OPEN, failure: 'connection refused' };
const OPEN = { sinceMs: 2_000, cause: 'connection refused' };

test('a circuit opens after five failures in a row, with the last message, and closes with the next answer', () => {
  expect(computeCircuit(undefined, { failures: FAILURES_TO_OPEN - 1 }, [], 1_000)).toBeUndefined();
  expect(computeCircuit(undefined, FAILING, [], 2_000)).toEqual(OPEN);
  expect(computeCircuit(OPEN, FAILING, [], 9_000)).toEqual(OPEN);
  expect(computeCircuit(OPEN, { failures: 0, answeredAgoMs: 100 }, [], 10_000)).toBeUndefined();
});

test('an answer before it opened, or before the failures, does not close it', () => {
  expect(computeCircuit(OPEN, { failures: 0, answeredAgoMs: 8_100 }, [], 10_000)).toEqual(OPEN);
  expect(computeCircuit(OPEN, { ...FAILING, answeredAgoMs: 100 }, [], 10_000)).toEqual(OPEN);
});

test('one worker whose network fails opens it for nobody while others are answered', () => {
  expect(computeCircuit(undefined, FAILING, [1_000], 2_000)).toBeUndefined();
  expect(computeCircuit(undefined, FAILING, [1_000], 20_000)).toBeDefined();
});
