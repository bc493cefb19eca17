import { renderCaveats } from '../../../../runs/tables/notes';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { buildInferenceRow } from '../../rules/scores/rows';
import { buildResults } from './results';

const MISSING = { state: 'missing', f1: null, missing_step: 'match' } as const;

function caveatsOf(rows: readonly Partial<ScoreRow>[]): string[] {
  const scored = rows.map((row, at) => buildInferenceRow({ persona_id: `${at}`, ...row }));
  return renderCaveats(buildResults(scored)).filter((line) => /^(Missing|Limited)/.test(line));
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
