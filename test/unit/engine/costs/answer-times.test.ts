import type { LedgerLine } from '../../../../schemas/run/ledger';
import { AnswerTimes } from '../../../../engine/costs/answer-times';

const CALL = { spec: 'openai:gpt-6', step: 'user' } as const;

/** Lists the same time again and again. */
const times = (count: number, seconds: number) => Array.from({ length: count }, () => seconds);

test.each([
  ['calls of one second, and three that wait for a minute', times(50, 1), [60, 61, 90, 2], [3, 60]],
  ['less than half a minute is not slow, however fast the others are', times(50, 0.1), [29], undefined],
  ['few answers say nothing', times(19, 1), [600], undefined],
  ['the longest answer took as long', [...times(50, 1), 60], [60, 170], undefined],
  ['the longest answer took a third', [...times(50, 1), 60], [60, 181], [1, 181]],
  ['all answers take about as long', times(50, 20), [60, 190], undefined],
  ['a call in flight of a usual length', times(50, 20), [260], [1, 260]],
])('calls in flight are slow beside the answers of their step: %s', (_, answers, waits, expected) => {
  const known = new AnswerTimes();
  for (const seconds of answers) known.add(CALL, seconds * 1_000);
  const inFlight = waits.map((seconds) => ({ ...CALL, waitedMs: seconds * 1_000 }));
  const [slow] = known.findSlow(inFlight);
  expect(slow && [slow.calls, slow.waitedMs / 1_000]).toEqual(expected);
});

test('other steps and models do not count', () => {
  const known = new AnswerTimes();
  for (const seconds of times(50, 1)) known.add(CALL, seconds * 1_000);
  const others = [
    { ...CALL, step: 'assistant', waitedMs: 600_000 },
    { ...CALL, spec: 'openai:other', waitedMs: 600_000 },
  ] as const;
  expect(known.findSlow(others)).toEqual([]);
});

test('answers are read from the lines of a ledger; those of a batch do not count', async () => {
  const known = new AnswerTimes();
  const estimate = { input: 1, output: 1 };
  async function* listLines(): AsyncGenerator<LedgerLine> {
    for (let call = 1; call <= 40; call += 1) {
      const tier = call <= 20 ? {} : { tier: 'batch' as const };
      yield { event: 'sent', call, key: `k${call}`, ...CALL, ...tier, sentAtMs: 1, estimate };
      const durationMs = call <= 20 ? 2_000 : 3_600_000;
      yield { event: 'answered', call, verdict: 'good', usage: {}, durationMs };
    }
  }
  let passed = 0;
  for await (const _ of known.watch(listLines())) passed += 1;
  expect(passed).toBe(80);
  const [slow] = known.findSlow([{ ...CALL, waitedMs: 61_000 }]);
  expect(slow).toMatchObject({ calls: 1, answered: 20, longestMs: 2_000 });
  expect(slow?.medianMs).toBeCloseTo(2_000, -2);
});
