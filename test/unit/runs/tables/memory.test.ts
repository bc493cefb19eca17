import { renderMemoryWarnings } from '../../../../runs/tables/memory';
import { renderCaveats } from '../../../../runs/tables/notes';
import { computeMemoryShares } from '../../../../rules/analyses/memory';
import { buildInferenceRow } from '../../rules/scores/rows';
import { buildResults } from './results';

test.each([
  [
    'nothing, for most instances',
    [0, 0, 5],
    0,
    [/^memory:m\.py returned nothing for 2 of 3 instances\..* add return when/],
  ],
  ['nothing, for few', [0, 5, 5], 0, []],
  [
    '202',
    [5, 5, 5],
    1,
    [/^memory:m\.py answered 202 \(accepted\) for 3 of 3 instances, so it may have been asked before/],
  ],
])('a memory system that returned %s', (_, tokens, unfinished, warnings) => {
  const rows = tokens.map((memory_tokens, at) =>
    buildInferenceRow({
      persona_id: `${at}+baker`,
      context: 'memory',
      memory_tokens,
      memory_unfinished_messages: unfinished,
    }),
  );
  const memory = { name: 'memory:m.py', budget_tokens: 100, ...computeMemoryShares(rows, 100) };
  const results = { ...buildResults(rows), memory };
  const expected = warnings.map((warning) => expect.stringMatching(warning));
  expect(renderMemoryWarnings(results)).toEqual(expected);
  // The notes of the report and of results.txt.
  expect(renderCaveats(results)).toEqual(expect.arrayContaining(expected));
});
