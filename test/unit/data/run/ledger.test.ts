import { mkdtempSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLedger, readLedgerLines } from '../../../../data/run/ledger';
import { createFolderStore, type Store } from '../../../../data/store/store';
import type { LedgerLine } from '../../../../schemas/run/ledger';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
let root: string;
let store: Store;

beforeEach(() => {
  root = mkdtempSync(join(folder, 'run-'));
  store = createFolderStore(root);
});

const SENT: LedgerLine = {
  event: 'sent',
  sentAtMs: 1,
  call: 1,
  key: 'run/p1#r0.user.t1.a0',
  spec: 'openai:gpt-4o',
  step: 'user',
  estimate: { input: 3, output: 4 },
};
const USAGE = { input: 3 };
const ANSWERED: LedgerLine = { event: 'answered', call: 1, verdict: 'good', usage: USAGE, durationMs: 9 };

async function linesByWorker(): Promise<Record<string, LedgerLine[]>> {
  const byWorker: Record<string, LedgerLine[]> = {};
  for (const { worker, lines } of await readLedgerLines(store)) {
    byWorker[worker] = [];
    for await (const line of lines) byWorker[worker].push(line);
  }
  return byWorker;
}

test('lines are read as they were written, worker by worker, whatever the worker is called', async () => {
  expect(await linesByWorker()).toEqual({});
  const [one, other] = [openLedger(store, 'host/a b#1'), openLedger(store, 'w2')];
  await Promise.all([one.write(SENT), one.write(ANSWERED), other.write(SENT)]);
  expect(await linesByWorker()).toEqual({ 'host/a b#1': [SENT, ANSWERED], w2: [SENT] });
});

test('a ledger of many thousand calls is read as it was written, and leaves other work its turn meanwhile', async () => {
  // Lines of any length, with characters of several bytes, because blocks may end anywhere.
  const lines = Array.from({ length: 10_000 }, (_, index): LedgerLine => {
    return { ...SENT, call: index + 1, key: `läufe/${'é'.repeat(index % 7)}/p${index}#r0.user.t1.a0` };
  });
  await store.write('ledger/w.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  let turn = 0;
  const takeTurn = () => {
    turn += 1;
    next = setImmediate(takeTurn);
  };
  let next = setImmediate(takeTurn);
  const linesAt = new Map<number, number>();
  const read: LedgerLine[] = [];
  const [ledger] = await readLedgerLines(store);
  for await (const line of ledger?.lines ?? []) {
    read.push(line);
    linesAt.set(turn, (linesAt.get(turn) ?? 0) + 1);
  }
  clearImmediate(next);
  expect(read).toEqual(lines);
  // The other work includes heartbeats of model calls, which must not wait.
  expect(Math.max(...linesAt.values())).toBeLessThan(lines.length / 5);
  // The lines can be iterated repeatedly.
  expect((await linesByWorker())['w']).toHaveLength(lines.length);
});

test('a last line that a crash cut off is left out; any other damaged line is an error that names the file, the line and the remedy', async () => {
  await openLedger(store, 'w').write(SENT);
  const file = join(root, 'ledger/w.jsonl');
  await appendFile(file, JSON.stringify({ ...ANSWERED, verdict: 'fine' }));
  expect(await linesByWorker()).toEqual({ w: [SENT] });
  await appendFile(file, '\n');
  await expect(linesByWorker()).rejects.toThrow(
    /ledger\/w\.jsonl, line 2, field verdict: [^]*delete this line/,
  );
});

test('what a full disk leaves of a line neither hides nor damages the lines after it', async () => {
  let full = false;
  const failing: Store = {
    ...store,
    async append(name, text) {
      if (!full) return store.append(name, text);
      await store.append(name, text.slice(0, 20));
      throw new Error('ENOSPC: no space left on device');
    },
  };
  const ledger = openLedger(failing, 'w');
  await ledger.write(SENT);
  full = true;
  await expect(ledger.write(ANSWERED)).rejects.toThrow('ENOSPC');
  await expect(ledger.write(ANSWERED)).rejects.toThrow('ENOSPC');
  full = false;
  await ledger.write(ANSWERED);
  expect(await linesByWorker()).toEqual({ w: [SENT, ANSWERED] });
});
