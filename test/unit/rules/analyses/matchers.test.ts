import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import type { MatchLabel } from '../../../../schemas/matching/match-label';
import { compareMatchers } from '../../../../rules/analyses/matchers';
import { buildGeneration, buildInference, buildInferenceOf, markMissing, markTooLong } from './rows';

const [fully, partially, not] = ['Fully Covered', 'Partially Covered', 'Not Covered'] as const;
const PREFMATCHER = { evaluator: 'openai-compatible:p', evaluator_form: 'prefmatcher' } as const;

const labelled = (
  inferred_labels: MatchLabel[],
  true_labels: MatchLabel[],
  given: Partial<ScoreRow> = {},
): ScoreRow => buildInference({ inferred_labels, true_labels, ...given });

test('two matchers are compared by the labels of all entries, in both directions', () => {
  const [comparison] = compareMatchers([
    labelled([fully, fully], [partially]),
    labelled([fully, not], [partially], PREFMATCHER),
    labelled([not], [partially], { persona_id: '2+cook' }),
    labelled([not], [not], { persona_id: '2+cook', ...PREFMATCHER }),
  ]);
  expect(comparison).toMatchObject({
    context: 'full',
    decomposer: 'simulated:judge',
    first: { evaluator: 'simulated:judge', evaluator_form: 'evaluator' },
    second: PREFMATCHER,
    n_entries: 5,
  });
  // Pairs FF FN PP NN PN: of 10 ratings 3 are F, 3 P, 4 N; 4 of 10 ordered pairs within entries differ.
  // Nominal: of the 90 ordered pairs of ratings 2 · (9 + 12 + 12) = 66 differ.
  expect(comparison?.alpha.nominal).toBeCloseTo(1 - 4 / 10 / (66 / 90), 12);
  // Ordinal: mid-ranks F 1.5, P 4.5, N 8; squared distances FP 9, PN 12.25, FN 42.25.
  // Observed (2 · 42.25 + 2 · 12.25) / 10; expected 2 · (9 · 9 + 12 · 12.25 + 12 · 42.25) / 90.
  expect(comparison?.alpha.ordinal).toBeCloseTo(1 - 10.9 / (1470 / 90), 12);
});

test("models' F1 are taken over the instances that count with both", () => {
  const rows = [
    buildInferenceOf(0.25),
    buildInferenceOf(0.5, PREFMATCHER),
    buildInferenceOf(1, { persona_id: '2+cook' }),
    markMissing(buildInferenceOf(1, { persona_id: '2+cook', ...PREFMATCHER })),
    buildInferenceOf(0.75, { model: 'simulated:b' }),
    buildInferenceOf(0.75, { model: 'simulated:b', ...PREFMATCHER }),
    markTooLong(buildInferenceOf(0.75, { model: 'simulated:b', persona_id: '2+cook' })),
    markTooLong(buildInferenceOf(0.75, { model: 'simulated:b', persona_id: '2+cook', ...PREFMATCHER })),
    buildInferenceOf(0.75, { model: 'simulated:c' }),
  ];
  const [comparison, ...others] = compareMatchers(rows);
  expect(others).toEqual([]);
  expect(comparison?.models).toEqual([
    { model: 'simulated:a', n_instances: 1, first_f1: 0.25, second_f1: 0.5 },
    // P = 7.5/10, R = 7.5/20: 2 · 0.28125 / 1.125
    { model: 'simulated:b', n_instances: 2, first_f1: 0.5, second_f1: 0.5 },
  ]);
  expect(comparison?.correlation).toEqual({ n: 2, r: null, p: null });
  expect(JSON.stringify(compareMatchers(rows.toReversed()))).toBe(JSON.stringify(compareMatchers(rows)));
});

test('F1 is correlated over the models', () => {
  const rows = [0.1, 0.2, 0.3, 0.4].flatMap((f1, n) => [
    buildInferenceOf(f1, { model: `simulated:${n}` }),
    buildInferenceOf(1 - f1, { model: `simulated:${n}`, ...PREFMATCHER }),
  ]);
  const [comparison] = compareMatchers(rows);
  expect(comparison?.correlation.n).toBe(4);
  expect(comparison?.correlation.r).toBeCloseTo(-1, 12);
});

test('every two matchers are compared, evaluators first, but never over other contexts or decomposers', () => {
  const rows = [
    buildInference(PREFMATCHER),
    buildInference({ evaluator: 'simulated:z' }),
    buildInference({ evaluator: 'simulated:b' }),
    buildInference({ context: 'oracle' }),
    buildInference({ ...PREFMATCHER, context: 'none' }),
    buildInference({ evaluator: 'simulated:z', decomposer: 'simulated:other' }),
    buildGeneration(5),
  ];
  expect(compareMatchers(rows).map(({ first, second }) => [first.evaluator, second.evaluator])).toEqual([
    ['simulated:b', 'simulated:z'],
    ['simulated:b', 'openai-compatible:p'],
    ['simulated:z', 'openai-compatible:p'],
  ]);
});

test('labels of checklists that are not the same are not laid side by side', () => {
  const [comparison] = compareMatchers([
    labelled([fully, not], [fully]),
    labelled([fully], [partially], PREFMATCHER),
  ]);
  expect(comparison).toMatchObject({ n_entries: 1, alpha: { nominal: 0, ordinal: 0 } });
});

test('where one matcher stands alone or nothing counts there is no agreement', () => {
  expect(compareMatchers([])).toEqual([]);
  expect(compareMatchers([buildInference()])).toEqual([]);
  const [comparison] = compareMatchers([buildInference(), markMissing(buildInference(PREFMATCHER))]);
  expect(comparison?.models).toEqual([]);
  expect(comparison).toMatchObject({ n_entries: 0, alpha: { nominal: null, ordinal: null } });
});
