import { chooseCells, findOpenInstances } from '../../../../runs/tables/results-text';
import { summarize } from '../../../../rules/scores/summary';
import type { ResultCell } from '../../../../schemas/evaluation/results';
import { open } from '../../rules/analyses/rows';
import { buildGenerationRow, buildInferenceRow } from '../../rules/scores/rows';
import { buildGenerationCell, buildInferenceCell } from '../../rules/trials/cells';

const SETUP = { data: 'paper', prompts: 'paper', decomposer: 'paper', matcher: 'paper' } as const;
const ROWS = [
  buildInferenceRow({ evaluator: 'openai:judge', decomposer: 'openai:judge' }),
  buildInferenceRow({ evaluator: 'openai:judge', decomposer: 'openai:judge', model: 'openai:two' }),
  buildGenerationRow({ evaluator: 'openai:judge' }),
];
const RESULTS = {
  evaluators: ['openai:judge'],
  cells: summarize(ROWS, { seed: 1, resamples: 50 }).cells.map((cell): ResultCell => ({
    ...cell,
    setup: SETUP,
  })),
};

test('a command shows the tables that it added a cell to or changed, and names the others', () => {
  const { shown, others } = chooseCells(RESULTS, [buildInferenceCell({ model: 'openai:two' })]);
  expect(shown.map(({ task, model }) => `${task} by ${model}`)).toEqual([
    'inference by openai:one',
    'inference by openai:two',
  ]);
  expect(others).toEqual(['Generation, judged by openai:judge']);
});

test('a command of all tables, or of none in particular, shows them all', () => {
  const all = { shown: RESULTS.cells, others: [] };
  expect(chooseCells(RESULTS, [buildGenerationCell(), buildInferenceCell()])).toEqual(all);
  expect(chooseCells(RESULTS, [])).toEqual(all);
});

describe('open instances', () => {
  const rows = ['openai:one', 'openai:two'].map((model) =>
    open(buildInferenceRow({ evaluator: 'openai:judge', decomposer: 'openai:judge', model })),
  );
  const results = {
    ...RESULTS,
    models: ['openai:one', 'openai:two'],
    cells: summarize(rows, { seed: 1, resamples: 50 }).cells.map((cell): ResultCell => ({
      ...cell,
      setup: SETUP,
    })),
  };

  test('of cells that a command names are its own, and others are named', () => {
    const { ownCount, lines } = findOpenInstances(results, [buildInferenceCell({ model: 'openai:two' })]);
    expect(ownCount).toBe(1);
    expect(lines).toEqual([expect.stringContaining('1 instance of inference by openai:one (context full).')]);
  });

  test('are not those of a command without cells, which names them all', () => {
    const { ownCount, lines } = findOpenInstances(results, []);
    expect(ownCount).toBe(0);
    expect(lines.join()).toContain(
      '1 instance of inference by openai:one (context full); 1 instance of inference by openai:two (context full).',
    );
  });
});
