import { addPersonaHashes, compareRows, type HashedRow } from '../../../../rules/trials/compare-rows';

/** Builds rows from words such as `1/changing=a`: persona, type, content. */
function build(...words: readonly `${string}/${HashedRow['instance_type']}=${string}`[]): HashedRow[] {
  return words.map((word) => {
    const [, persona_id = '', type = '', hash = ''] = /^(.*)\/(.*)=(.*)$/.exec(word) ?? [];
    return { persona_id, instance_type: type as HashedRow['instance_type'], hash };
  });
}

const FIRST = build('1/consistent=a', '1/changing=b', '2/consistent=c');
const STORED = FIRST.map((row, at) => ({ ...row, number: at + 1, isCurrent: true }));
const numbersOf = (rows: readonly { readonly number: number }[]) => rows.map(({ number }) => number);

test('rows keep their numbers wherever they are, and new ones get the next', () => {
  const grown = build('3/consistent=d', '2/consistent=c', '1/consistent=a', '1/changing=b', '2/changing=e');
  const { rows, stored, kept, added, changed, removed } = compareRows(STORED, grown);
  expect(numbersOf(rows)).toEqual([4, 3, 1, 2, 5]);
  expect(stored).toBe(3);
  expect(kept).toHaveLength(3);
  expect(added).toMatchObject(build('3/consistent=d', '2/changing=e'));
  expect([...changed, ...removed]).toEqual([]);
});

test('a row with another content gets a new number, and a row that is missing is named', () => {
  const { rows, kept, added, changed, removed } = compareRows(
    STORED,
    build('1/consistent=a', '1/changing=other'),
  );
  expect(numbersOf(rows)).toEqual([1, 4]);
  expect(kept).toMatchObject(build('1/consistent=a'));
  expect(changed).toMatchObject(build('1/changing=other'));
  expect(removed).toMatchObject(build('2/consistent=c'));
  expect(added).toEqual([]);
});

test('a content that was stored before gets its number back', () => {
  const other = { ...build('1/changing=other')[0], number: 4, isCurrent: true } as (typeof STORED)[number];
  const now = [...STORED.map((row) => ({ ...row, isCurrent: row.number === 1 })), other];
  const { rows, kept, added, changed, stored } = compareRows(now, FIRST);
  expect(numbersOf(rows)).toEqual([1, 2, 3]);
  expect(stored).toBe(4);
  expect(kept).toMatchObject(build('1/consistent=a'));
  expect(changed).toMatchObject(build('1/changing=b'));
  expect(added).toMatchObject(build('2/consistent=c'));
});

test('the number that a row has now goes before one that it had', () => {
  const [row] = STORED;
  if (row === undefined) throw new Error('There is no row.');
  const twice = [row, { ...row, number: 9, isCurrent: false }];
  expect(numbersOf(compareRows(twice, FIRST.slice(0, 1)).rows)).toEqual([1]);
});

test('with the hashes of its persona, a row changes with any other row of the persona, but not with their order', () => {
  const hashes = (rows: readonly HashedRow[]) =>
    new Map(addPersonaHashes(rows).map((row) => [`${row.persona_id}/${row.instance_type}`, row.hash]));
  const before = hashes(FIRST);
  expect(hashes(FIRST.toReversed())).toEqual(before);
  const after = hashes([...FIRST, ...build('2/changing=e')]);
  expect(after.get('1/changing')).toBe(before.get('1/changing'));
  expect(after.get('2/consistent')).not.toBe(before.get('2/consistent'));
  expect(before.get('1/consistent')).not.toBe(before.get('1/changing'));
});
