import { buildHistorySections } from '../../../../runs/tables/histories';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { buildInferenceOf } from '../../rules/analyses/rows';
import { buildResults } from './results';

const row = (
  context: ScoreRow['context'],
  f1: number,
  persona: number,
  memory_tokens: number | null = null,
) =>
  buildInferenceOf(f1, {
    context,
    persona_id: `${persona}+a`,
    prior_tokens: context.endsWith('@32k') ? 31_000 : 8_000,
    memory_tokens,
  });

test('each length stands with what was read of it, and differs from the own history and from the full one', () => {
  const rows = [1, 2].flatMap((persona) => [
    row('full', 1, persona),
    row('full@32k', 0.5, persona),
    row('memory', 0.5, persona, 400),
    row('memory@32k', 0.25, persona, 600),
  ]);
  const [lengths] = buildHistorySections(buildResults(rows));
  const [table] = lengths?.tables ?? [];
  expect(table?.columns.map(({ title, group }) => `${group ?? ''} ${title}`.trim())).toEqual([
    'tokens',
    'read',
    'n',
    'F1',
    'To own F1',
    'To own n',
    'To full F1',
    'To full n',
  ]);
  const values = table?.rows
    .slice(1)
    .map(({ name, cells }) => [
      name.trim(),
      ...cells.map((cell) => (typeof cell === 'string' ? cell : cell.value)),
    ]);
  expect(values).toEqual([
    ['full', 8_000, 8_000, 2, 1, null, null, null, null],
    ['full@32k', 31_000, 31_000, 2, 0.5, -0.5, 2, null, null],
    ['memory', 8_000, 400, 2, 0.5, null, null, -0.5, 2],
    ['memory@32k', 31_000, 600, 2, 0.25, -0.25, 2, -0.25, 2],
  ]);
});
