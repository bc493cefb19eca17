import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openScratchStore } from '../../../../data/store/scratch-store';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { createEmptiedFolder } from '../../../temporary-folder';

const folder = createEmptiedFolder();
let base: Store;

beforeEach(async () => {
  base = createFolderStore(folder);
  await base.write('a/kept', 'kept');
  await base.write('a/other', 'other');
});

test.each<[string, (store: Store) => Promise<unknown>, Readonly<Record<string, string>>]>([
  ['no change', async () => undefined, { 'a/kept': 'kept', 'a/other': 'other' }],
  [
    'a written name',
    (store) => store.write('a/new', 'new'),
    { 'a/kept': 'kept', 'a/new': 'new', 'a/other': 'other' },
  ],
  [
    'a replaced name',
    (store) => store.write('a/other', 'changed'),
    { 'a/kept': 'kept', 'a/other': 'changed' },
  ],
  [
    'an existing name that is created',
    (store) => store.create('a/other', 'no'),
    { 'a/kept': 'kept', 'a/other': 'other' },
  ],
  [
    'a new name that is created',
    (store) => store.create('a/x', 'x'),
    { 'a/kept': 'kept', 'a/other': 'other', 'a/x': 'x' },
  ],
  ['an appended text', (store) => store.append('a/other', '!'), { 'a/kept': 'kept', 'a/other': 'other!' }],
  ['a removed name', (store) => store.remove(['a/other']), { 'a/kept': 'kept' }],
  ['a moved name', (store) => store.move('a/other', 'a/moved'), { 'a/kept': 'kept', 'a/moved': 'other' }],
  ['a move of nothing', (store) => store.move('a/none', 'a/kept'), { 'a/kept': 'kept', 'a/other': 'other' }],
  [
    'a removed name that is written again',
    async (store) => {
      await store.remove(['a/other']);
      await store.write('a/other', 'again');
    },
    { 'a/kept': 'kept', 'a/other': 'again' },
  ],
  [
    'a file that is put',
    async (store) => {
      mkdirSync(join(folder, 'files'));
      writeFileSync(join(folder, 'files', 'one'), 'put');
      await store.put('a/other', join(folder, 'files', 'one'));
    },
    { 'a/kept': 'kept', 'a/other': 'put' },
  ],
])('%s is seen in the scratch store, and not in the store below it', async (_, change, expected) => {
  {
    await using scratch = await openScratchStore(base);
    await change(scratch);
    expect(await scratch.list('a')).toEqual(Object.keys(expected));
    const all: string[] = [];
    for await (const name of scratch.all('a')) all.push(name);
    expect(all.toSorted()).toEqual(Object.keys(expected));
    for (const [name, text] of Object.entries(expected)) {
      expect(await scratch.read(name)).toBe(text);
      let blocks = '';
      for await (const block of scratch.blocks(name)) blocks += block;
      expect(blocks).toBe(text);
    }
    expect(await scratch.read('a/none')).toBeUndefined();
  }
  expect(await base.list('a')).toEqual(['a/kept', 'a/other']);
  expect(await base.read('a/other')).toBe('other');
});

test('folders that the scratch store made are listed like those of the store below it', async () => {
  await base.write('a/b/known', 'known');
  await using scratch = await openScratchStore(base);
  await scratch.write('a/c/d/new', 'new');
  expect(await scratch.list('a')).toEqual(['a/b', 'a/c', 'a/kept', 'a/other']);
});
