import { join } from 'node:path';
import { readLedger, readLedgers } from '../../runs/estimate/ledgers';
import { createFolderStore } from '../../data/store/store';
import { computeTotals, type LedgerTotals } from '../../engine/costs/ledger';
import type { Ledger } from '../../schemas/run/ledger';
import type { Running } from './command';

/** Reads from a run's folder everything that it has spent. Calls in flight count as lost. */
export async function readRunLedger(run: string): Promise<Ledger> {
  return readLedger(storeOf(run));
}

export async function readRunTotals(run: string): Promise<LedgerTotals> {
  return computeTotals(await readRunLedger(run));
}

/** Computes this process's part of the spending, over all its times as a worker of the run. */
export async function readWorkerTotals({ pid }: Running, run: string): Promise<LedgerTotals> {
  const own = (await readLedgers(storeOf(run))).filter(({ worker }) => worker.includes(`-${pid}-`));
  return computeTotals(own.flatMap(({ rows }) => rows));
}

function storeOf(run: string) {
  return createFolderStore(join(run, '.cupid'));
}

/** Reads the number of calls that a command reports. */
export function readReportedCalls(stderr: string): number {
  return Number((/([\d,]+) calls?(?:\.| of this )/.exec(stderr)?.[1] ?? 'none').replaceAll(',', ''));
}
