import { buildOverviewTables } from '../../../../runs/tables/overview';
import { computeContextDifferences, computeModelDifferences } from '../../../../rules/scores/differences';
import { groupByCell } from '../../../../rules/scores/cells';
import { summarize } from '../../../../rules/scores/summary';
import { renderTable } from '../../../../schemas/text/text-table';
import type { ResultCell } from '../../../../schemas/evaluation/results';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { buildInferenceRow, buildMatchedRow } from '../../rules/scores/rows';

const BOOTSTRAP = { seed: 1, resamples: 50 };
const SETUP = { data: 'paper', prompts: 'paper', decomposer: 'paper', matcher: 'paper' } as const;

/** Builds two personas' rows of a model, with the labels of its inferred items in each context. */
function rowsOf(model: string, labels: Partial<Record<ScoreRow['context'], string>>): ScoreRow[] {
  return ['1+baker', '2+nurse'].flatMap((persona_id) =>
    (['full', 'none'] as const).flatMap((context) => {
      const inferred = labels[context];
      return inferred === undefined
        ? []
        : [buildMatchedRow(inferred, inferred, { persona_id, model, context })];
    }),
  );
}

function build(rows: readonly ScoreRow[], complete = (cell: ResultCell): ResultCell => cell) {
  const cells = summarize(rows, BOOTSTRAP).cells.map((cell) => complete({ ...cell, setup: SETUP }));
  const grouped = groupByCell(rows);
  const [table] = buildOverviewTables({
    cells,
    differences: computeModelDifferences(grouped, BOOTSTRAP),
    context_differences: computeContextDifferences(grouped, BOOTSTRAP),
  });
  return table;
}

/** Renders a table without the line of its title and what follows it. */
function listLines(table: ReturnType<typeof build>): string[] {
  return table === undefined ? [] : renderTable({ columns: table.columns, rows: table.rows });
}

test('every model stands in every context, with its paired differences to the best and to the full history', () => {
  const table = build([
    ...rowsOf('openai:a', { full: 'FN', none: 'NN' }),
    ...rowsOf('openai:b', { full: 'FF', none: 'NN' }),
  ]);
  expect(table?.title).toContain('micro F1 in % over all types');
  // Both personas are equal: none of two deviates, so 3.8416 / 5.8416 of all may.
  expect(listLines(table)).toEqual([
    '                               To the best ────────  To full ──────────────',
    '               F1        95 %      %           95 %       %            95 %  scored  missing',
    'context full',
    '  openai:a   50.0   17.1–82.9  -50.0 -82.9 to +48.6       –               –       2        0',
    '  openai:b  100.0  34.2–100.0   best                      –               –       2        0',
    'context none',
    '  openai:a    0.0    0.0–65.8   tied                  -50.0  -82.9 to +48.6       2        0',
    '  openai:b    0.0    0.0–65.8    0.0 -65.8 to +65.8  -100.0 -100.0 to +31.5       2        0',
  ]);
});

test('a difference over fewer instances than the number beside it says over how many; shared names are marked', () => {
  const rows = [...rowsOf('openai:a', { full: 'FN' }), ...rowsOf('openai:b', { full: 'FF' }).slice(0, 1)];
  const shared_names = [{ role: 'model' as const, name: 'openai:b', answered_by: [] }];
  const table = build(rows, (cell) => (cell.model === 'openai:b' ? { ...cell, shared_names } : cell));
  expect(table?.lines).toEqual(['* several models answered under this name']);
  expect(listLines(table)).toEqual([
    '                               To the best',
    '                F1       95 %      % 95 % n  scored  missing',
    'context full',
    '  openai:a    50.0  17.1–82.9  -50.0    – 1       2        0',
    '  openai:b  *100.0          –   best              1        0',
  ]);
});

test('one model in one context has no differences; what is open or missing is counted', () => {
  const rows = rowsOf('openai:a', { full: 'F' });
  const table = build(
    rows.map((row, at) =>
      at === 0 ? row : buildInferenceRow({ persona_id: row.persona_id, model: row.model }),
    ),
  );
  expect(listLines(table)).toEqual([
    '               F1  95 %  scored  missing  open',
    'context full',
    '  openai:a  100.0     –       1        0     1',
  ]);
});

test('every column is explained, and the bar of a choice knows its chance', () => {
  const rows = ['1+baker', '2+nurse'].flatMap((persona_id) =>
    ['openai:a', 'openai:b'].map((model) =>
      buildInferenceRow({
        persona_id,
        model,
        task: 'choice',
        evaluator: 'none',
        evaluator_form: 'letter',
        decomposer: null,
        state: 'scored',
        n_options: 4,
        choice: 'right',
      }),
    ),
  );
  const table = build([...rows, ...rowsOf('openai:a', { full: 'F', none: 'F' })]);
  expect(table?.columns.filter(({ explanation = '' }) => explanation === '')).toEqual([]);
  const [choice] = build(rows)?.rows.flatMap(({ cells }) => cells.slice(0, 1)) ?? [];
  expect(choice).toMatchObject({ value: 1, chance: 0.25 });
  expect(build(rows)?.columns[0]).toMatchObject({ title: 'accuracy', range: [0, 1] });
});
