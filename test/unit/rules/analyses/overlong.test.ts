import { computeOverlongShares } from '../../../../rules/analyses/overlong';
import { buildGeneration, buildInference, markMissing, open } from './rows';

test('an inference is too long with more than 30 words, and counts once however many evaluated it', () => {
  const rows = [30, 31, 20, 39].flatMap((inferred_words, n) => [
    buildInference({ inferred_words, persona_id: `${n}+baker` }),
    buildInference({ inferred_words, persona_id: `${n}+baker`, evaluator: 'simulated:other' }),
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
    markMissing(buildInference({ inferred_words: 40 })),
    buildInference({ inferred_words: 10, context: 'summary' }),
    buildInference({ inferred_words: 10, model: 'simulated:b' }),
    open(buildInference({ persona_id: '2+cook' })),
    buildGeneration(5, { persona_id: '3+cook' }),
  ];
  expect(computeOverlongShares(rows).map(({ model, context, share }) => [model, context, share])).toEqual([
    ['simulated:a', 'full', 1],
    ['simulated:b', 'full', 0],
    ['simulated:a', 'summary', 0],
  ]);
});

test('without inferences there is no share', () => {
  expect(computeOverlongShares([])).toEqual([]);
  expect(computeOverlongShares([open(buildInference()), buildGeneration(5)])).toEqual([]);
});
