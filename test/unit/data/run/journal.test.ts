import { createHash } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { JournalError, openJournal, readEntry, renderEntry } from '../../../../data/run/journal';
import { createFolderStore } from '../../../../data/store/store';
import type { JournalEntry } from '../../../../schemas/run/journal';
import { createTemporaryFolder } from '../../../temporary-folder';

const KEY = 'run/p17/s3#r0.user.t4.a0';
const NAME = 'journal/run%2Fp17%2Fs3/r0.user.t4.a0.json';
const OTHER = 'journal/run%2Fp17%2Fs3/r0.user.t5.a0.json';
const ENTRY: JournalEntry = {
  key: KEY,
  request: 'a'.repeat(64),
  settings: 'b'.repeat(64),
  spec: 'openai:gpt-4o',
  answer: {
    text: 'Score: 7.\n"Good", with \ud83d and \u2028.',
    finish: 'complete',
    model: 'gpt-4o-2024-11-20',
    usage: { input: 812, output: 33 },
  },
  ledgerCall: 'w/1',
  durationMs: 940,
};

const folder = createTemporaryFolder();
let count = 0;

/** Creates a journal with one entry, and returns the path of its file. */
async function journalOfOne() {
  const root = join(folder, String((count += 1)));
  const journal = openJournal(createFolderStore(root));
  await journal.append(ENTRY);
  return { journal, root, file: join(root, NAME) };
}

test('what was appended is read back, by its key and with its workflow', async () => {
  const { journal } = await journalOfOne();
  expect(await journal.find(KEY)).toEqual(ENTRY);
  expect(await journal.get(KEY)).toEqual(ENTRY);
  expect(await journal.ofWorkflow('run/p17/s3')).toEqual([ENTRY]);
  expect(await journal.workflows()).toEqual(['run/p17/s3']);
});

test('what this process wrote is not read again, until it is set aside', async () => {
  const root = join(folder, String((count += 1)));
  const store = createFolderStore(root);
  const read = jest.spyOn(store, 'read');
  const journal = openJournal(store);
  await journal.append(ENTRY);
  expect(await journal.get(KEY)).toEqual(ENTRY);
  expect(read).not.toHaveBeenCalledWith(NAME);
  await journal.setAside([{ key: KEY, name: NAME, problem: 'it is empty' }]);
  expect(await journal.find(KEY)).toBeUndefined();
});

test('what this process wrote is packed without reading its files', async () => {
  const { journal, root, file } = await journalOfOne();
  const text = await readFile(file, 'utf8');
  await writeFile(file, '');
  expect(await journal.pack(['run/p17', 'run/p17/s3'])).toEqual([ENTRY]);
  const [, packed] = (await readFile(join(root, 'packs', 'run%2Fp17.1.jsonl'), 'utf8')).split('\n');
  expect(`${packed}\n`).toBe(text);
});

test('an answer that another process kept meanwhile stays, and is returned', async () => {
  const { journal, root } = await journalOfOne();
  const other = openJournal(createFolderStore(root));
  const later = { ...ENTRY, durationMs: 1 };
  expect(await other.append(later)).toEqual(ENTRY);
  expect(await other.find(KEY)).toEqual(ENTRY);
  expect(await journal.find(KEY)).toEqual(ENTRY);
});

test('one changed character, wherever it stands, is noticed by every way of reading', async () => {
  const { root, file } = await journalOfOne();
  // Read as by another process, because the writer caches its entries.
  const journal = openJournal(createFolderStore(root));
  const text = await readFile(file, 'utf8');
  for (let at = 0; at < text.length; at += 1) {
    const changed = `${text.slice(0, at)}${text[at] === '7' ? '8' : '7'}${text.slice(at + 1)}`;
    expect(() => readEntry(NAME, KEY, changed)).toThrow(JournalError);
  }
  await writeFile(file, text.replace('Score: 7', 'Score: 9'));
  const damage = expect.objectContaining({
    name: 'JournalError',
    message: `The journal entry .cupid/${NAME} is damaged: its content does not match its SHA-256. To ask the model again from that call on, run: cupid retry RUN --damaged`,
  });
  await expect(journal.find(KEY)).rejects.toEqual(damage);
  await expect(journal.get(KEY)).rejects.toEqual(damage);
  await expect(journal.ofWorkflow('run/p17/s3')).rejects.toEqual(damage);
  await expect(journal.append(ENTRY)).rejects.toEqual(damage);
});

test('an entry that was copied over another is noticed', async () => {
  const { journal, root, file } = await journalOfOne();
  await copyFile(file, join(root, OTHER));
  await expect(journal.find('run/p17/s3#r0.user.t5.a0')).rejects.toThrow(
    `${OTHER} is damaged: it belongs to another call, ${KEY}.`,
  );
});

test.each([
  ['it is empty', ''],
  ['it does not end with its SHA-256', renderEntry(ENTRY).slice(0, 40)],
  ['it does not end with its SHA-256', JSON.stringify(ENTRY)],
])('a file is damaged when %s', async (problem, text) => {
  const { journal, file } = await journalOfOne();
  await writeFile(file, text);
  expect(await journal.inspect('run/p17/s3')).toEqual({
    entries: [],
    damaged: [{ key: KEY, name: NAME, problem }],
  });
});

test('a damaged entry is set aside, as often as it comes, and its call has no answer then', async () => {
  const { journal, root, file } = await journalOfOne();
  for (const number of [1, 2]) {
    await writeFile(file, `damage ${number}`);
    const { damaged } = await journal.inspect('run/p17/s3');
    await journal.setAside([...damaged, ...damaged]);
    expect(await journal.find(KEY)).toBeUndefined();
    const aside = join(root, 'damaged', 'run%2Fp17%2Fs3', `r0.user.t4.a0.json.${number}`);
    expect(await readFile(aside, 'utf8')).toBe(`damage ${number}`);
  }
});

test('files that are no entries, such as an editor leaves, do not count', async () => {
  const { journal, file } = await journalOfOne();
  await writeFile(`${file}~`, 'whatever');
  expect(await journal.ofWorkflow('run/p17/s3')).toEqual([ENTRY]);
});

describe('whatever a file holds', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.json().map((json) => `${json}\n`),
    fc.integer({ min: 1, max: 200_000 }).map((depth) => '['.repeat(depth)),
    // With a correct digest.
    fc.json().map((json) => signed(json)),
    fc.record({ key: fc.constant(KEY), answer: fc.anything() }).map((entry) => signed(JSON.stringify(entry))),
  );

  test('reading it gives an entry of that key or names the damage, and does not hang', () => {
    fc.assert(
      fc.property(anything, (text) => {
        try {
          expect(readEntry(NAME, KEY, text).key).toBe(KEY);
        } catch (error) {
          expect(error).toBeInstanceOf(JournalError);
          expect(error).toMatchObject({ message: expect.stringContaining(`${NAME} is damaged: `) });
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('what was written is read as it was, and no part of it is taken for the whole', () => {
    const entry = fc.record({
      key: fc.constant(KEY),
      request: fc.string(),
      settings: fc.string(),
      spec: fc.string(),
      answer: fc.record({
        text: fc.string({ unit: 'binary' }),
        finish: fc.constantFrom('complete' as const, 'length' as const, 'refused' as const),
        model: fc.string({ unit: 'binary' }),
        usage: fc.record({ input: fc.nat(), reasoning: fc.nat() }, { requiredKeys: [] }),
      }),
      ledgerCall: fc.string(),
      durationMs: fc.nat(),
    });
    fc.assert(
      fc.property(entry, fc.nat(), (one, cut) => {
        const text = renderEntry(one);
        expect(readEntry(NAME, KEY, text)).toEqual(one);
        expect(() => readEntry(NAME, KEY, text.slice(0, cut % text.length))).toThrow(JournalError);
      }),
      { numRuns: 500 },
    );
  });
});

/** Appends the digest of a text, as in an entry. */
function signed(json: string): string {
  const fields = json.slice(0, -1);
  return `${fields},"sha256":"${createHash('sha256').update(fields).digest('hex')}"}\n`;
}

describe('a pack', () => {
  const WORKFLOWS = ['run/p17', 'run/p17/s3'];
  const PACK = 'packs/run%2Fp17.1.jsonl';
  /** Matches the text to change in the entry of `KEY`. */
  const CHANGED = /(t4[^\n]*)Score: 7/;
  const ENTRIES = ['run/p17#r0.journey.t1.a0', KEY, 'run/p17/s3#r0.user.t5.a0'].map((key) => ({
    ...ENTRY,
    key,
  }));

  test('has every entry byte by byte, in place of their files', async () => {
    const { store, journal } = await journalOf([...ENTRIES, { ...ENTRY, key: 'run#r0.describe.t1.a0' }]);
    expect(await journal.pack(WORKFLOWS)).toEqual(ENTRIES);
    expect(await store.list('journal')).toEqual(['journal/run']);
    const [header, ...lines] = ((await store.read(PACK)) ?? '').split(/(?<=\n)/);
    expect(JSON.parse(header ?? '')).toEqual({ keys: ENTRIES.map(({ key }) => key) });
    expect(lines).toEqual(ENTRIES.map(renderEntry));
    for (const reader of [journal, openJournal(store)]) {
      for (const entry of ENTRIES) expect(await reader.find(entry.key)).toEqual(entry);
      expect(await reader.ofWorkflow('run/p17/s3')).toEqual(ENTRIES.slice(1));
      expect(await (await reader.list()).keysOf('run/p17')).toEqual(ENTRIES.map(({ key }) => key));
      expect(await (await reader.list()).keysOf('run/p17/s3')).toEqual(
        ENTRIES.slice(1).map(({ key }) => key),
      );
      expect(await (await reader.list()).keysOf('run')).toEqual(['run#r0.describe.t1.a0']);
      expect((await reader.workflows()).toSorted()).toEqual(['run', ...WORKFLOWS]);
    }
  });

  test('stays as it is when it is packed again, and later calls come into the next', async () => {
    const { store, journal } = await journalOf(ENTRIES);
    await journal.pack(WORKFLOWS);
    const pack = await store.read(PACK);
    expect(await journal.pack(WORKFLOWS)).toEqual(ENTRIES);
    const later = { ...ENTRY, key: 'run/p17/s3#r1.user.t4.a0' };
    await journal.append(later);
    expect(await openJournal(store).pack(WORKFLOWS)).toEqual([...ENTRIES, later]);
    expect(await store.read(PACK)).toBe(pack);
    expect(await store.list('packs')).toEqual([PACK, 'packs/run%2Fp17.2.jsonl']);
    expect(await store.list('journal')).toEqual([]);
  });

  test('counts, where an attempt that was given up answers after it', async () => {
    const { store, journal } = await journalOf(ENTRIES);
    await journal.pack(WORKFLOWS);
    const late = { ...ENTRY, durationMs: 1 };
    expect(await openJournal(store).append(late)).toEqual(ENTRY);
    expect(await openJournal(store).find(KEY)).toEqual(ENTRY);
    expect(await openJournal(store).pack(WORKFLOWS)).toEqual(ENTRIES);
  });

  test('made by two processes at once, or by one that dies between its steps, has each entry once', async () => {
    const { store, journal } = await journalOf(ENTRIES);
    jest.spyOn(store, 'remove').mockRejectedValueOnce(new Error('killed'));
    await expect(journal.pack(WORKFLOWS)).rejects.toThrow('killed');
    expect(await openJournal(store).ofWorkflow('run/p17/s3')).toEqual(ENTRIES.slice(1));
    const both = await Promise.all([openJournal(store).pack(WORKFLOWS), openJournal(store).pack(WORKFLOWS)]);
    expect(both).toEqual([ENTRIES, ENTRIES]);
    expect(await store.list('packs')).toEqual([PACK]);
    const fresh = await journalOf(ENTRIES);
    const other = openJournal(fresh.store);
    expect(await Promise.all([other.pack(WORKFLOWS), fresh.journal.pack(WORKFLOWS)])).toEqual([
      ENTRIES,
      ENTRIES,
    ]);
    expect(await openJournal(fresh.store).pack(WORKFLOWS)).toEqual(ENTRIES);
  });

  test.each([
    [
      'a changed entry',
      (text: string) => text.replace(CHANGED, '$1Score: 9'),
      'its content does not match its SHA-256',
    ],
    ['its end', (text: string) => text.slice(0, text.lastIndexOf('{"key"')), 'it is empty'],
    [
      'its first line',
      (text: string) => `{"keys":${text.slice(9)}`.replace(CHANGED, '$1Score: 9'),
      'its content does not match its SHA-256',
    ],
  ])('that lost %s is reported, and set aside with its sound entries kept', async (_, change, problem) => {
    const { root, store, journal } = await journalOf(ENTRIES);
    await journal.pack(WORKFLOWS);
    await writeFile(join(root, PACK), change(await readFile(join(root, PACK), 'utf8')));
    const reader = openJournal(store);
    const { damaged } = await reader.inspect('run/p17/s3');
    expect(damaged).toMatchObject([{ name: PACK, problem }]);
    await expect(reader.pack(WORKFLOWS)).rejects.toThrow(`.cupid/${PACK} is damaged: ${problem}`);
    await reader.setAside([...damaged, ...damaged]);
    const [lost] = damaged.map(({ key }) => key);
    const sound = ENTRIES.filter(({ key }) => key !== lost);
    expect(await openJournal(store).pack(WORKFLOWS)).toEqual(sound);
    expect(await store.list('damaged/packs')).toEqual([`damaged/${PACK}.1`]);
  });

  test('of which no entry can be read is reported as a whole, and set aside', async () => {
    const { root, store, journal } = await journalOf(ENTRIES);
    await journal.pack(WORKFLOWS);
    const rest = (await readFile(join(root, PACK), 'utf8')).slice(0, 20);
    await writeFile(join(root, PACK), rest);
    const reader = openJournal(store);
    expect(await reader.find(KEY)).toBeUndefined();
    const { damaged } = await reader.inspect('run/p17');
    expect(damaged).toEqual([{ key: 'run/p17#', name: PACK, problem: 'it does not end with its SHA-256' }]);
    await reader.setAside(damaged);
    expect(await store.read(`damaged/${PACK}.1`)).toBe(rest);
    expect(await openJournal(store).pack(WORKFLOWS)).toEqual([]);
  });

  test('does not hide the packs after it when it is set aside', async () => {
    const { root, store, journal } = await journalOf(ENTRIES);
    await journal.pack(WORKFLOWS);
    const second = { ...ENTRY, key: 'run/p17/s3#r1.user.t4.a0' };
    await journal.append(second);
    await journal.pack(WORKFLOWS);
    const text = (await readFile(join(root, PACK), 'utf8')).replace(CHANGED, '$1Score: 9');
    await writeFile(join(root, PACK), text);
    const reader = openJournal(store);
    const { damaged } = await reader.inspect('run/p17/s3');
    // A crash before the last step leaves the pack unchanged.
    const write = jest.spyOn(store, 'write').mockRejectedValueOnce(new Error('killed'));
    await expect(reader.setAside(damaged)).rejects.toThrow('killed');
    write.mockRestore();
    expect(await store.read(PACK)).toBe(text);
    await openJournal(store).setAside(damaged);
    expect(await store.read(`damaged/${PACK}.1`)).toBe(text);

    const sound = [...ENTRIES.filter(({ key }) => key !== KEY), second];
    const later = openJournal(store);
    expect(await later.find(second.key)).toEqual(second);
    expect(await later.find(KEY)).toBeUndefined();
    expect(await later.inspect('run/p17/s3')).toEqual({ entries: sound.slice(1), damaged: [] });
    expect(await (await later.list()).keysOf('run/p17')).toEqual(sound.map(({ key }) => key));
    expect(await later.pack(WORKFLOWS)).toEqual(sound);
    expect(await store.list('packs')).toEqual([1, 2, 3].map((number) => `packs/run%2Fp17.${number}.jsonl`));
  });
});

async function journalOf(entries: readonly JournalEntry[]) {
  const root = join(folder, String((count += 1)));
  const store = createFolderStore(root);
  for (const entry of entries) await openJournal(store).append(entry);
  return { root, store, journal: openJournal(store) };
}
