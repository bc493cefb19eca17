import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openLedger, readLedgers } from '../../../data/ledger';
import { folderStore, type Store } from '../../../data/store';
import type { LedgerLine } from '../../../schemas/ledger';

let root: string;
let store: Store;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'cupid-ledger-'));
  store = folderStore(root);
});

afterEach(() => rm(root, { recursive: true }));

const SENT: LedgerLine = {
  event: 'sent',
  at: 1,
  call: 1,
  key: 'run/p1#g0.user.t1.a0',
  spec: 'openai:gpt-4o',
  step: 'user',
  estimate: { input: 3, output: 4 },
};
const ANSWERED: LedgerLine = {
  event: 'answered',
  call: 1,
  verdict: 'good',
  usage: { input: 3 },
  milliseconds: 9,
};

async function linesByWorker(): Promise<Record<string, LedgerLine[]>> {
  const byWorker: Record<string, LedgerLine[]> = {};
  for (const { worker, lines } of await readLedgers(store)) {
    byWorker[worker] = [];
    for await (const line of lines) byWorker[worker].push(line);
  }
  return byWorker;
}

test('lines are read as they were written, worker by worker, whatever the worker is called', async () => {
  const [one, other] = [openLedger(store, 'host/a b#1'), openLedger(store, 'w2')];
  await Promise.all([one.write(SENT), one.write(ANSWERED), other.write(SENT)]);
  expect(await linesByWorker()).toEqual({ 'host/a b#1': [SENT, ANSWERED], w2: [SENT] });
});

describe('a ledger of many thousand calls', () => {
  // Of any length, and of characters of several bytes: blocks end anywhere.
  const KEYS = Array.from(
    { length: 10_000 },
    (_, index) => `läufe/${'é'.repeat(index % 7)}/p${index}#g0.user.t1.a0`,
  );

  beforeEach(async () => {
    const lines = KEYS.map((key, index): LedgerLine => ({ ...SENT, call: index + 1, key }));
    await store.write('ledger/w.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });

  test('is read as it was written, as often as it is gone through', async () => {
    const [ledger] = await readLedgers(store);
    for (let time = 1; time <= 2; time += 1) {
      const keys: string[] = [];
      for await (const line of ledger?.lines ?? []) if (line.event === 'sent') keys.push(line.key);
      expect(keys).toEqual(KEYS);
    }
  });

  test('leaves other work its turn while it is read', async () => {
    let turn = 0;
    const takeTurn = () => {
      turn += 1;
      next = setImmediate(takeTurn);
    };
    let next = setImmediate(takeTurn);
    const linesAt = new Map<number, number>();
    const [ledger] = await readLedgers(store);
    for await (const _ of ledger?.lines ?? []) linesAt.set(turn, (linesAt.get(turn) ?? 0) + 1);
    clearImmediate(next);
    // Model calls that wait for their heartbeats are among that work.
    expect(Math.max(...linesAt.values())).toBeLessThan(KEYS.length / 5);
  });
});

test('a last line that a crash cut off is left out', async () => {
  await openLedger(store, 'w').write(SENT);
  await appendFile(path.join(root, 'ledger/w.jsonl'), JSON.stringify(ANSWERED).slice(0, 30));
  expect(await linesByWorker()).toEqual({ w: [SENT] });
});

test('any other damaged line is an error that names the file, the line and the mend', async () => {
  await mkdir(path.join(root, 'ledger'));
  const lines = [JSON.stringify(SENT), JSON.stringify({ ...ANSWERED, verdict: 'fine' }), ''];
  await writeFile(path.join(root, 'ledger/w.jsonl'), lines.join('\n'));
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

test('a run that was asked nothing has no ledger', async () => {
  expect(await linesByWorker()).toEqual({});
});
