import { createAnswerLookup, readLedgerLines } from '../data/run/ledger';
import { settleLedgers, type WorkerLedger } from '../engine/costs/ledger';
import type { RunFiles } from './world';

/**
 * Reads and settles the ledgers of a run's workers and batches.
 * @param living the workers whose calls in flight may still be answered, and are not counted
 * @param omitted a worker or batch whose ledger is left out
 * @throws LedgerError
 */
export async function settleRun(
  { store, journal }: Pick<RunFiles, 'store' | 'journal'>,
  living: readonly string[] | 'all',
  omitted?: string,
): Promise<WorkerLedger[]> {
  const workers = (await readLedgerLines(store)).filter(({ worker }) => worker !== omitted);
  return settleLedgers(workers, living, createAnswerLookup(journal));
}
