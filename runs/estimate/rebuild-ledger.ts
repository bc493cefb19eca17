import { openJournal } from '../../data/run/journal';
import { writeLedger } from '../../data/run/ledger';
import type { Store } from '../../data/store/store';
import { buildAnsweredLine } from '../../engine/costs/ledger';
import { parseJournalKey } from '../../engine/journal/key';
import type { LedgerLine } from '../../schemas/run/ledger';

/**
 * Rebuilds the ledger of a run that lost it from its journal. Failed calls are not in it, and unusable answers count as good. Returns how many
 * calls it has.
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
      const sent = { event: 'sent', call, key, spec, step, at: LONG_AGO, estimate, ...tier } as const;
      lines.push(sent, buildAnsweredLine(sent, entry, answer.finish === 'refused' ? 'refused' : 'good'));
    }
  }
  if (call > 0) await writeLedger(store, 'rebuilt', lines);
  return call;
}

/** In milliseconds since 1970: no limit a minute counts these calls. */
const LONG_AGO = 1;
