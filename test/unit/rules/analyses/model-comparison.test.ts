import {
  compareModels,
  findComparableBest,
  findContextDifference,
  findModelDifference,
} from '../../../../rules/analyses/model-comparison';
import { summarize } from '../../../../rules/scores/summary';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import type { Setting } from '../../../../schemas/evaluation/results/keys';
import type { ModelDifference } from '../../../../schemas/evaluation/results/summary';
import { buildGenerationRow, buildJudgedRow } from '../scores/rows';

const SETTING: Setting = {
  task: 'generation',
  context: 'full',
  evaluator: 'openai:evaluator',
  evaluator_form: 'judge',
  decomposer: null,
};

/** Builds the stored difference of a minus b. */
function buildPair(
  difference: number,
  interval: { low: number; high: number } | null,
  n_personas = 8,
): ModelDifference {
  return {
    ...SETTING,
    model: 'a',
    other_model: 'b',
    f1: null,
    macro_f1: null,
    average_score: { difference, interval },
    accuracy: null,
    paired_accuracy: null,
    n_instances: 3 * n_personas,
    n_personas,
    n_pairs: null,
  };
}

/** Scores of a model by persona; null for a missing score. */
const score = (model: string, scores: readonly (number | null)[]): ScoreRow[] =>
  scores.map((value, persona) =>
    value === null
      ? buildGenerationRow({ model, persona_id: `${persona}`, state: 'missing' })
      : buildJudgedRow(value, { model, persona_id: `${persona}` }),
  );

const findBest = (...rows: ScoreRow[][]) =>
  findComparableBest(SETTING, summarize(rows.flat(), { seed: 1, resamples: 10 }));

/** Returns the personas needed for a difference of this interval, or how else the models compare. */
const need = (difference: number, low: number, high: number, n?: number) => {
  const compared = compareModels(buildPair(difference, { low, high }, n));
  return compared.kind === 'indistinguishable' ? compared.personasNeeded : compared.kind;
};

describe('compareModels', () => {
  const counts = { n_instances: 24, n_personas: 8 };

  test('an interval without 0 is clear, and names the better model first, whichever way it is stored', () => {
    const interval = { low: 1, high: 3 };
    expect(compareModels(buildPair(2, interval))).toEqual({
      kind: 'clear',
      better: 'a',
      worse: 'b',
      difference: 2,
      interval,
      ...counts,
    });
    expect(compareModels(buildPair(-2, { low: -3, high: -1 }))).toEqual({
      kind: 'clear',
      better: 'b',
      worse: 'a',
      difference: 2,
      interval,
      ...counts,
    });
  });

  test('an interval with 0 says how many personas would be needed: n · (half / difference)², rounded up to two digits', () => {
    // 40 · (5.1 / 3.1)² = 108.26; 252 · (0.3 / 0.05)² = 9,072; 8 · (0.4 / 0.3)² = 14.2.
    expect(need(3.1, -2, 8.2, 40)).toBe(110);
    expect(need(-3.1, -8.2, 2, 40)).toBe(110);
    expect(need(0.05, -0.25, 0.35, 252)).toBe(9_100);
    expect(need(0.3, -0.1, 0.7)).toBe(15);
    // An interval that ends at 0 needs one more.
    expect(need(0.3, 0, 0.7)).toBe(9);
    expect(need(0, -1, 1)).toBeNull();
    expect(need(1e-17, -1, 1)).toBeNull();
  });

  test('models without a common instance, or with one persona only, are not compared', () => {
    expect(compareModels({ ...buildPair(0, null), average_score: null })).toEqual({
      kind: 'incomparable',
      reason: 'no-common-instance',
      models: ['a', 'b'],
    });
    expect(compareModels(buildPair(2, null, 1))).toMatchObject({ reason: 'one-persona' });
  });
});

describe('findComparableBest', () => {
  test('the best is at least as good as each other model over common instances, not by its own mean', () => {
    // Means: a 8, b 7. Where both count, b has 7 and a 6.
    expect(findBest(score('a', [6, 10]), score('b', [7, null]))).toEqual({
      model: 'b',
      isTied: false,
      differences: [{ model: 'a', difference: -1, interval: null, n_instances: 1, n_personas: 1 }],
    });
  });

  test('equal models are tied: the others are compared with the first, and differ by nothing', () => {
    expect(findBest(score('a', [5, 7]), score('b', [7, 5]))).toMatchObject({
      model: 'a',
      isTied: true,
      differences: [{ model: 'b', difference: 0, n_instances: 2 }],
    });
  });

  test('none is named if two models have no common instance, or each is beaten by another', () => {
    expect(findBest(score('a', [9, null]), score('b', [null, 5]), score('c', [1, 1]))).toBeUndefined();
    const circle = [score('a', [5, 4, null]), score('b', [4, null, 5]), score('c', [null, 5, 4])];
    expect(findBest(...circle)).toBeUndefined();
  });

  test('a model without a score does not count, and one alone is not the best of anything', () => {
    const rows = [score('a', [9, 9]), score('b', [null, null])];
    expect(findBest(...rows)).toBeUndefined();
    expect(findBest(...rows, score('c', [1, 1]))?.model).toBe('a');
  });
});

test('a difference is found whichever way it is stored', () => {
  const stored = [buildPair(2, { low: 1, high: 3 })];
  const counts = { n_instances: 24, n_personas: 8 };
  expect(findModelDifference(stored, SETTING, ['b', 'a'])).toEqual({
    difference: -2,
    interval: { low: -3, high: -1 },
    ...counts,
  });
  expect(findModelDifference(stored, SETTING, ['a', 'c'])).toBeNull();
  expect(findModelDifference(stored, { ...SETTING, context: 'none' }, ['a', 'b'])).toBeNull();
  const toNone = [{ ...buildPair(2, null), model: 'a', other_context: 'none' as const }];
  expect(findContextDifference(toNone, { ...SETTING, model: 'a' }, 'none')).toMatchObject({ difference: 2 });
  expect(findContextDifference(toNone, { ...SETTING, model: 'a', context: 'none' }, 'full')).toMatchObject({
    difference: -2,
  });
  expect(findContextDifference(toNone, { ...SETTING, model: 'b' }, 'none')).toBeNull();
});
