import type { JournalEntry } from '../schemas/run/journal';

/** Builds an entry of the journal, for tests that ignore its answer. */
export function buildJournalEntry(key: string, own: Partial<JournalEntry['answer']> = {}): JournalEntry {
  return {
    key,
    request: 'hash',
    settings: '',
    spec: 'simulated:default',
    answer: { text: 'Yes.', finish: 'complete', model: 'default', usage: {}, ...own },
    ledgerCall: 'w/1',
    durationMs: 10,
  };
}

/** Parameters of a request, for tests that ignore them. */
export const PARAMETERS = { temperature: 0, maxTokens: 100, seed: 1 } as const;
