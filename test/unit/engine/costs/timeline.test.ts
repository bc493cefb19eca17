import { computeTotals, mergeLedgers } from '../../../../engine/costs/ledger';
import { TimelineCounter } from '../../../../engine/costs/timeline';
import type { LedgerLine } from '../../../../schemas/run/ledger';

const SENT = {
  event: 'sent',
  key: 'k',
  spec: 'simulated:default',
  step: 'user',
  estimate: { input: 1, output: 1 },
} as const;

/** Builds a call that is sent at this second and answered half a second later. */
function answer(call: number, second: number): LedgerLine[] {
  return [
    { ...SENT, call, sentAtMs: 1_000_000 + second * 1_000 },
    { event: 'answered', call, verdict: 'good', usage: { input: 10, output: 5 }, durationMs: 500 },
  ];
}

async function count(
  ...workers: readonly (readonly LedgerLine[])[]
): Promise<ReturnType<TimelineCounter['end']>> {
  const counter = new TimelineCounter();
  for (const [at, lines] of workers.entries()) {
    const passed: LedgerLine[] = [];
    for await (const line of counter.watch(`w${at}`, stream(lines))) passed.push(line);
    expect(passed).toEqual(lines);
  }
  return counter.end();
}

async function* stream(lines: readonly LedgerLine[]): AsyncGenerator<LedgerLine> {
  yield* lines;
}

test('the calls of all workers stand in the second in which they ended; seconds without any are left out', async () => {
  const failed: LedgerLine[] = [
    { ...SENT, call: 2, sentAtMs: 1_004_000 },
    { event: 'failed', call: 2, kind: 'rate-limit' },
  ];
  const { stepMs, stretches, lastMs } = await count([...answer(1, 0), ...failed], answer(1, 0));
  expect(stepMs).toBe(1_000);
  expect(stretches.map((ledger) => computeTotals(ledger))).toMatchObject([
    { calls: 2, input: 20, failures: {} },
    { calls: 0, failures: { 'rate-limit': 1 } },
  ]);
  expect(lastMs).toBe(1_004_000);
});

test('a call in flight stands nowhere', async () => {
  const { stretches, lastMs } = await count([{ ...SENT, call: 1, sentAtMs: 1_000_000 }]);
  expect([stretches, lastMs]).toEqual([[], undefined]);
});

test('stretches grow with the run, and nothing is lost', async () => {
  const { stepMs, stretches } = await count(
    Array.from({ length: 2_000 }, (_, at) => answer(at + 1, at)).flat(),
  );
  expect(stepMs).toBe(32_000);
  expect(stretches.length).toBeLessThanOrEqual(120);
  expect(computeTotals(mergeLedgers(stretches))).toMatchObject({ calls: 2_000, output: 10_000 });
});
