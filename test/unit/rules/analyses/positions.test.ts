import { analyzePositions } from '../../../../rules/analyses/positions';
import { buildGeneration, buildInferenceOf, markMissing, open, markTooLong } from './rows';

const at = (relevant_position: number | null, persona: number) => ({
  relevant_position,
  persona_id: `${persona}+baker`,
});

const ROWS = [
  buildInferenceOf(0.2, at(1.5, 1)),
  buildInferenceOf(0.6, at(1.5, 2)),
  buildInferenceOf(0.8, at(7.5, 3)),
  buildInferenceOf(0.9, at(null, 4)),
  markMissing(buildInferenceOf(1, at(1.5, 5))),
  open(buildInferenceOf(1, at(1.5, 6))),
  markTooLong(buildInferenceOf(1, at(7.5, 7))),
  buildInferenceOf(1, { ...at(1.5, 1), model: 'simulated:b' }),
  buildGeneration(9, at(1.5, 1)),
];

test('each cell and each setting has the mean result at each position, of the rows that count', () => {
  const { cells, settings } = analyzePositions(ROWS);
  expect(cells.map(({ model, task, points }) => ({ model, task, points }))).toEqual([
    {
      model: 'simulated:a',
      task: 'inference',
      points: [
        { position: 1.5, n_instances: 2, mean: 0.4 },
        { position: 7.5, n_instances: 2, mean: 0.4 },
      ],
    },
    { model: 'simulated:b', task: 'inference', points: [{ position: 1.5, n_instances: 1, mean: 1 }] },
    { model: 'simulated:a', task: 'generation', points: [{ position: 1.5, n_instances: 1, mean: 9 }] },
  ]);
  expect(settings[0]).toMatchObject({ task: 'inference', models: ['simulated:a', 'simulated:b'] });
  expect(settings[0]?.points[0]?.n_instances).toBe(3);
  // (0.2 + 0.6 + 1) / 3
  expect(settings[0]?.points[0]?.mean).toBeCloseTo(0.6, 15);
  expect(settings.map(({ task }) => task)).toEqual(['inference', 'generation']);
});

test('positions are rounded to halves, quarters up', () => {
  const positions = [1, 1.2, 1.25, 1.5, 1.74, 1.75, 2].map((position, persona) =>
    buildInferenceOf(0.5, at(position, persona)),
  );
  const [cell] = analyzePositions(positions).cells;
  expect(cell?.points.map(({ position, n_instances }) => [position, n_instances])).toEqual([
    [1, 2],
    [1.5, 3],
    [2, 2],
  ]);
});

test('the order of the rows changes nothing', () => {
  expect(JSON.stringify(analyzePositions(ROWS.toReversed()))).toBe(JSON.stringify(analyzePositions(ROWS)));
});

test('without rows, or without results, there are no points', () => {
  expect(analyzePositions([])).toEqual({ cells: [], settings: [] });
  expect(analyzePositions([open(buildInferenceOf(1))]).cells[0]?.points).toEqual([]);
});

test('a row that counts but has no number is named', () => {
  expect(() => analyzePositions([buildInferenceOf(1, { f1: null })])).toThrow(/1\+baker.*consistent.*f1/s);
});

test('instance types are compared at the positions that all of them have, each weighted alike', () => {
  const rows = [
    // Early and late ones have the same scores in both types; only their numbers differ.
    ...[0.2, 0.2, 0.2, 0.8].map((f1, persona) => buildInferenceOf(f1, at(f1 < 0.5 ? 1.5 : 7.5, persona))),
    ...[0.2, 0.8, 0.8, 0.8].map((f1, persona) =>
      buildInferenceOf(f1, { ...at(f1 < 0.5 ? 1.5 : 7.5, persona + 10), instance_type: 'changing' }),
    ),
    buildInferenceOf(1, { ...at(5, 20), instance_type: 'changing' }),
  ];
  expect(analyzePositions(rows).cells[0]?.types).toEqual([
    {
      instance_type: 'consistent',
      n_instances: 4,
      mean_position: 3,
      mean: expect.closeTo(0.35, 12),
      matched_sample: { n_instances: 2, mean: expect.closeTo(0.5, 12) },
    },
    {
      instance_type: 'changing',
      n_instances: 5,
      mean_position: 5.8,
      mean: expect.closeTo(0.72, 12),
      matched_sample: { n_instances: 2, mean: expect.closeTo(0.5, 12) },
    },
  ]);
});

test('a type alone, or types without a common position, have nothing to be compared at', () => {
  const early = buildInferenceOf(0.5, at(1.5, 1));
  const late = buildInferenceOf(0.5, { ...at(7.5, 2), instance_type: 'changing' });
  expect(analyzePositions([early]).cells[0]?.types).toMatchObject([{ matched_sample: null }]);
  expect(analyzePositions([early, late]).cells[0]?.types).toMatchObject([
    { matched_sample: null },
    { matched_sample: null },
  ]);
});
