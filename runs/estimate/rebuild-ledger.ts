import { openJournal } from '../../data/run/journal';
import { writeLedger } from '../../data/run/ledger';
import type { Store } from '../../data/store/store';
import { buildAnsweredLine } from '../../engine/costs/ledger';
import { parseJournalKey } from '../../engine/journal/key';
import type { LedgerLine } from '../../schemas/run/ledger';

/**
 * Rebuilds a lost ledger from the run's journal, and returns the number of calls. Failed calls are missing, and unusable answers count as
 * good.
 */
export async function rebuildLedger(store: Store): Promise<number> {
  const journal = openJournal(store);
  const lines: LedgerLine[] = [];
  let call = 0;
  for (const workflowId of await journal.workflows()) {
    const { entries } = await journal.inspect(workflowId);
    for (const entry of entries) {
      const { key, spec, answer } = entry;
      const step = parseJournalKey(key)?.step;
      if (step === undefined) continue;
      const { input = 0, output = 0 } = answer.usage;
      const tier = answer.tier === undefined ? {} : { tier: answer.tier };
      call += 1;
      const estimate = { input, output };
      const sent = { event: 'sent', call, key, spec, step, sentAtMs: LONG_AGO, estimate, ...tier } as const;
      lines.push(sent, buildAnsweredLine(sent, entry, answer.finish === 'refused' ? 'refused' : 'good'));
    }
  }
  if (call > 0) await writeLedger(store, 'rebuilt', lines);
  return call;
}

/** Milliseconds since 1970, so early that no limit a minute counts these calls. */
const LONG_AGO = 1;
