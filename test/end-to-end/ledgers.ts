import { join } from 'node:path';
import { readLedger, readLedgers } from '../../runs/estimate/ledgers';
import { createFolderStore } from '../../data/store/store';
import { computeTotals, type LedgerTotals } from '../../engine/costs/ledger';
import type { Ledger } from '../../schemas/run/ledger';
import type { Running } from './command';

/** All that a run has spent, as its folder shows; what is in flight counts as lost. */
export async function readRunLedger(run: string): Promise<Ledger> {
  return readLedger(storeOf(run));
}

export async function readRunTotals(run: string): Promise<LedgerTotals> {
  return computeTotals(await readRunLedger(run));
}

/** What this process has spent of it, however often it has worked for the run. */
export async function readWorkerTotals({ pid }: Running, run: string): Promise<LedgerTotals> {
  const own = (await readLedgers(storeOf(run))).filter(({ worker }) => worker.includes(`-${pid}-`));
  return computeTotals(own.flatMap(({ rows }) => rows));
}

function storeOf(run: string) {
  return createFolderStore(join(run, '.cupid'));
}
