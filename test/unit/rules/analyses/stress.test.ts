import { computeRecall, computeStress, findErrors, LEAST_ACCEPTED } from '../../../../rules/analyses/stress';
import type { EvaluatorName } from '../../../../schemas/evaluation/results/keys';
import type { StressValue } from '../../../../schemas/evaluation/results/studies';
import type { StressKind } from '../../../../schemas/evaluation/stress';
import { parseLabels } from '../scores/rows';

const MATCHER: EvaluatorName = { evaluator: 'simulated:matcher', evaluator_form: 'evaluator' };
const JUDGE: EvaluatorName = { evaluator: 'simulated:judge', evaluator_form: 'judge' };
const PERSONAS = { requested: 10, sampled: 4 };

/** Returns a value for each persona, from 1. */
function listValues(
  name: EvaluatorName,
  kind: StressKind,
  values: readonly (number | null)[],
): StressValue[] {
  return values.map((value, at) => ({ ...name, persona_id: `${at + 1}`, kind, value }));
}

test.each([
  ['FF', 1],
  ['PP', 0.5],
  ['FNN', 1 / 3],
  ['', null],
])('labels %s give a recall of %d', (labels, recall) => {
  expect(computeRecall(parseLabels(labels))).toBe(recall);
});

test('a matcher is wrong about wrong preferences that it credits with half of the checklist, and right ones with less', () => {
  const { evaluators, ...personas } = computeStress(
    [MATCHER],
    [
      ...listValues(MATCHER, 'true', [1, 0.5, 0.49, null]),
      ...listValues(MATCHER, 'original', [0, 0.5, 0.25, 1]),
      ...listValues(MATCHER, 'general', [0, 0]),
    ],
    PERSONAS,
  );
  expect(personas).toEqual({ n_requested: 10, n_personas: 4 });
  const [matcher] = evaluators;
  expect(matcher).toMatchObject({
    ...MATCHER,
    false_acceptance_rate: { count: 2, total: 6 },
    false_rejection_rate: { count: 1, total: 3 },
  });
  expect(matcher?.kinds).toMatchObject([
    { kind: 'true', n_answers: 3, n_missing: 1, n_lacking: 0, acceptance_rate: { count: 2, total: 3 } },
    {
      kind: 'original',
      n_answers: 4,
      n_missing: 0,
      n_lacking: 0,
      acceptance_rate: { count: 2 },
      mean: 0.4375,
    },
    { kind: 'contrastive', n_answers: 0, n_missing: 0, n_lacking: 4, acceptance_rate: null, mean: null },
    { kind: 'other-persona', n_answers: 0, n_lacking: 4 },
    { kind: 'general', n_answers: 2, n_lacking: 2, acceptance_rate: { count: 0, total: 2 }, mean: 0 },
  ]);
});

test('a judge accepts scores in the upper half of its scale', () => {
  expect(LEAST_ACCEPTED.score - 1).toBe(10 - LEAST_ACCEPTED.score + 1);
  const { evaluators } = computeStress(
    [JUDGE],
    [...listValues(JUDGE, 'true', [6, 5]), ...listValues(JUDGE, 'other-row', [6, 5, 1, null])],
    PERSONAS,
  );
  expect(evaluators).toMatchObject([
    {
      false_acceptance_rate: { count: 1, total: 3 },
      false_rejection_rate: { count: 1, total: 2 },
      kinds: [
        { kind: 'true', n_answers: 2, n_lacking: 2, mean: 5.5 },
        { kind: 'other-row', n_answers: 3, n_missing: 1, n_lacking: 0, mean: 4 },
      ],
    },
  ]);
});

test('intervals are by persona: cases of one persona that agree are no more than one', () => {
  const kinds = ['original', 'contrastive', 'other-persona', 'general'] as const;
  const values = kinds.flatMap((kind) => listValues(MATCHER, kind, [0, 0, 1, 1]));
  const [all] = computeStress([MATCHER], values, PERSONAS).evaluators;
  const [once] = computeStress([MATCHER], listValues(MATCHER, 'original', [0, 0, 1, 1]), PERSONAS).evaluators;
  expect(all?.false_acceptance_rate).toMatchObject({ count: 8, total: 16 });
  expect(all?.false_acceptance_rate?.interval).toEqual(once?.false_acceptance_rate?.interval);
});

test('one that was tested on nothing is listed, and the errors stand beside its own results only', () => {
  const stress = computeStress([MATCHER, JUDGE], listValues(MATCHER, 'true', [1]), PERSONAS);
  expect(stress.evaluators[1]).toMatchObject({
    ...JUDGE,
    false_acceptance_rate: null,
    false_rejection_rate: null,
  });
  expect(findErrors(stress, MATCHER)).toMatchObject({
    evaluator_errors: { false_acceptance_rate: null, false_rejection_rate: { count: 0, total: 1 } },
  });
  expect(findErrors(stress, { ...MATCHER, evaluator_form: 'prefmatcher' })).toEqual({});
  expect(findErrors(undefined, MATCHER)).toEqual({});
});
