import { openJournal } from '../../data/run/journal';
import { createAnswerLookup, readLedgerLines } from '../../data/run/ledger';
import type { Store } from '../../data/store/store';
import { WINDOW_MS, type PastUsage } from '../../engine/limits/leases';
import { mergeWorkerLedgers, settleLedgers, type WorkerLedger } from '../../engine/costs/ledger';
import type { Ledger, LedgerLine } from '../../schemas/run/ledger';

/** Collects facts from the lines of a worker, which it returns unchanged. */
interface LineWatcher {
  watch(lines: AsyncIterable<LedgerLine>): AsyncIterable<LedgerLine>;
}

/**
 * Reads the spending of a run so far, by worker. Calls that were in flight and never reported are settled.
 * @param living the workers whose calls in flight may still be answered, and are not counted
 * @param watcher receives each line
 * @throws LedgerError
 */
export async function readLedgers(
  store: Store,
  living: readonly string[] | 'all' = [],
  watcher?: LineWatcher,
): Promise<WorkerLedger[]> {
  const workers = await readLedgerLines(store);
  const watchedWorkers = workers.map(({ worker, lines }) => ({
    worker,
    lines: watcher?.watch(lines) ?? lines,
  }));
  return settleLedgers(watchedWorkers, living, createAnswerLookup(openJournal(store)));
}

/** Reads the same, summed over all workers. @throws LedgerError */
export async function readLedger(...read: Parameters<typeof readLedgers>): Promise<Ledger> {
  return mergeWorkerLedgers(await readLedgers(...read));
}

/** Requests sent to a model in one second. */
type SentLately = PastUsage & { readonly spec: string };

/** Reads the requests of all workers in the last minute, with estimated tokens. @throws LedgerError */
export async function readSentLately(store: Store): Promise<SentLately[]> {
  const sinceMs = Date.now() - WINDOW_MS;
  const seconds = new Map<string, SentLately>();
  for (const { lines } of await readLedgerLines(store)) {
    for await (const line of lines) {
      if (line.event !== 'sent' || line.tier === 'batch' || line.sentAtMs < sinceMs) continue;
      const { spec, sentAtMs, estimate } = line;
      const untilMs = Math.ceil(sentAtMs / 1_000) * 1_000 + WINDOW_MS;
      const { requests, tokens } = seconds.get(`${untilMs} ${spec}`) ?? { requests: 0, tokens: 0 };
      const sum = { requests: requests + 1, tokens: tokens + estimate.input + estimate.output };
      seconds.set(`${untilMs} ${spec}`, { spec, untilMs, ...sum });
    }
  }
  return [...seconds.values()];
}
