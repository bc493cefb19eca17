import { rankByHardness } from '../../../../rules/scores/hardest';

const score = (persona_id: string, model: string, f1: number) => ({ persona_id, model, f1 });

test('personas are ranked by the mean over the models of the mean over their instances, the lowest first', () => {
  const scores = [
    score('1+baker', 'a', 0.5),
    score('1+baker', 'a', 0.7),
    score('1+baker', 'a', 0.6),
    // One instance of the other model weighs as much as the three of the first.
    score('1+baker', 'b', 0),
    score('2+nurse', 'a', 0.2),
    score('2+nurse', 'b', 0.2),
    score('3+pilot', 'b', 1),
  ];
  expect(rankByHardness(scores)).toEqual([
    { persona_id: '2+nurse', f1: 0.2 },
    { persona_id: '1+baker', f1: expect.closeTo(0.3) },
    { persona_id: '3+pilot', f1: 1 },
  ]);
});

test('personas with the same mean are in the order of their ids, whatever the order of the rows', () => {
  const scores = ['3+c', '10+a', '2+b'].map((persona) => score(persona, 'a', 0.5));
  expect(rankByHardness(scores).map(({ persona_id: id }) => id)).toEqual(['10+a', '2+b', '3+c']);
  expect(rankByHardness(scores.toReversed())).toEqual(rankByHardness(scores));
});
