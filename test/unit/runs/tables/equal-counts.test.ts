import { omitEqualCounts } from '../../../../runs/tables/section';
import { toQuantity } from '../../../../schemas/text/table';

const tableOf = (...counts: readonly number[]) => ({
  columns: counts.map((_, at) => ({ title: `${at}` })),
  rows: [{ name: 'openai:a', cells: counts.map((n) => toQuantity(0.5, 'percent', { n })) }],
});

test('numbers of instances stand beside values only where they differ', () => {
  const [row] = omitEqualCounts(tableOf(8, 8)).rows;
  expect(row?.cells).toEqual([toQuantity(0.5, 'percent'), toQuantity(0.5, 'percent')]);
  const unequal = tableOf(8, 7);
  expect(omitEqualCounts(unequal)).toEqual(unequal);
});
