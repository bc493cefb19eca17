import { join } from 'node:path';
import { ledgersOf } from '../../client/ledgers';
import { folderStore } from '../../data/store';
import { mergeLedgers, totalsOf, type LedgerTotals } from '../../rules/ledger';
import type { Ledger } from '../../schemas/ledger';
import type { Running } from './command';

/** All that a run has spent, as its folder tells; what is in flight counts as lost. */
export async function ledgerIn(run: string): Promise<Ledger> {
  return mergeLedgers(Object.values(await workersIn(run)));
}

export async function totalsIn(run: string): Promise<LedgerTotals> {
  return totalsOf(await ledgerIn(run));
}

/** What this process has spent of it, however often it has worked for the run. */
export async function totalsBy({ pid }: Running, run: string): Promise<LedgerTotals> {
  const own = Object.entries(await workersIn(run)).filter(([worker]) => worker.includes(`-${pid}-`));
  return totalsOf(own.flatMap(([, rows]) => rows));
}

async function workersIn(run: string): Promise<Record<string, Ledger>> {
  return ledgersOf(folderStore(join(run, '.cupid')));
}
