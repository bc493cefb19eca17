import { computeOverlongShares } from '../../../../rules/analyses/overlong';
import { generation, inference, missing, open } from './rows';

test('an inference is too long with more than 30 words, and counts once however many evaluated it', () => {
  const rows = [30, 31, 20, 39].flatMap((inferred_words, n) => [
    inference({ inferred_words, persona_id: `${n}+baker` }),
    inference({ inferred_words, persona_id: `${n}+baker`, evaluator: 'simulated:other' }),
  ]);
  expect(computeOverlongShares(rows)).toEqual([
    {
      model: 'simulated:a',
      context: 'full',
      n_inferences: 4,
      n_overlong: 2,
      share: 0.5,
      mean_words: 30,
      most_words: 39,
    },
  ]);
});

test('models and contexts are kept apart; an inference counts even when it could not be matched', () => {
  const rows = [
    missing(inference({ inferred_words: 40 })),
    inference({ inferred_words: 10, context: 'summary' }),
    inference({ inferred_words: 10, model: 'simulated:b' }),
    open(inference({ persona_id: '2+cook' })),
    generation(5, { persona_id: '3+cook' }),
  ];
  expect(computeOverlongShares(rows).map(({ model, context, share }) => [model, context, share])).toEqual([
    ['simulated:a', 'full', 1],
    ['simulated:b', 'full', 0],
    ['simulated:a', 'summary', 0],
  ]);
});

test('without inferences there is no share', () => {
  expect(computeOverlongShares([])).toEqual([]);
  expect(computeOverlongShares([open(inference()), generation(5)])).toEqual([]);
});
