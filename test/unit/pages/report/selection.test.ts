import { openPen, type Pen } from '../../../../pages/charts/drawing';
import { drawDifferences } from '../../../../pages/charts/differences';
import { drawLengths, drawPositions } from '../../../../pages/charts/lines';
import { drawEvaluators, drawSynthesizers } from '../../../../pages/charts/matrices';
import { drawScores } from '../../../../pages/charts/scores';
import { drawTasks } from '../../../../pages/charts/tasks';
import { drawDistributions } from '../../../../pages/report/synthesis-report';
import { CONTEXT_FORMS } from '../../../../schemas/evaluation/context';
import { buildResults, buildRows } from '../../runs/tables/results';

const { analyses, cells, differences } = buildResults(buildRows());
let pen: Pen;
beforeAll(async () => {
  pen = await openPen();
});

function inEach<Entry>(entries: readonly Entry[]) {
  return entries
    .slice(0, 1)
    .flatMap((entry) => [...CONTEXT_FORMS, 'preference' as const].map((context) => ({ ...entry, context })));
}

test('position and length are drawn only where the model, or its memory, reads all sessions', () => {
  const placed = inEach(analyses.by_position.cells);
  expect(drawPositions(pen, { ...analyses.by_position, cells: placed })).toHaveLength(3);
  expect(drawLengths(pen, { bins: [], cells: inEach(analyses.by_length.cells) })).toHaveLength(3);
});

test.each([
  [2, 0],
  [3, 1],
])('a line of %i points has %i charts', (count, charts) => {
  const placed = analyses.by_position.cells.slice(0, 1);
  const cut = placed.map((one) => ({ ...one, points: one.points.slice(0, count) }));
  expect(drawPositions(pen, { ...analyses.by_position, cells: cut })).toHaveLength(charts);
  const shortened = analyses.by_length.cells.slice(0, 1);
  const binned = shortened.map((one) => ({ ...one, bins: one.bins.slice(0, count) }));
  expect(drawLengths(pen, { bins: [], cells: binned })).toHaveLength(charts);
});

test.each([
  [9, true],
  [10, false],
])('a point of %i instances is gray: %s', (count, isGray) => {
  const placed = analyses.by_position.cells.slice(0, 1).map((cell) => ({
    ...cell,
    points: cell.points.map((point) => ({ ...point, n_instances: count })),
  }));
  const [figure] = drawPositions(pen, { ...analyses.by_position, cells: placed });
  expect(figure?.drawing.includes('var(--few)')).toBe(isGray);
  expect(figure?.note.includes('gray')).toBe(isGray);
});

test('a scatter needs three points, of which the paper may have some', () => {
  const [all] = analyses.tasks;
  if (all === undefined) throw new Error('There are no comparisons.');
  const two = [{ ...all, models: all.models.slice(0, 2) }];
  expect(drawTasks(pen, [all], false)).toHaveLength(1);
  expect(drawTasks(pen, two, false)).toEqual([]);
  expect(drawTasks(pen, two, true)).toHaveLength(1);
});

test('a single difference, or one without a number, is not drawn', () => {
  const own = differences.filter(({ evaluator }) => evaluator === 'simulated:strict');
  expect(own).toHaveLength(3);
  expect(drawDifferences(pen, own.slice(0, 1))).toEqual([]);
  expect(drawDifferences(pen, own.slice(0, 2))).toHaveLength(1);
  expect(
    drawDifferences(
      pen,
      own.slice(0, 2).map((one) => ({ ...one, average_score: null })),
    ),
  ).toEqual([]);
});

test('scores are drawn beside those of another model, context or type', () => {
  const [cell] = cells.filter(({ task }) => task === 'generation');
  if (cell === undefined) throw new Error('There are no cells.');
  const { consistent } = cell.by_type;
  const alone = { ...cell, by_type: consistent === undefined ? {} : { consistent } };
  expect(drawScores(pen, [alone])).toEqual([]);
  expect(drawScores(pen, [cell]).map(({ name }) => name)).toEqual([expect.stringMatching(/^types-/)]);
  for (const other of [{ model: 'b' }, { context: 'none' as const }]) {
    const names = drawScores(pen, [alone, { ...alone, ...other }]).map(({ name }) => name);
    expect(names).toEqual([expect.stringMatching(/^figure-8-/)]);
  }
});

test('a distribution needs two types', () => {
  const share = { count: 1, share: 0.5 };
  const both = ['Event/Time', 'Person/Group'].map((type) => ({ ...share, type }));
  const draw = (of: typeof both) => drawDistributions(pen, [['types', 'Types', 'factors', of]]);
  expect([draw(both), draw(both.slice(1))]).toEqual([[expect.anything()], []]);
});

test('a matrix needs several columns', () => {
  const judged = cells.filter(({ task }) => task === 'generation');
  expect(drawEvaluators(pen, judged)).toHaveLength(1);
  expect(
    drawEvaluators(
      pen,
      judged.filter(({ evaluator }) => evaluator === 'simulated:strict'),
    ),
  ).toEqual([]);
  const [comparison] = analyses.synthesizers;
  if (comparison === undefined) throw new Error('There are no comparisons.');
  const own = comparison.entries.filter(({ synthesizer }) => synthesizer === 'simulated:b');
  expect(drawSynthesizers(pen, [comparison])).toHaveLength(1);
  expect(drawSynthesizers(pen, [{ ...comparison, entries: own }])).toEqual([]);
});
