import { computeCircuit, RecentOutcomes } from '../../../../engine/limits/circuit';

const FAILING = { isFailing: true, failure: 'connection refused' };
const ANSWERING = { isFailing: false };
const OPEN = { sinceMs: 2_000, cause: 'connection refused' };

test('a circuit opens when calls fail, with the last message, and closes with the next answer', () => {
  expect(computeCircuit(undefined, ANSWERING, [], 1_000)).toBeUndefined();
  expect(computeCircuit(undefined, FAILING, [], 2_000)).toEqual(OPEN);
  expect(computeCircuit(OPEN, FAILING, [], 9_000)).toEqual(OPEN);
  expect(computeCircuit(OPEN, { ...ANSWERING, answeredAgoMs: 100 }, [], 10_000)).toBeUndefined();
});

test('an answer before it opened, or before the failures, does not close it', () => {
  expect(computeCircuit(OPEN, { ...ANSWERING, answeredAgoMs: 8_100 }, [], 10_000)).toEqual(OPEN);
  expect(computeCircuit(OPEN, { ...FAILING, answeredAgoMs: 100 }, [], 10_000)).toEqual(OPEN);
});

test('one worker whose network fails opens it for nobody while others are answered', () => {
  expect(computeCircuit(undefined, FAILING, [1_000], 2_000)).toBeUndefined();
  expect(computeCircuit(undefined, FAILING, [1_000], 20_000)).toBeDefined();
});

test.each([
  ['nothing', '', false],
  ['a few failures', '.........', false],
  ['ten failures', '..........', true],
  ['one answer in ten', '.........+', false],
  ['one answer in twenty', '+...................', true],
  ['two calls of three, for a long time', '..+'.repeat(50), false],
  ['many failures after many answers', `${'+'.repeat(100)}${'.'.repeat(19)}`, true],
  ['many failures, but an answer between', `${'.'.repeat(30)}+.`, true],
])('a worker with %s among its outcomes: failing, or not', (_, outcomes, expected) => {
  const recent = new RecentOutcomes();
  for (const outcome of outcomes) recent.record(outcome === '+');
  expect(recent.areFailing).toBe(expected);
});

test('one answer after the circuit was open shows that the model is available', () => {
  const recent = new RecentOutcomes();
  for (let failed = 0; failed < 20; failed += 1) recent.record(false);
  recent.record(true, recent.areFailing);
  expect(recent.areFailing).toBe(false);
});
