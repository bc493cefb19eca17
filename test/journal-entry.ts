import type { JournalEntry } from '../schemas/run/journal';

/** An entry of the journal, for tests that do not look at what its answer says. */
export function buildJournalEntry(key: string, own: Partial<JournalEntry['answer']> = {}): JournalEntry {
  return {
    key,
    request: 'hash',
    settings: '',
    spec: 'simulated:default',
    answer: { text: 'Yes.', finish: 'complete', model: 'default', usage: {}, ...own },
    milliseconds: 10,
  };
}
