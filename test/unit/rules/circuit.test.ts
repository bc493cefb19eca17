import { circuitAfter, circuitWithout, FAILURES_TO_OPEN, type Circuit } from '../../../rules/circuit';

const CLOSED: Circuit = { answers: {} };
const failing = (worker: string, answered = 0) => ({
  worker,
  answered,
  failures: FAILURES_TO_OPEN,
  failure: 'connection refused',
});

test('a circuit opens after five failures in a row, with the last message, and closes with the next answer', () => {
  const almost = circuitAfter(CLOSED, { ...failing('a'), failures: FAILURES_TO_OPEN - 1 }, 1_000);
  expect(almost.open).toBeUndefined();
  const open = circuitAfter(almost, failing('a'), 2_000);
  expect(open.open).toEqual({ sinceMs: 2_000, cause: 'connection refused' });
  expect(circuitAfter(open, failing('a'), 9_000).open?.sinceMs).toBe(2_000);
  expect(circuitAfter(open, { worker: 'a', answered: 1, failures: 0 }, 10_000).open).toBeUndefined();
});

test('a report that arrives again, or an answer before the failures, does not close it', () => {
  const open = circuitAfter(CLOSED, failing('a'), 2_000);
  expect(circuitAfter(open, failing('a', 3), 3_000).open).toBeDefined();
  const again = circuitAfter(open, failing('a', 3), 3_000);
  expect(circuitAfter(again, { worker: 'a', answered: 3, failures: 0 }, 4_000).open).toBeDefined();
});

test('one worker whose network fails opens it for nobody while others are answered', () => {
  const answered = circuitAfter(CLOSED, { worker: 'b', answered: 1, failures: 0 }, 1_000);
  expect(circuitAfter(answered, failing('a'), 2_000).open).toBeUndefined();
  expect(circuitAfter(answered, failing('a'), 20_000).open).toBeDefined();
  expect(circuitAfter(circuitWithout(answered, 'b'), failing('a'), 2_000).open).toBeDefined();
});
