import { estimateCall } from '../../../../engine/costs/call-estimate';
import { STEPS } from '../../../../schemas/run/step';

describe('a call that is about to be sent', () => {
  test('reads a token for every four characters, rounded up, and writes what is typical of its step', () => {
    expect(estimateCall({ step: 'user', characters: 4001, maxTokens: 8192 })).toMatchObject({ input: 1001 });
    for (const step of STEPS.filter((name) => name !== 'recall')) {
      const { output } = estimateCall({ step, characters: 0, maxTokens: 8192 });
      expect(output).toBeGreaterThan(5);
      expect(output).toBeLessThan(8192);
    }
  });

  test('writes as much as calls of its kind did lately, reasoning included; before these, never more than its text may have', () => {
    const call = { step: 'user', characters: 8, maxTokens: 300 } as const;
    expect(estimateCall({ ...call, recent: 120.2 })).toEqual({ input: 2, output: 121 });
    expect(estimateCall({ ...call, recent: 9_000 }).output).toBe(9_000);
    expect(estimateCall({ ...call, step: 'journey' }).output).toBe(300);
  });
});
