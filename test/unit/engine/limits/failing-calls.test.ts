import { FailingCalls } from '../../../../engine/limits/failing-calls';

const MINUTE = 60_000;

/** Fails a call a number of times during some minutes, beside other calls to its model: answers and failures, one after the other. */
function fail(
  failures: number,
  beside: { readonly answers: number; readonly failures: number },
  minutes = 11,
) {
  const calls = new FailingCalls();
  for (let count = 0; count < 500; count += 1) calls.answered('model', `earlier ${count}`, 0);
  for (let count = 0; count < 500; count += 1) calls.answered('other model', `beside ${count}`, 0);
  calls.failed('model', 'own', 0);
  for (let count = 0; count < beside.failures; count += 1) calls.failed('model', `failing ${count % 7}`, 0);
  const share = beside.answers / Math.max(1, failures - 1);
  for (let count = 1; count < failures; count += 1) {
    for (let answer = Math.ceil((count - 1) * share); answer < count * share; answer += 1)
      calls.answered('model', `beside ${answer}`, 0);
    calls.failed('model', 'own', count);
  }
  const own = calls.findOwnFailures('own', minutes * MINUTE);
  return { own: own?.failures, calls };
}

test.each([
  ['its model answers all others: three timeouts are no chance', 3, { answers: 100, failures: 0 }, 3],
  ['two are', 2, { answers: 100, failures: 0 }, undefined],
  ['every second attempt of the others fails', 20, { answers: 500, failures: 500 }, 20],
  ['that often, it may have had bad luck', 13, { answers: 500, failures: 500 }, undefined],
  ['nine of ten fail', 40, { answers: 100, failures: 900 }, undefined],
  ['the model is away', 500, { answers: 0, failures: 4_000 }, undefined],
  ['it answered those in flight, then went away', 500, { answers: 8, failures: 4_000 }, undefined],
  ['no other call is sent', 500, { answers: 0, failures: 0 }, undefined],
])('a call fails, and %s', (_, failures, beside, own) => {
  expect(fail(failures, beside)).toMatchObject({ own });
});

test('a call is not given up before ten minutes, nor once it was answered or ended', () => {
  const beside = { answers: 100, failures: 0 };
  expect(fail(50, beside, 9)).toMatchObject({ own: undefined });
  const { calls } = fail(50, beside);
  expect(calls.findOwnFailures('own', 11 * MINUTE)).toEqual({
    failures: 50,
    forMs: 11 * MINUTE,
    othersAnswered: 100,
  });
  calls.answered('model', 'own', 0);
  expect(calls.findOwnFailures('own', 11 * MINUTE)).toBeUndefined();
  calls.failed('model', 'own', 11 * MINUTE);
  calls.ended('own');
  expect(calls.findOwnFailures('own', 30 * MINUTE)).toBeUndefined();
});

test('calls that are left alone are given up if they fail again after a short call was answered', () => {
  const calls = new FailingCalls();
  calls.answered('model', 'earlier', 5 * MINUTE);
  for (let count = 0; count < 20; count += 1) {
    expect(calls.needsCheck('a', 20 * MINUTE)).toBe(false);
    for (const key of ['a', 'b']) calls.failed('model', key, 0);
  }
  expect(calls.needsCheck('a', 14 * MINUTE)).toBe(false);
  expect(calls.needsCheck('a', 15 * MINUTE)).toBe(true);
  calls.checked('a', 15 * MINUTE);
  expect(calls.needsCheck('a', 16 * MINUTE)).toBe(false);
  for (let count = 0; count < 3; count += 1) {
    expect(calls.findOwnFailures('a', 16 * MINUTE)).toBeUndefined();
    calls.failed('model', 'a', 0);
  }
  expect(calls.findOwnFailures('a', 16 * MINUTE)).toMatchObject({ failures: 23 });
  expect(calls.findOwnFailures('b', 16 * MINUTE)).toBeUndefined();
  calls.answered('model', 'b', 17 * MINUTE);
  expect(calls.findOwnFailures('a', 17 * MINUTE)).toBeUndefined();
});

test('failures in an outage do not count against a call that fails once after it', () => {
  const calls = new FailingCalls();
  for (let round = 0; round < 14; round += 1)
    for (let key = 0; key < 64; key += 1) calls.failed('model', `call ${key}`, round);
  for (let count = 0; count < 5_000; count += 1) calls.answered('model', `later ${count}`, 40 * MINUTE);
  calls.failed('model', 'call 0', 50 * MINUTE);
  expect(calls.findOwnFailures('call 0', 50 * MINUTE)).toBeUndefined();
});

test('calls that a model rejects are counted by call, until it answers', () => {
  const calls = new FailingCalls();
  const counts = ['a', 'a', 'b'].map((key) => calls.rejected('model', key));
  expect(counts).toEqual([1, 1, 2]);
  expect(calls.rejected('other model', 'c')).toBe(1);
  calls.answered('model', 'd', 0);
  expect(calls.rejected('model', 'e')).toBe(1);
});
