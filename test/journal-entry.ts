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

/** The parameters of a request, for tests that do not look at them. */
export const PARAMETERS = { temperature: 0, maxTokens: 100, seed: 1 } as const;
