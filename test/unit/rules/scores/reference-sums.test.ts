import { computeReferenceSums } from '../../../../rules/scores/reference-sums';
import {
  buildGenerationRow,
  buildInferenceRow,
  buildJudgedRow,
  buildMatchedRow,
  buildMissingRow,
  buildTooLongRow,
} from './rows';

const row = (number: number) => ({ persona_id: `${number}+baker` });
const missingGeneration = (step: 'judge' | 'respond', number: number) =>
  buildGenerationRow({ state: 'missing', missing_step: step, missing_kind: 'refused', ...row(number) });

// Values of the reference:                     inference matched/entries     generation
const inference = [
  buildMatchedRow('FP', 'FPN', row(1)), //             1.5 of 2, 1.5 of 3            8
  buildMissingRow('match', { ...row(2), n_predicted: 4, n_true: 2 }), // 0 of 4, 0 of 2     6
  buildMatchedRow('FF', 'FF', row(3)), //              2 of 2, 2 of 2                judge failed: 0
  buildMissingRow('decompose', row(4)), //             dropped                       dropped, though 9
  buildMatchedRow('F', 'F', row(5)), //                dropped, though matched       respond failed: dropped
  buildTooLongRow(3, row(6)), //                       0 of 0, 0 of 3                0
  buildInferenceRow(row(7)), //                        open: dropped                 dropped, though 10
];
const generation = [
  buildJudgedRow(8, row(1)),
  buildJudgedRow(6, row(2)),
  missingGeneration('judge', 3),
  buildJudgedRow(9, row(4)),
  missingGeneration('respond', 5),
  buildGenerationRow({ state: 'context-length', score: 0, ...row(6) }),
  buildJudgedRow(10, row(7)),
];

test('failed matches keep both denominators, failed judges are 0, all other failures drop the instance from both', () => {
  const precision = 3.5 / 8;
  const recall = 3.5 / 10;
  expect(computeReferenceSums(inference, generation)).toEqual({
    inference: {
      precision,
      recall,
      // 2 · 3.5/8 · 3.5/10 / (3.5/8 + 3.5/10) = 7 / 18
      f1: expect.closeTo(7 / 18, 15),
      n_predicted_matched: 3.5,
      n_predicted: 8,
      n_true_matched: 3.5,
      n_true: 10,
      n_instances: 4,
    },
    // (8 + 6 + 0 + 0) / 4
    generation: { average_score: 3.5, n_instances: 4 },
    n_dropped: 3,
  });
});

test('of one task alone, only its own failures drop instances', () => {
  expect(computeReferenceSums(inference, [])).toMatchObject({
    inference: { n_instances: 5, n_predicted: 9 },
    generation: null,
    n_dropped: 2,
  });
  expect(computeReferenceSums([], generation)).toMatchObject({
    inference: null,
    // (8 + 6 + 0 + 9 + 0 + 10) / 6
    generation: { average_score: 5.5, n_instances: 6 },
    n_dropped: 1,
  });
});

test('where everything was dropped there is no number', () => {
  expect(computeReferenceSums([buildMissingRow('infer')], [buildJudgedRow(9)])).toEqual({
    inference: null,
    generation: null,
    n_dropped: 1,
  });
});

test('a failed match whose row does not carry its entries is reported by row and column', () => {
  expect(() => computeReferenceSums([buildMissingRow('match')], [])).toThrow(
    /persona_id 1\+baker.*"missing at match", so n_predicted must be a number/,
  );
});

test('consistent and changing instances of one persona are dropped each for itself', () => {
  const changing = buildMatchedRow('FN', 'F', { instance_type: 'changing' });
  expect(computeReferenceSums([buildMissingRow('infer'), changing], [])).toMatchObject({
    inference: { precision: 0.5, recall: 1, n_instances: 1 },
    n_dropped: 1,
  });
});
