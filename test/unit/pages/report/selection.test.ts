import {
  selectDifferences,
  selectDistribution,
  selectLengths,
  selectPeriods,
  selectPositions,
  selectScores,
  selectSquares,
  selectTasks,
  selectTypes,
} from '../../../../pages/report/charts/selection';
import { HISTORY_FORMS } from '../../../../schemas/evaluation/context';
import { buildResults, buildRows } from './results';

const { analyses, differences } = buildResults(buildRows());

function inEach<Entry>(entry: Entry) {
  return HISTORY_FORMS.map((context) => ({ ...entry, context }));
}

test('position and length are drawn only where the model, or its memory, reads all sessions', () => {
  const [setting] = analyses.by_position.settings;
  const [cell] = analyses.by_length.cells;
  if (setting === undefined || cell === undefined) throw new Error('There are no analyses.');
  const contexts = ['full', 'memory', 'summary'];
  expect(selectPositions(inEach(setting)).map(({ context }) => context)).toEqual(contexts);
  expect(selectLengths(inEach(cell)).map(({ context }) => context)).toEqual(contexts);
});

function cut(count: number) {
  return {
    settings: analyses.by_position.settings.map((one) => ({ ...one, points: one.points.slice(0, count) })),
    cells: analyses.by_length.cells.map((one) => ({ ...one, bins: one.bins.slice(0, count) })),
  };
}

test('a line needs three points', () => {
  expect(selectPositions(cut(2).settings)).toEqual([]);
  expect(selectPositions(cut(3).settings)).not.toEqual([]);
  expect(selectLengths(cut(2).cells)).toEqual([]);
  expect(selectLengths(cut(3).cells)).not.toEqual([]);
});

test('a scatter needs three points, of which the paper may have some', () => {
  const [two, three] = [{ points: [1, 2] }, { points: [1, 2, 3] }];
  expect(selectTasks([two, three])).toEqual([three]);
});

test('a single difference, or one without a number, is not drawn', () => {
  const own = differences.filter(({ evaluator }) => evaluator === 'simulated:strict');
  expect(own).toHaveLength(3);
  expect(selectDifferences(own.slice(0, 1))).toEqual([]);
  expect(selectDifferences(own.slice(0, 2))).toEqual([own.slice(0, 2)]);
  const unknown = own.slice(0, 2).map((one) => ({ ...one, average_score: null }));
  expect(selectDifferences(unknown)).toEqual([]);
});

test('scores are drawn beside those of another model or context, or another type', () => {
  const mark = { model: 'a', context: 'full', measure: 'consistent' } as const;
  const [model, context, measure] = [
    { ...mark, model: 'b' },
    { ...mark, context: 'none' as const },
    { ...mark, measure: 'changing' },
  ];
  expect(selectScores([mark, measure])).toEqual([]);
  for (const other of [model, context]) expect(selectScores([mark, other])).toEqual([mark, other]);
  expect(selectTypes([mark, model])).toEqual([]);
  expect(selectTypes([mark, measure])).toEqual([mark, measure]);
});

test('matrices, distributions and courses of a run have something to compare', () => {
  expect(selectSquares([{ column: 'a' }, { column: 'a' }])).toEqual([]);
  expect(selectSquares([{ column: 'a' }, { column: 'b' }])).toHaveLength(2);
  expect([selectDistribution(undefined), selectDistribution(['one'])]).toEqual([[], []]);
  expect(selectDistribution(['one', 'two'])).toHaveLength(2);
  expect([selectPeriods([1, 2]), selectPeriods([1, 2, 3])]).toEqual([[], [1, 2, 3]]);
});
