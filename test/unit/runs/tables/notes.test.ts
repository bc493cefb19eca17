import { renderCaveats } from '../../../../runs/tables/notes';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { computeMemoryShares } from '../../../../rules/analyses/memory';
import { buildInferenceRow, buildMatchedRow, buildTooLongRow } from '../../rules/scores/rows';
import { buildResults } from './results';

const MISSING = { state: 'missing', f1: null, missing_step: 'match' } as const;

function caveatsOf(rows: readonly Partial<ScoreRow>[], pattern = /^(Missing|Limited)/): string[] {
  const scored = rows.map((row, at) => buildInferenceRow({ persona_id: `${at}`, ...row }));
  return renderCaveats(buildResults(scored)).filter((line) => pattern.test(line));
}

test('missing scores are named in one line, with the number of each cause, and so are columns with fewer instances', () => {
  expect(
    caveatsOf([
      { model: 'a' },
      { model: 'a', ...MISSING, missing_kind: 'refused' },
      { model: 'b', ...MISSING, missing_kind: 'bad-answers' },
      { model: 'c', ...MISSING, missing_kind: 'bad-answers' },
    ]),
  ).toEqual([
    'Limited (--limit, --types, --split, --where-persona): of 12 instances, 2 in inference by a (context full); 1 in inference by b (context full), inference by c (context full).',
    expect.stringMatching(
      /^Missing: 3 scores, 1 at step match, refused; 2 at step match, bad-answers\. They /,
    ),
  ]);
});

test('nothing is said where nothing is missing or left out', () => {
  expect(caveatsOf(Array.from({ length: 12 }, () => ({})))).toEqual([]);
});

test('scores over the context length are named as counted, and are not among the missing ones', () => {
  const rows = [
    buildTooLongRow(3, { model: 'a' }),
    buildTooLongRow(2, { model: 'b' }),
    { model: 'b', ...MISSING },
  ];
  expect(caveatsOf(rows, /^(Over|Missing)/)).toEqual([
    expect.stringMatching(/^Missing: 1 score, /),
    'Over the context length: 2 scores in inference by a (context full), inference by b (context full). The model does not take a history of this length, so they count as 0 in every number and are not missing.',
  ]);
});

test('intervals of few personas are called rough', () => {
  const few = (personas: number) =>
    caveatsOf(
      Array.from({ length: personas }, (_, at) => buildMatchedRow('F', 'F', { persona_id: `${at}` })),
      /rough/,
    );
  expect(few(19)).toEqual([
    "Intervals rest on 19 personas; below 20 they are rough. Where all personas have the same value, such as 100 %, the interval is Wilson's for that many personas.",
  ]);
  expect(few(20)).toEqual([]);
  expect(few(1)).toEqual([
    'Numbers of a single persona have no interval; below 20 personas, intervals are rough.',
  ]);
  const rows = [2, 3, 20].flatMap((personas) =>
    Array.from({ length: personas }, (_, at) =>
      buildMatchedRow('F', 'F', { model: `m${personas}`, persona_id: `${at}` }),
    ),
  );
  expect(caveatsOf(rows, /rough/)).toEqual([
    "Intervals rest on 2 to 3 personas in 2 of 3 rows; below 20 they are rough. Where all personas have the same value, such as 100 %, the interval is Wilson's for that many personas.",
  ]);
});

test('who answered under one name is said once, and so is how much of a memory models saw', () => {
  const rows = ['full', 'memory'].flatMap((context) =>
    [0, 50, 101, 200].map((tokens, at) =>
      buildMatchedRow('F', 'F', {
        persona_id: `${at}`,
        context: context === 'full' ? 'full' : 'memory',
        memory_tokens: context === 'full' ? null : tokens,
      }),
    ),
  );
  const results = buildResults(rows);
  const answered_by = [
    { model: 'v1', n_answers: 3 },
    { model: 'v2', n_answers: 1 },
  ];
  const notes = renderCaveats({
    ...results,
    memory: { name: 'memory:m', budget_tokens: 100, ...computeMemoryShares(rows, 100) },
    cells: results.cells.map((cell) => ({
      ...cell,
      shared_names: [{ role: 'model', name: cell.model, answered_by }],
    })),
  });
  expect(notes.filter((line) => line.includes('answers came from'))).toEqual([
    'openai:one: answers came from v1 and v2.',
  ]);
  expect(notes).toContain(
    'memory:m: of 4 contexts, 2 (50.0 %) were cut at the budget of 100 tokens, and 1 (25.0 %) was empty.',
  );
});
