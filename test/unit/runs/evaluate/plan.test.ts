import { buildMatrixCells, buildPanelCells } from '../../../../runs/evaluate/plan';

test('evaluators of one decomposer and one matcher model are one cell of inference, and a cell of generation each', () => {
  const panel = { evaluators: ['openai:x', 'openai:y'], decomposer: 'openai:x', prefMatcher: 'openai:z' };
  const cells = buildMatrixCells(
    {
      models: ['openai:tested'],
      tasks: ['inference', 'generation'],
      contexts: ['full'],
      oraclePreference: false,
      selection: { limit: null, types: ['consistent'] },
    },
    panel,
  );
  expect(cells.map(({ task }) => task)).toEqual(['inference', 'generation', 'generation']);
  expect(buildPanelCells({ cells }, ['inference', 'generation'], panel)).toEqual(cells);
});
