import { ApplicationFailure } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import type { Journal } from '../data/run/journal';
import type { CheckResult } from '../rules/answers/form/checks';
import type { JournalEntry } from '../schemas/run/journal';
import { isRead, type ReadAccepted, type ReadAnswer } from '../rules/method/reader';

/** Accepted answers of a run, cached in parsed form: an entry never changes, and no turn should parse the journey again. */
export interface AcceptedAnswers {
  readonly read: ReadAccepted;
  /** Caches a usable answer for the steps that read it next. */
  remember(key: string, value: unknown, text: string): void;
  /** Removes the answers of finished work, which no step reads anymore. */
  forget(keys: Iterable<string>): void;
}

/** Evicts the least recently read answers. */
const keptByJournal = new WeakMap<Pick<Journal, 'get'>, LRUCache<string, ReadAnswer>>();

/** Maximum size in characters: the answers that about a hundred personas in progress read, at the paper's lengths. */
const MOST_CHARACTERS = 16_000_000;

/**
 * Opens the accepted answers of a run.
 * @param options.takesRaw whether answers are checked with everything that their server sent
 * @param options.entries entries that need not be read from the journal
 */
export function openAcceptedAnswers(
  { journal }: { readonly journal: Pick<Journal, 'get'> },
  work: 'run' | 'evaluation' | 'verification',
  {
    takesRaw = false,
    entries,
  }: { readonly takesRaw?: boolean; readonly entries?: ReadonlyMap<string, JournalEntry> } = {},
): AcceptedAnswers {
  const cache =
    keptByJournal.get(journal) ??
    new LRUCache<string, ReadAnswer>({
      maxSize: MOST_CHARACTERS,
      sizeCalculation: ({ text }, key) => key.length + text.length,
    });
  keptByJournal.set(journal, cache);
  const remember = (key: string, value: unknown, text: string) => void cache.set(key, { value, text });
  return {
    remember,
    forget(keys) {
      for (const key of keys) cache.delete(key);
    },
    async read<T>(key: string, check: (text: string) => CheckResult<T>) {
      const cached = cache.get(key);
      if (isRead<T>(cached)) return cached;
      const { text, raw = text } = (entries?.get(key) ?? (await journal.get(key))).answer;
      const checked = check(takesRaw ? raw : text);
      if (!checked.ok) throw createOutdatedAnswerFailure(key, checked.reason, work);
      remember(key, checked.value, text);
      return { value: checked.value, text };
    },
  };
}

function createOutdatedAnswerFailure(
  key: string,
  reason: string,
  work: 'run' | 'evaluation' | 'verification',
): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `Journal entry ${key} was accepted when it was written, but this version of the program rejects it (${reason}). Continue the ${work} with the version that run.json names.`,
    'journal-mismatch',
  );
}
