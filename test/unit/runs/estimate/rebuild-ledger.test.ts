import { openJournal } from '../../../../data/run/journal';
import { createFolderStore } from '../../../../data/store/store';
import { readLedgers, readSentLately } from '../../../../runs/estimate/ledgers';
import { rebuildLedger } from '../../../../runs/estimate/rebuild-ledger';
import { buildJournalEntry } from '../../../journal-entry';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

test('a lost ledger is rebuilt from the journal, packed or not', async () => {
  const store = createFolderStore(folder);
  const journal = openJournal(store);
  const entries = ['run#r0.describe.t1.a0', 'run/p1#r0.factors.t0.a0', 'run/p1/s1#r0.user.t1.a0'].map((key) =>
    buildJournalEntry(key),
  );
  for (const entry of entries) await journal.append(entry);
  await journal.pack(['run/p1', 'run/p1/s1']);
  expect(await rebuildLedger(store)).toBe(3);
  const [ledger, ...others] = await readLedgers(store);
  expect(others).toEqual([]);
  const sum = (of: 'input' | 'output') =>
    entries.reduce((all, { answer }) => all + (answer.usage[of] ?? 0), 0);
  const rows = ledger?.rows ?? [];
  expect(rows.map(({ step, calls }) => [step, calls])).toEqual(
    expect.arrayContaining(['describe', 'factors', 'user'].map((step) => [step, 1])),
  );
  expect(rows.reduce((all, { input }) => all + input, 0)).toBe(sum('input'));
  expect(rows.reduce((all, { output }) => all + output, 0)).toBe(sum('output'));
  expect(await readSentLately(store)).toEqual([]);
});

test('nothing is written for a run without answers', async () => {
  const store = createFolderStore(`${folder}/new`);
  expect(await rebuildLedger(store)).toBe(0);
  expect(await readLedgers(store)).toEqual([]);
});
