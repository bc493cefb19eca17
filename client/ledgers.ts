import { openJournal } from '../data/journal';
import { answersIn, readLedgers } from '../data/ledger';
import type { Store } from '../data/store';
import { mergeLedgers, settledLedgers, type SentCall, type WorkerLedger } from '../rules/ledger';
import { WINDOW_MS } from '../rules/leases';
import type { Ledger } from '../schemas/ledger';

/**
 * What a run has spent so far, by worker: what they had in flight, and nobody has heard of since, is settled.
 * @param driven true while somebody works for it: what has no answer yet may be in flight, and is not counted
 * @throws LedgerError
 */
export async function ledgersOf(store: Store, driven = false): Promise<Record<string, Ledger>> {
  const settled = await settledBy(store, (workers) => (driven ? workers : []));
  return Object.fromEntries(settled.map(({ worker, rows }) => [worker, rows]));
}

/** The same, of all workers together. @throws LedgerError */
export async function ledgerOf(store: Store, driven = false): Promise<Ledger> {
  return mergeLedgers(Object.values(await ledgersOf(store, driven)));
}

/** What a run has spent, and what these workers have in flight, by worker, at one moment. @throws LedgerError */
export async function liveLedger(
  store: Store,
  living: readonly string[],
): Promise<{ readonly ledger: Ledger; readonly inFlight: ReadonlyMap<string, readonly SentCall[]> }> {
  const settled = await settledBy(store, () => living);
  return {
    ledger: mergeLedgers(settled.map(({ rows }) => rows)),
    inFlight: new Map(settled.map(({ worker, inFlight }) => [worker, inFlight])),
  };
}

async function settledBy(
  store: Store,
  livingAmong: (workers: readonly string[]) => readonly string[],
): Promise<WorkerLedger[]> {
  const workers = await readLedgers(store);
  const living = livingAmong(workers.map(({ worker }) => worker));
  return settledLedgers(workers, new Set(living), answersIn(openJournal(store)));
}

/** What was sent to a model in a second, and until when it counts for limits a minute: in milliseconds since 1970. */
export interface SentLately {
  readonly untilMs: number;
  readonly requests: number;
  readonly tokens: number;
}

/** What all workers of a run sent in the last minute, by SPEC: at their estimates. @throws LedgerError */
export async function sentLately(store: Store): Promise<Map<string, SentLately[]>> {
  const nowMs = Date.now();
  const seconds = new Map<string, Map<number, SentLately>>();
  for (const { lines } of await readLedgers(store)) {
    for await (const line of lines) {
      if (line.event !== 'sent' || line.at < nowMs - WINDOW_MS) continue;
      const ofModel = seconds.get(line.spec) ?? new Map<number, SentLately>();
      seconds.set(line.spec, ofModel);
      const untilMs = Math.ceil(line.at / 1_000) * 1_000 + WINDOW_MS;
      const { requests, tokens } = ofModel.get(untilMs) ?? { requests: 0, tokens: 0 };
      const { input, output } = line.estimate;
      ofModel.set(untilMs, { untilMs, requests: requests + 1, tokens: tokens + input + output });
    }
  }
  return new Map([...seconds].map(([spec, ofModel]) => [spec, [...ofModel.values()]]));
}
