import { Field, makeData, Struct, Utf8 } from 'apache-arrow';
import { decodeValues } from '../../../../data/readers/arrow/values';
import { Claims } from '../../../../data/readers/bounds';

/** Builds texts that are one after the other in these bytes. */
function buildTexts(bytes: Uint8Array, ends: readonly number[]) {
  const valueOffsets = Int32Array.from([0, ...ends]);
  return makeData({ type: new Utf8(), length: ends.length, nullCount: 0, valueOffsets, data: bytes });
}

const decode = (data: Parameters<typeof decodeValues>[0]) => decodeValues(data, new Claims(1_000));
const encode = (text: string) => new TextEncoder().encode(text);

test('texts keep every character, also U+FEFF', () => {
  expect(decode(buildTexts(encode('a\uFEFFbé😀'), [1, 4, 5, 11]))).toEqual(['a', '\uFEFF', 'b', 'é😀']);
});

test('a text that ends within a character, and the next one, are bytes; the others are texts', () => {
  const [, left, right, last] = decode(buildTexts(encode('aéb'), [1, 2, 3, 4]));
  expect([left, right]).toEqual([Uint8Array.of(0xc3), Uint8Array.of(0xa9)]);
  expect(last).toBe('b');
});

test('of texts that are not all UTF-8, only those that are not are bytes', () => {
  expect(decode(buildTexts(Uint8Array.of(0x61, 0xff, 0x62), [1, 2, 3]))).toEqual([
    'a',
    Uint8Array.of(0xff),
    'b',
  ]);
});

test('a member of any name is the own member of its object', () => {
  const type = new Struct([new Field('__proto__', new Utf8(), true)]);
  const [object] = decode(
    makeData({ type, length: 1, nullCount: 0, children: [buildTexts(encode('x'), [1])] }),
  );
  expect(Object.entries(object ?? {})).toEqual([['__proto__', 'x']]);
});
