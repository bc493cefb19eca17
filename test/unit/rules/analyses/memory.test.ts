import { analyzeMemory, computeMemoryShares } from '../../../../rules/analyses/memory';
import { buildInferenceRow } from '../scores/rows';

test('contexts that were empty, cut at the budget, or asked for too early are counted, once for both tasks', () => {
  const rows = [
    [0, 0],
    [100, 0],
    [101, 1],
    [500, 0],
  ].flatMap(([tokens = 0, unfinished = 0], at) =>
    (['inference', 'choice'] as const).map((task) =>
      buildInferenceRow({
        task,
        persona_id: `${at}+baker`,
        context: 'memory',
        memory_tokens: tokens,
        memory_unfinished_messages: unfinished,
      }),
    ),
  );
  expect(computeMemoryShares(rows, 100)).toMatchObject({
    empty: { share: 0.25, count: 1, total: 4 },
    cut: { share: 0.5, count: 2, total: 4 },
  });
  expect(computeMemoryShares([], 100)).toEqual({ empty: null, cut: null });
  expect(analyzeMemory(rows, 100)[0]).toMatchObject({
    n_instances: 4,
    n_empty: 1,
    n_cut: 2,
    n_unfinished: 1,
  });
});
