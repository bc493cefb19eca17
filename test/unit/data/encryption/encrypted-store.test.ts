import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEncryptedStore, isEncrypted } from '../../../../data/encryption/encrypted-store';
import { CiphertextDamaged, readKeyring, type Keyring } from '../../../../data/encryption/keys';
import { openSealedText, PART_BYTES } from '../../../../data/encryption/sealed-text';
import { openJournal } from '../../../../data/run/journal';
import { openLedger, readLedgerLines } from '../../../../data/run/ledger';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { buildJournalEntry } from '../../../journal-entry';
import { buildKeyring } from '../../../keyring';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
let root: string;
let count = 0;
beforeEach(() => (root = join(folder, String((count += 1)))));

const open = (...ids: string[]): Store =>
  createEncryptedStore(createFolderStore(root), buildKeyring(...ids), 'out/.cupid');
const pathOf = (name: string) => join(root, name);
const rawOf = (name: string) => readFileSync(pathOf(name), 'utf8');

test('a run that was begun with keys is encrypted from then on, with the newest; without its key it is not read', async () => {
  await open('old').write('inputs/run.json', 'The plan.');
  await open('new', 'old').write('records/0000001.json', 'A record.');
  expect(await open('old', 'new').read('inputs/run.json')).toBe('The plan.');
  expect(JSON.parse(rawOf('records/0000001.json'))).toMatchObject({ key: 'new', last: true });
  for (const name of ['inputs/run.json', 'records/0000001.json', 'encryption.json']) {
    expect(rawOf(name)).not.toMatch(/plan|record\.|A /);
  }
  await expect(open().read('inputs/run.json')).rejects.toThrow(
    "The run's store out/.cupid is encrypted with key old, and CUPID_ENCRYPTION_KEYS is not set.",
  );
  await expect(open('new').write('records/0000002.json', '')).rejects.toThrow('has only new');
  await expect(open('old').read('records/0000001.json')).rejects.toThrow(
    'out/.cupid/records/0000001.json is encrypted with key new, and CUPID_ENCRYPTION_KEYS has only old.',
  );
  const wrong = createEncryptedStore(createFolderStore(root), buildOtherKeys('old'), 'out/.cupid');
  await expect(wrong.list('inputs').then(() => wrong.read('inputs/run.json'))).rejects.toThrow(
    'has another key under an id that it uses',
  );
});

test('a run that was begun without keys stays as it is when there are some', async () => {
  await open().write('inputs/run.json', 'The plan.');
  const later = open('new');
  await later.write('records/0000001.json', 'A record.');
  expect([await isEncrypted(later), rawOf('records/0000001.json')]).toEqual([false, 'A record.']);
  expect(await later.read('inputs/run.json')).toBe('The plan.');
  expect(readdirSync(root)).not.toContain('encryption.json');
});

test('what processes need before they know of keys is readable, and marks nothing', async () => {
  const store = open('new');
  await store.create('locks/000001', 'held');
  expect([await isEncrypted(store), readdirSync(root)]).toEqual([true, ['locks']]);
  await store.write('inputs/run.json', '{}');
  await store.write('run.json', 'state');
  expect([rawOf('run.json'), await open().read('locks/000001')]).toEqual(['state', 'held']);
});

test('a value counts under its own name only, and as a whole; one that is moved is encrypted again', async () => {
  const store = open('new');
  const text = 'é'.repeat(PART_BYTES);
  await store.write('records/0000001.json', text);
  await store.move('records/0000001.json', 'earlier-records/0000001.json');
  expect(await store.read('earlier-records/0000001.json')).toBe(text);
  expect(await collect(store.blocks('earlier-records/0000001.json'))).toBe(text);
  expect(await store.read('records/0000001.json')).toBeUndefined();

  const lines = rawOf('earlier-records/0000001.json').split('\n').slice(0, -1);
  expect(lines).toHaveLength(2);
  const [first = '', second = ''] = lines;
  for (const damaged of [
    [first],
    [second],
    [second, first],
    [first, first, second],
    [first, second, second],
  ]) {
    writeFileSync(pathOf('earlier-records/0000001.json'), damaged.map((line) => `${line}\n`).join(''));
    await expect(store.read('earlier-records/0000001.json')).rejects.toThrow(CiphertextDamaged);
    await expect(collect(store.blocks('earlier-records/0000001.json'))).rejects.toThrow(CiphertextDamaged);
  }
  await store.write('records/0000001.json', 'one');
  renameSync(pathOf('records/0000001.json'), pathOf('records/0000002.json'));
  await expect(store.read('records/0000002.json')).rejects.toThrow('it belongs to records/0000001.json');
  writeFileSync(pathOf('records/0000001.json'), 'one');
  await expect(store.read('records/0000001.json')).rejects.toThrow('it is not encrypted');
});

test('what a crash or a full disk left of a ledger is left out, the rest is read', async () => {
  const store = open('new');
  const stored = createFolderStore(root);
  let isFull = false;
  const full: Store = {
    ...stored,
    async append(name, text) {
      await stored.append(name, isFull ? text.slice(0, 60) : text);
      if (isFull) throw new Error('ENOSPC');
    },
  };
  await store.write('inputs/run.json', '{}');
  const ledger = openLedger(createEncryptedStore(full, buildKeyring('new'), ''), 'w');
  await ledger.write({ event: 'failed', call: 1, kind: 'network' });
  isFull = true;
  await expect(ledger.write({ event: 'failed', call: 2, kind: 'network' })).rejects.toThrow('ENOSPC');
  isFull = false;
  await ledger.write({ event: 'failed', call: 3, kind: 'network' });
  await stored.append('ledger/w.jsonl', `${'\0'.repeat(9)}\n{"encrypted":"AES-256-GCM","key":"n`);
  const [read] = await readLedgerLines(store);
  const calls: number[] = [];
  for await (const { call } of read?.lines ?? []) calls.push(call);
  expect(calls).toEqual([1, 3]);
});

test('a journal entry that was changed is listed as damaged, and set aside', async () => {
  const store = open('new');
  const journal = openJournal(store);
  await journal.append(buildJournalEntry('run/p1/s1#g0.user.t1.a0'));
  const name = 'journal/run%2Fp1%2Fs1/g0.user.t1.a0.json';
  writeFileSync(pathOf(name), rawOf(name).replace(/"data":"..../, '"data":"AAAA'));
  const { damaged } = await openJournal(store).inspect('run/p1/s1');
  expect(damaged).toMatchObject([{ name, problem: 'it cannot be decrypted' }]);
  for (const one of damaged) await openJournal(store).setAside(one);
  expect((await store.list('damaged')).length).toBe(1);
  expect(await openJournal(store).find('run/p1/s1#g0.user.t1.a0')).toBeUndefined();
});

test.each([
  ['changed', (text: string) => text.replace(/"data":"..../, '"data":"AAAA'), 'it cannot be decrypted'],
  ['cut off', (text: string) => text.slice(0, 20), 'it does not end with its SHA-256'],
])('a pack that was %s is listed as damaged, and set aside', async (_, change, problem) => {
  const store = open('new');
  const workflows = ['run/p1', 'run/p1/s1'];
  const first = buildJournalEntry('run/p1/s1#g0.user.t1.a0');
  const later = buildJournalEntry('run/p1/s1#g0.user.t2.a0');
  const journal = openJournal(store);
  await journal.append(first);
  await journal.pack(workflows);
  const name = 'packs/run%2Fp1.1.jsonl';
  writeFileSync(pathOf(name), change(rawOf(name)));
  const damaged = rawOf(name);
  const reader = openJournal(store);
  expect(await reader.find(first.key)).toBeUndefined();
  const checked = await Promise.all((await reader.workflows()).map((id) => reader.inspect(id)));
  expect(checked).toMatchObject([{ entries: [], damaged: [{ name, problem }] }]);
  for (const one of checked.flatMap((found) => found.damaged)) await reader.setAside(one);
  expect(rawOf(`damaged/${name}.1`)).toBe(damaged);
  await openJournal(store).append(later);
  expect(await openJournal(store).pack(workflows)).toEqual([later]);
});

test('a value is decrypted away from its store, wherever it is', async () => {
  const store = open('new');
  await store.write('failures/p1-s2.bundle.json', 'A bundle.');
  const text = rawOf('failures/p1-s2.bundle.json');
  expect(openSealedText(buildKeyring('new'), 'The bundle', text)).toBe('A bundle.');
  expect(() => openSealedText(buildKeyring('other'), 'The bundle', text)).toThrow(
    'The bundle is encrypted with key new',
  );
});

async function collect(blocks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const block of blocks) text += block;
  return text;
}

function buildOtherKeys(id: string): Keyring {
  return readKeyring({ CUPID_ENCRYPTION_KEYS: `${id}:${Buffer.alloc(32, 'another').toString('base64')}` });
}
