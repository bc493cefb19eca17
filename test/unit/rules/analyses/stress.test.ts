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
    wrong_accepted: { count: 2, of: 6 },
    right_rejected: { count: 1, of: 3 },
  });
  expect(matcher?.kinds).toMatchObject([
    { kind: 'true', n: 3, n_missing: 1, n_lacking: 0, accepted: { count: 2, of: 3 } },
    { kind: 'original', n: 4, n_missing: 0, n_lacking: 0, accepted: { count: 2 }, mean: 0.4375 },
    { kind: 'contrastive', n: 0, n_missing: 0, n_lacking: 4, accepted: null, mean: null },
    { kind: 'other-persona', n: 0, n_lacking: 4 },
    { kind: 'general', n: 2, n_lacking: 2, accepted: { count: 0, of: 2 }, mean: 0 },
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
      wrong_accepted: { count: 1, of: 3 },
      right_rejected: { count: 1, of: 2 },
      kinds: [
        { kind: 'true', n: 2, n_lacking: 2, mean: 5.5 },
        { kind: 'other-row', n: 3, n_missing: 1, n_lacking: 0, mean: 4 },
      ],
    },
  ]);
});

test('intervals are by persona: cases of one persona that agree are no more than one', () => {
  const kinds = ['original', 'contrastive', 'other-persona', 'general'] as const;
  const values = kinds.flatMap((kind) => listValues(MATCHER, kind, [0, 0, 1, 1]));
  const [all] = computeStress([MATCHER], values, PERSONAS).evaluators;
  const [once] = computeStress([MATCHER], listValues(MATCHER, 'original', [0, 0, 1, 1]), PERSONAS).evaluators;
  expect(all?.wrong_accepted).toMatchObject({ count: 8, of: 16 });
  expect(all?.wrong_accepted?.interval).toEqual(once?.wrong_accepted?.interval);
});

test('one that was tested on nothing is listed, and the errors stand beside its own results only', () => {
  const stress = computeStress([MATCHER, JUDGE], listValues(MATCHER, 'true', [1]), PERSONAS);
  expect(stress.evaluators[1]).toMatchObject({ ...JUDGE, wrong_accepted: null, right_rejected: null });
  expect(findErrors(stress, MATCHER)).toMatchObject({
    evaluator_errors: { wrong_accepted: null, right_rejected: { count: 0, of: 1 } },
  });
  expect(findErrors(stress, { ...MATCHER, evaluator_form: 'prefmatcher' })).toEqual({});
  expect(findErrors(undefined, MATCHER)).toEqual({});
});
