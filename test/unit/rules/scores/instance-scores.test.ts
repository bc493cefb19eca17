import * as fc from 'fast-check';
import {
  buildContextLengthScores,
  computeInferenceScores,
  type MatchedChecklist,
} from '../../../../rules/scores/instance-scores';
import { parseLabels, letters } from './rows';

const checklist = (text: string): MatchedChecklist => ({ size: text.length, labels: parseLabels(text) });

test.each([
  // P: of two inferred entries 1 + 0.5 match, 1.5 / 2. R: of three true ones 1 + 0.5 + 0, 1.5 / 3. F1 = 2 · 0.75 · 0.5 / 1.25.
  ['FP', 'FPN', { precision: 0.75, recall: 0.5, f1: 0.6 }],
  // 0.5 / 1 and 1 / 4: F1 = 2 · 0.5 · 0.25 / 0.75 = 1 / 3.
  ['P', 'FNNN', { precision: 0.5, recall: 0.25, f1: 1 / 3 }],
  // 1 / 3 and 2 / 2: F1 = 2 · 1/3 · 1 / (4/3) = 1 / 2.
  ['FNN', 'FF', { precision: 1 / 3, recall: 1, f1: 0.5 }],
  ['FF', 'FFF', { precision: 1, recall: 1, f1: 1 }],
  // Nothing matched either way: the harmonic mean of 0 and 0 is 0.
  ['NN', 'N', { precision: 0, recall: 0, f1: 0 }],
  // Nothing was inferred.
  ['', 'NN', { precision: 0, recall: 0, f1: 0 }],
])('inferred %s and true %s entries give the scores computed by hand', (inferred, truth, scores) => {
  expect(computeInferenceScores(checklist(inferred), checklist(truth))).toMatchObject(scores);
});

test('entries are counted by the checklist, their labels’ scores are summed: fully 1, partially 0.5, not 0', () => {
  expect(computeInferenceScores(checklist('FPPN'), checklist('FFP'))).toEqual({
    n_predicted: 4,
    n_predicted_matched: 2,
    n_true: 3,
    n_true_matched: 2.5,
    precision: 0.5,
    recall: 2.5 / 3,
    // 2 · 1/2 · 5/6 / (8/6) = 5 / 8.
    f1: 0.625,
  });
});

test('a history that was too long leaves the true checklist uncovered and nothing inferred', () => {
  expect(buildContextLengthScores(3)).toEqual({
    n_predicted: 0,
    n_predicted_matched: 0,
    n_true: 3,
    n_true_matched: 0,
    precision: 0,
    recall: 0,
    f1: 0,
  });
});

test('scores lie between 0 and 1, F1 between precision and recall', () => {
  fc.assert(
    fc.property(letters(0), letters(1), (inferred, truth) => {
      const { precision, recall, f1 } = computeInferenceScores(checklist(inferred), checklist(truth));
      const [low, high] = [Math.min(precision, recall), Math.max(precision, recall)];
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      // The last digit may be rounded away from the mean.
      expect(f1).toBeGreaterThanOrEqual(low * (1 - 1e-15));
      expect(f1).toBeLessThanOrEqual(high * (1 + 1e-15));
    }),
  );
});

test('with inferred and true swapped, precision and recall are swapped and F1 is the same', () => {
  fc.assert(
    fc.property(letters(0), letters(0), (one, other) => {
      const scores = computeInferenceScores(checklist(one), checklist(other));
      const swapped = computeInferenceScores(checklist(other), checklist(one));
      expect(swapped.precision).toBe(scores.recall);
      expect(swapped.recall).toBe(scores.precision);
      expect(swapped.f1).toBe(scores.f1);
    }),
  );
});
