import { addPersonaHashes, compareRows, type HashedRow } from '../../../../rules/trials/compare-rows';

const A = build('1', 'consistent', 'a');
const B = build('1', 'changing', 'b');
const C = build('2', 'consistent', 'c');
const CHANGED = build('1', 'changing', 'other');
const ADDED = build('2', 'changing', 'e');
const STORED = [A, B, C].map((row, at) => ({ ...row, number: at + 1, isCurrent: true }));

test('rows keep their numbers wherever they are, and new ones get the next', () => {
  const other = build('3', 'consistent', 'd');
  const { rows, stored, kept, added, changed, removed } = compareRows(STORED, [other, C, A, B, ADDED]);
  expect(rows.map(({ number }) => number)).toEqual([4, 3, 1, 2, 5]);
  expect(stored).toBe(3);
  expect(kept).toHaveLength(3);
  expect(added).toMatchObject([other, ADDED]);
  expect([...changed, ...removed]).toEqual([]);
});

test('a row with another content gets a new number, and a row that is missing is named', () => {
  const { rows, kept, added, changed, removed } = compareRows(STORED, [A, CHANGED]);
  expect(rows.map(({ number }) => number)).toEqual([1, 4]);
  expect(kept).toMatchObject([A]);
  expect(changed).toMatchObject([CHANGED]);
  expect(removed).toMatchObject([C]);
  expect(added).toEqual([]);
});

test('a content that was stored before gets its number back', () => {
  const now = [
    ...STORED.map((row) => ({ ...row, isCurrent: row.number === 1 })),
    { ...CHANGED, number: 4, isCurrent: true },
  ];
  const { rows, kept, added, changed, stored } = compareRows(now, [A, B, C]);
  expect(rows.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(stored).toBe(4);
  expect(kept).toMatchObject([A]);
  expect(changed).toMatchObject([B]);
  expect(added).toMatchObject([C]);
});

test('the number that a row has now goes before one that it had', () => {
  const twice = [
    { ...A, number: 1, isCurrent: true },
    { ...A, number: 9, isCurrent: false },
  ];
  expect(compareRows(twice, [A]).rows).toMatchObject([{ number: 1 }]);
});

test('with the hashes of its persona, a row changes with any other row of the persona, but not with their order', () => {
  const [a, b, c] = addPersonaHashes([A, B, C]);
  expect(addPersonaHashes([C, B, A])).toEqual([c, b, a]);
  expect(a?.hash).not.toBe(b?.hash);
  const grown = addPersonaHashes([A, B, C, ADDED]);
  expect(grown.slice(0, 2)).toEqual([a, b]);
  expect(grown[2]?.hash).not.toBe(c?.hash);
});

function build(persona_id: string, instance_type: HashedRow['instance_type'], hash: string): HashedRow {
  return { persona_id, instance_type, hash };
}
