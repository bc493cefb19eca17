import { openJournal } from '../data/journal';
import { answersIn, readLedgers } from '../data/ledger';
import type { Store } from '../data/store';
import { mergeLedgers, settledLedgers } from '../rules/ledger';
import type { Ledger } from '../schemas/ledger';

/**
 * What a run has spent so far, by worker: what they had in flight, and nobody has heard of since, is settled.
 * @param driven true while somebody works for it: what has no answer yet may be in flight, and is not counted
 * @throws LedgerError
 */
export async function ledgersOf(store: Store, driven = false): Promise<Record<string, Ledger>> {
  const journal = openJournal(store);
  const workers = await readLedgers(store);
  const living = new Set(driven ? workers.map(({ worker }) => worker) : []);
  const settled = await settledLedgers(workers, living, answersIn(journal));
  return Object.fromEntries(settled.map(({ worker, rows }) => [worker, rows]));
}

/** The same, of all workers together. @throws LedgerError */
export async function ledgerOf(store: Store, driven = false): Promise<Ledger> {
  return mergeLedgers(Object.values(await ledgersOf(store, driven)));
}
