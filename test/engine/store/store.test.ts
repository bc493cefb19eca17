import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger, readLedgerLines } from '../../../data/run/ledger';
import { openJournal } from '../../../data/run/journal';
import { openStoreAt } from '../../../data/store/open-store';
import { createS3Store } from '../../../data/store/s3-store';
import { createFolderStore, type Store } from '../../../data/store/store';
import { buildJournalEntry } from '../../journal-entry';
import { hasPart, needing } from '../../parts/needing';
import { S3Server } from '../../s3-server';
import { createTemporaryFolder } from '../../temporary-folder';

const withStorage = needing('storage');
const folder = createTemporaryFolder();
const server = new S3Server();
let count = 0;

beforeAll(async () => {
  if (!hasPart('storage')) return;
  await server.start();
  Object.assign(process.env, server.environment);
});
afterAll(() => server.remove());

describe('a store in a folder', () => testStore((name) => createFolderStore(join(folder, name))));

withStorage.describe('a store in S3-compatible storage', () =>
  testStore((name) => createS3Store({ bucket: server.bucket, prefix: `runs/${name}` })),
);

function testStore(openNamed: (name: string) => Store): void {
  const openNew = () => {
    const name = String((count += 1));
    return { store: openNamed(name), again: () => openNamed(name) };
  };

  test('gives back what was written, and nothing where nothing was', async () => {
    const { store, again } = openNew();
    const text = 'Zoë ✓ 𝄞\n'.repeat(50_000);
    await store.write('records/1.json', 'old');
    await store.write('records/1.json', text);
    expect(await again().read('records/1.json')).toBe(text);
    expect((await collect(again().blocks('records/1.json'))).join('')).toBe(text);
    expect(await store.read('records/2.json')).toBeUndefined();
    expect(await collect(store.blocks('records/2.json'))).toEqual([]);
    expect(await store.list('nowhere')).toEqual([]);
  });

  test('is created by exactly one of many writers', async () => {
    const { store, again } = openNew();
    const created = await Promise.all(
      Array.from({ length: 16 }, (__, index) => again().create('packs/a%2Fp1.1.jsonl', `${index}`)),
    );
    expect(created.filter(Boolean)).toHaveLength(1);
    expect(await store.read('packs/a%2Fp1.1.jsonl')).toBe(String(created.indexOf(true)));
    expect(await store.create('packs/a%2Fp1.1.jsonl', 'later')).toBe(false);
  });

  test('lists what stands directly under a folder, sorted, also more than a page of it', async () => {
    const { store } = openNew();
    const names = Array.from({ length: 1_030 }, (__, index) => `journal/run%2Fp${index}/r0.user.t1.a0.json`);
    for (let at = 0; at < names.length; at += 103) {
      await Promise.all(names.slice(at, at + 103).map((name) => store.write(name, '{}')));
    }
    const folders = names.map((name) => name.slice(0, name.lastIndexOf('/')));
    expect(await store.list('journal')).toEqual(folders.toSorted());
    expect(await store.list('journal/run%2Fp7')).toEqual(['journal/run%2Fp7/r0.user.t1.a0.json']);
    await store.remove(names.slice(1));
    await store.remove(names.slice(1, 3));
    expect(await store.list('journal')).toEqual(folders.slice(0, 1));
  });

  test('moves, and is not harmed by moving again', async () => {
    const { store } = openNew();
    await store.write('failures/p1 ü.json', 'one');
    await store.move('failures/p1 ü.json', 'superseded/p1 ü.json');
    await store.move('failures/p1 ü.json', 'superseded/p1 ü.json');
    expect(await store.list('failures')).toEqual([]);
    expect(await store.read('superseded/p1 ü.json')).toBe('one');
  });

  test('keeps local files, also large ones', async () => {
    const { store } = openNew();
    const [from, to] = [join(folder, `from-${count}`), join(folder, `to-${count}`)];
    writeFileSync(from, Buffer.alloc(12_000_000, 'parquet'));
    await store.put('datasets/test.parquet', from);
    await store.fetch('datasets/test.parquet', to);
    expect(readFileSync(to).equals(readFileSync(from))).toBe(true);
    await expect(store.fetch('datasets/gone.parquet', to)).rejects.toThrow();
  });

  test('has every line of a ledger in order, written by several workers at once', async () => {
    const { store, again } = openNew();
    const written = ['w-1', 'w-2'].map(async (worker) => {
      const ledger = openLedger(again(), worker);
      await Promise.all(
        Array.from({ length: 900 }, (__, index) => index + 1).map((call) =>
          ledger.write({ event: 'failed', call, kind: 'x'.repeat(400) }),
        ),
      );
    });
    await Promise.all(written);
    const read = await readLedgerLines(store);
    expect(read.map(({ worker }) => worker)).toEqual(['w-1', 'w-2']);
    for (const { lines } of read) {
      expect((await collect(lines)).map(({ call }) => call)).toEqual(
        Array.from({ length: 900 }, (__, index) => index + 1),
      );
    }
  });

  test('holds a journal and its packs', async () => {
    const { again } = openNew();
    const entry = buildJournalEntry('run/p1/s1#r0.user.t1.a0');
    const kept = await Promise.all(
      [1, 2, 3].map((durationMs) => openJournal(again()).append({ ...entry, durationMs })),
    );
    expect(new Set(kept.map(({ durationMs }) => durationMs)).size).toBe(1);
    const packed = await Promise.all([1, 2].map(() => openJournal(again()).pack(['run/p1', 'run/p1/s1'])));
    expect(packed).toEqual([[kept[0]], [kept[0]]]);
    expect(await openJournal(again()).find(entry.key)).toEqual(kept[0]);
    expect(await again().list('journal')).toEqual([]);
  });
}

withStorage.describe('object storage', () => {
  test('names what is wrong and what to do', async () => {
    await expect(createS3Store({ bucket: 'not-there', prefix: '' }).write('a', 'b')).rejects.toThrow(
      /^s3:\/\/not-there\/a cannot be accessed \(NoSuchBucket: .*\)\. Create the bucket not-there, or correct its name\.$/,
    );
    process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong';
    await expect(createS3Store({ bucket: server.bucket, prefix: '' }).read('a')).rejects.toThrow(
      /SignatureDoesNotMatch.*Check the credentials/,
    );
    Object.assign(process.env, server.environment);
  });

  test('with a run of an unreleased version is refused by its place', async () => {
    const location = `s3://${server.bucket}/unreleased`;
    await (await openStoreAt(location)).write('inputs/evaluation.json', '{"id":"eval"}\n');
    await expect(openStoreAt(location)).rejects.toThrow(
      `${location} was made by an unreleased version of cupid`,
    );
  });

  test('that is away fails after some tries, and answers when it is back', async () => {
    const store = createS3Store({ bucket: server.bucket, prefix: 'away' });
    await store.write('a', '1');
    await server.stop();
    await expect(store.read('a')).rejects.toThrow(/ECONNREFUSED.*Check the network/);
    await expect(store.create('b', '2')).rejects.toThrow('ECONNREFUSED');
    await expect(store.append('ledger/c', '3')).rejects.toThrow('ECONNREFUSED');
    await server.start();
    expect(await store.create('b', '2')).toBe(true);
    await store.append('ledger/c', '3');
    await store.append('ledger/c', '4');
    expect((await collect(store.blocks('ledger/c'))).join('')).toBe('34');
    expect(await store.read('a')).toBe('1');
  });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
