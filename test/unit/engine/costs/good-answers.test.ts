import { GoodAnswers } from '../../../../engine/costs/good-answers';
import type { LedgerLine } from '../../../../schemas/run/ledger';
import { stream } from '../../data/sets/instances';

const CALL = { spec: 'openai:gpt-6', step: 'infer', sentAtMs: 1, estimate: { input: 1, output: 1 } } as const;

test('a call is answered well if its ledger says so; answers of batches are judged later', async () => {
  const verdicts = ['good', 'bad', 'refused', 'good'] as const;
  const lines = verdicts.flatMap((verdict, at): LedgerLine[] => {
    const call = at + 1;
    const tier = call === 4 ? { tier: 'batch' as const } : {};
    return [
      { event: 'sent', call, key: `k${call}`, ...CALL, ...tier },
      { event: 'answered', call, verdict, usage: {}, durationMs: 1 },
    ];
  });
  const sent: LedgerLine = { event: 'sent', call: 5, key: 'k5', ...CALL };
  const good = new GoodAnswers();
  const passed: LedgerLine[] = [];
  for await (const line of good.watch(stream([...lines, sent]))) passed.push(line);
  expect(passed).toEqual([...lines, sent]);
  expect(['k1', 'k2', 'k3', 'k4', 'k5'].filter((key) => good.has(key))).toEqual(['k1']);
});
