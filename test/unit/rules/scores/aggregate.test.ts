import { computeAggregate } from '../../../../rules/scores/aggregate';
import { summarize } from '../../../../rules/scores/summary';
import {
  buildInferenceRow,
  buildGenerationRow,
  buildJudgedRow,
  buildMatchedRow,
  buildMissingRow,
  buildTooLongRow,
} from './rows';

const table = [
  // P 1.5 / 2 = 0.75, R 1.5 / 3 = 0.5, F1 0.6
  buildMatchedRow('FP', 'FPN', { persona_id: '1+baker' }),
  // P 1 / 4 = 0.25, R 1 / 1 = 1, F1 0.4
  buildMatchedRow('FNNN', 'F', { persona_id: '2+pilot' }),
  // P 0, R 0, F1 0; two true entries
  buildTooLongRow(2, { persona_id: '3+nurse' }),
  buildMissingRow('match', { persona_id: '4+judge', n_predicted: 5, n_true: 5 }),
  buildInferenceRow({ persona_id: '5+cook' }),
];

test('micro averages divide sums over all entries, macro averages are means over instances', () => {
  const { inference, generation } = computeAggregate(table);
  expect(inference).toEqual({
    // (1.5 + 1 + 0) / (2 + 4 + 0)
    precision: 2.5 / 6,
    // (1.5 + 1 + 0) / (3 + 1 + 2)
    recall: 2.5 / 6,
    f1: 2.5 / 6,
    n_predicted_matched: 2.5,
    n_true_matched: 2.5,
    n_predicted: 6,
    n_true: 6,
    n_instances: 3,
    // (0.75 + 0.25 + 0) / 3, (0.5 + 1 + 0) / 3, (0.6 + 0.4 + 0) / 3
    macro: { precision: 1 / 3, recall: 0.5, f1: 1 / 3 },
  });
  expect(generation).toBeNull();
});

test('where nothing was inferred there is no precision, as in SQL', () => {
  const rows = [buildTooLongRow(2, { persona_id: '1+baker' }), buildTooLongRow(3, { persona_id: '2+pilot' })];
  const { inference } = computeAggregate(rows);
  expect(inference).toMatchObject({
    precision: null,
    recall: 0,
    f1: 0,
    n_predicted: 0,
    n_true: 5,
    n_instances: 2,
  });
  const [cell] = summarize(rows, { seed: 1, resamples: 10 }).cells;
  expect(cell?.all.inference?.intervals).toMatchObject({ precision: null, recall: expect.anything() });
});

test('micro F1 is the harmonic mean of the averages, not the average of the instances’ F1', () => {
  // P (2 + 0) / (2 + 2) = 0.5, R (1 + 0) / (1 + 3) = 0.25: F1 0.25 / 0.75; of the instances 1 and 0: 0.5.
  const { inference } = computeAggregate([
    buildMatchedRow('FF', 'F', { persona_id: '1+baker' }),
    buildMatchedRow('NN', 'NNN', { persona_id: '2+pilot' }),
  ]);
  expect(inference?.f1).toBe(1 / 3);
  expect(inference?.macro.f1).toBe(0.5);
});

test('the mean score counts a history that was too long as 0 and leaves out what is missing', () => {
  const { generation, inference } = computeAggregate([
    buildJudgedRow(7, { persona_id: '1+baker' }),
    buildJudgedRow(10, { persona_id: '2+pilot' }),
    buildJudgedRow(6, { persona_id: '2+pilot', instance_type: 'changing' }),
    buildGenerationRow({ persona_id: '3+nurse', state: 'context-length', score: 0 }),
    buildGenerationRow({
      persona_id: '4+judge',
      state: 'missing',
      missing_step: 'judge',
      missing_kind: 'refused',
    }),
  ]);
  // (7 + 10 + 6 + 0) / 4
  expect(generation).toEqual({ average_score: 5.75, n_instances: 4 });
  expect(inference).toBeNull();
});

test('every row is counted once by its state, and the missing ones by step and kind', () => {
  const more = [
    buildMissingRow('match', { persona_id: '6+clerk' }),
    buildMissingRow('match', { persona_id: '7+smith', missing_kind: 'refused' }),
    buildMissingRow('infer', { persona_id: '8+guide' }),
  ];
  expect(computeAggregate([...table, ...more]).counts).toEqual({
    scored: 2,
    context_length: 1,
    missing: 4,
    open: 1,
    missing_counts: [
      { step: 'infer', kind: 'bad-answers', count: 1 },
      { step: 'match', kind: 'bad-answers', count: 2 },
      { step: 'match', kind: 'refused', count: 1 },
    ],
  });
});

test('where nothing was scored the averages are null, neither 0 nor not-a-number', () => {
  expect(computeAggregate([buildMissingRow('infer')]).inference).toEqual({
    precision: null,
    recall: null,
    f1: null,
    n_predicted_matched: null,
    n_true_matched: null,
    n_predicted: null,
    n_true: null,
    n_instances: 0,
    macro: { precision: null, recall: null, f1: null },
  });
  expect(computeAggregate([buildGenerationRow()]).generation).toEqual({
    average_score: null,
    n_instances: 0,
  });
});

test('a scored row without its number is reported by row and column', () => {
  const broken = { ...buildMatchedRow('F', 'F'), recall: null };
  expect(() => computeAggregate([broken])).toThrow(
    /persona_id 1\+baker, instance_type consistent .*recall must be a number, but it is empty/,
  );
  expect(() => computeAggregate([buildGenerationRow({ state: 'scored' })])).toThrow(/score must be a number/);
});
