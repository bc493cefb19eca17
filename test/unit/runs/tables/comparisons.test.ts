import { summarize } from '../../../../rules/scores/summary';
import { writeComparisons } from '../../../../runs/tables/comparisons';
import type { ModelDifference } from '../../../../schemas/evaluation/results/summary';
import { buildGenerationRow, buildJudgedRow, buildMatchedRow } from '../../rules/scores/rows';

/** Builds a stored difference of careful minus hasty. */
function buildPair(given: Partial<ModelDifference>): ModelDifference {
  return {
    task: 'inference',
    context: 'full',
    evaluator: 'openai:evaluator',
    evaluator_form: 'evaluator',
    decomposer: 'openai:evaluator',
    model: 'careful',
    other_model: 'hasty',
    f1: null,
    macro_f1: null,
    average_score: null,
    accuracy: null,
    paired_accuracy: null,
    n_instances: 24,
    n_personas: 8,
    n_pairs: null,
    ...given,
  };
}

const write = (...differences: ModelDifference[]) =>
  writeComparisons([{ cells: [], differences }]).map(({ text }) => text);

test('a sentence says which model is better, by how much, over how many instances, and that it is clear', () => {
  const f1 = { difference: 0.818, interval: { low: 0.709, high: 0.92 } };
  const sentence =
    'careful is better than hasty at inference, context full: +81.8 F1 (70.9 to 92.0), 24 instances of 8 personas: clear, though 8 personas are few';
  expect(write(buildPair({ f1 }))).toEqual([sentence]);
  const negative = { difference: -0.818, interval: { low: -0.92, high: -0.709 } };
  expect(write(buildPair({ f1: negative, model: 'hasty', other_model: 'careful' }))).toEqual([sentence]);
  const average_score = { difference: 1.2, interval: { low: 0.5, high: 1.9 } };
  expect(write(buildPair({ task: 'generation', context: 'oracle', average_score }))).toEqual([
    'careful is better than hasty at generation, context oracle: +1.20 points (0.50 to 1.90), 24 instances of 8 personas: clear, though 8 personas are few',
  ]);
});

test('or how many personas would make the difference clear; none would if there is no difference', () => {
  const f1 = { difference: 0.031, interval: { low: -0.02, high: 0.082 } };
  expect(write(buildPair({ f1, n_instances: 120, n_personas: 40 }))).toEqual([
    'careful and hasty are not distinguishable at inference, context full: +3.1 F1 (-2.0 to 8.2), 120 instances of 40 personas; about 110 personas would be needed',
  ]);
  expect(write(buildPair({ f1, n_instances: 57, n_personas: 19 }))).toEqual([
    'careful and hasty are not distinguishable at inference, context full: +3.1 F1 (-2.0 to 8.2), 57 instances of 19 personas, too few to tell how many would be needed',
  ]);
  expect(write(buildPair({ f1: { difference: 0, interval: { low: -0.1, high: 0.1 } } }))).toEqual([
    'careful and hasty are not distinguishable at inference, context full: 0.0 F1 (-10.0 to 10.0), 24 instances of 8 personas',
  ]);
});

test('a sentence names the evaluator if the task has several', () => {
  const f1 = { difference: 0.5, interval: { low: 0.4, high: 0.6 } };
  const matched = { evaluator: 'openai:second', decomposer: 'openai:second', f1 };
  expect(write(buildPair({ f1 }), buildPair(matched))).toEqual([
    expect.stringContaining('at inference, matched by openai:evaluator, context full: '),
    expect.stringContaining('at inference, matched by openai:second, context full: '),
  ]);
});

test('models without a common instance have no instances to show', () => {
  const differences = [
    buildPair({ n_instances: 0, n_personas: 0 }),
    buildPair({ f1: { difference: 0.5, interval: null }, n_personas: 1 }),
  ];
  const [without, ofOne] = writeComparisons([{ cells: [], differences }]);
  expect(without?.text).toBe(
    'careful and hasty cannot be compared at inference, context full: no instance has a score of both',
  );
  expect(without?.models).toBeUndefined();
  expect(ofOne?.text).toMatch(/: an interval needs at least two personas that both have$/);
  expect(ofOne?.models).toEqual(['careful', 'hasty']);
});

test('the full history comes first, then clear differences, then the best models; models that cannot be compared come last', () => {
  const personas = ['1+baker', '2+nurse', '3+clerk'];
  const labels = { a: 'NNN', b: 'FFF', c: 'FFN' };
  const rows = personas.flatMap((persona_id) =>
    Object.entries(labels).flatMap(([model, inferred]) => [
      ...(['none', 'full'] as const).map((context) =>
        buildMatchedRow(inferred, inferred, { persona_id, model, context }),
      ),
      model === 'c'
        ? buildGenerationRow({ persona_id, model, state: 'missing' })
        : buildJudgedRow(model === 'a' ? 9 : 2, { persona_id, model }),
    ]),
  );
  const sentences = writeComparisons([summarize(rows, { seed: 1, resamples: 50 })]);
  const order = sentences.map(({ setting: { task, context }, models = [] }) =>
    [task, context, ...models].join(' '),
  );
  expect(order).toEqual([
    'generation full a b',
    'inference full b c',
    'inference full b a',
    'inference full c a',
    'inference none b c',
    'inference none b a',
    'inference none c a',
    'generation full',
    'generation full',
  ]);
});

/** Builds an evaluation of two models with this difference, and half the width of its interval. */
function buildCompared(name: string, difference: number, half: number) {
  const interval = { low: difference - half, high: difference + half };
  return { name, cells: [], differences: [buildPair({ f1: { difference, interval } })] };
}

test('over several evaluations the strongest comparison comes first, and each names its evaluation', () => {
  const unclear = buildCompared('a', 0.3, 0.4);
  const weak = buildCompared('b', 0.5, 0.4);
  const strong = buildCompared('c', 0.2, 0.1);
  const sentences = writeComparisons([unclear, weak, strong]);
  expect(sentences.map(({ text }) => text.split(' at ')[0])).toEqual([
    'c: careful is better than hasty',
    'b: careful is better than hasty',
    'a: careful and hasty are not distinguishable',
  ]);
  expect(sentences.map(({ evaluation }) => evaluation)).toEqual([strong, weak, unclear]);
});
