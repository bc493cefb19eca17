import * as z from 'zod';
import { findJson, parseSealedJson, sealJson, writeJson } from '../../../../data/store/stored-json';
import { createFolderStore } from '../../../../data/store/store';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const schema = z.object({ text: z.string().default('none'), count: z.number().default(0) });
const VALUE = { text: 'a "sha256":"b"}\n', count: 2 };
const SEALED = sealJson(VALUE);

test.each([VALUE, {}, { text: '' }])('a document is read as it was written, and is JSON: %j', (value) => {
  expect(parseSealedJson(schema, 'a.json', sealJson(value))).toEqual({ value: schema.parse(value) });
  expect(JSON.parse(sealJson(value))).toMatchObject(value);
});

test.each([
  ['a changed letter', SEALED.replace('a \\"', 'b \\"'), 'its content does not match its SHA-256'],
  ['a changed digit', SEALED.replace('"count":2', '"count":3'), 'its content does not match its SHA-256'],
  ['a changed hash', SEALED.replace(/.(?="\}\n$)/, 'g'), 'it does not end with its SHA-256'],
  ['a cut file', SEALED.slice(0, -1), 'it does not end with its SHA-256'],
  ['a file without a hash', JSON.stringify(VALUE), 'it does not end with its SHA-256'],
  ['an empty file', '', 'it is empty'],
])('%s is named', (_, text, problem) => {
  expect(parseSealedJson(schema, 'a.json', text)).toEqual({ problem: `a.json: ${problem}.` });
});

test('a damaged document of the store is named with its remedy', async () => {
  const store = createFolderStore(folder);
  expect(await findJson(schema, store, 'a.json', 'Delete it.')).toBeUndefined();
  await writeJson(store, 'a.json', VALUE);
  expect(await findJson(schema, store, 'a.json', 'Delete it.')).toEqual(VALUE);
  await store.write('a.json', SEALED.replace('2', '3'));
  await expect(findJson(schema, store, 'a.json', 'Delete it.')).rejects.toThrow(
    '.cupid/a.json is damaged:\na.json: its content does not match its SHA-256.\nDelete it.',
  );
});
