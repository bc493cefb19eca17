import { createTurnCounter, type TurnCounter } from '../../../../rules/statistics/turns';

function persona(
  dialogues: readonly { scores: number[]; satisfied: boolean }[],
): Parameters<TurnCounter['add']>[0] {
  return {
    record: {
      interactions: dialogues.map(({ satisfied }, at) => ({ session_id: at + 1, is_satisfied: satisfied })),
    },
    scores: dialogues.map(({ scores }, at) => ({ session: at + 1, scores })),
  };
}

test('dialogues are counted by the turns that were scored and by their ends, scores by turn', () => {
  const counter = createTurnCounter();
  counter.add(
    persona([
      { scores: [6, 10], satisfied: true },
      { scores: [4, 5, 5], satisfied: false },
    ]),
  );
  counter.add(persona([{ scores: [8, 10], satisfied: true }]));
  const { lengths, scores } = counter.end();
  expect(lengths).toEqual([
    { turns: 1, satisfied: 0, unsatisfied: 0 },
    { turns: 2, satisfied: 2, unsatisfied: 0 },
    { turns: 3, satisfied: 0, unsatisfied: 1 },
  ]);
  expect(scores.map(({ turn, dialogues, mean }) => [turn, dialogues, mean])).toEqual([
    [1, 3, 6],
    [2, 3, 25 / 3],
    [3, 1, 5],
  ]);
  expect(scores[1]?.counts).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 2]);
});

test('without dialogues there is nothing', () => {
  expect(createTurnCounter().end()).toEqual({ lengths: [], scores: [] });
});
