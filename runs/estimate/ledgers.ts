import { openJournal } from '../../data/run/journal';
import { createAnswerLookup, readLedgerLines } from '../../data/run/ledger';
import type { Store } from '../../data/store/store';
import { WINDOW_MS, type PastUsage } from '../../engine/limits/leases';
import { mergeLedgers, settleLedgers, type WorkerLedger } from '../../engine/costs/ledger';
import type { Ledger } from '../../schemas/run/ledger';

/**
 * What a run has spent so far, by worker. What they had in flight, and has not been reported since, is settled.
 * @param living the workers whose calls in flight may still be answered: these are not counted
 * @throws LedgerError
 */
export async function readLedgers(
  store: Store,
  living: readonly string[] | 'all' = [],
): Promise<WorkerLedger[]> {
  return settleLedgers(await readLedgerLines(store), living, createAnswerLookup(openJournal(store)));
}

/** Returns the same, of all workers together. @throws LedgerError */
export async function readLedger(...read: Parameters<typeof readLedgers>): Promise<Ledger> {
  return mergeLedgers((await readLedgers(...read)).map(({ rows }) => rows));
}

/** What was sent to a model in one second. */
type SentLately = PastUsage & { readonly spec: string };

/** What all workers of a run sent in the last minute: at their estimates. @throws LedgerError */
export async function readSentLately(store: Store): Promise<SentLately[]> {
  const sinceMs = Date.now() - WINDOW_MS;
  const seconds = new Map<string, SentLately>();
  for (const { lines } of await readLedgerLines(store)) {
    for await (const line of lines) {
      if (line.event !== 'sent' || line.tier === 'batch' || line.at < sinceMs) continue;
      const { spec, at, estimate } = line;
      const untilMs = Math.ceil(at / 1_000) * 1_000 + WINDOW_MS;
      const { requests, tokens } = seconds.get(`${untilMs} ${spec}`) ?? { requests: 0, tokens: 0 };
      const sum = { requests: requests + 1, tokens: tokens + estimate.input + estimate.output };
      seconds.set(`${untilMs} ${spec}`, { spec, untilMs, ...sum });
    }
  }
  return [...seconds.values()];
}
