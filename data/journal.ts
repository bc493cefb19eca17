import { journalEntrySchema, type JournalEntry } from '../schemas/journal';
import type { Store } from './store';

/**
 * The run's record of every answered model call (decision 1). One file per call, one folder per workflow:
 * the file of key `run/p17/s3#g0.user.t4.a0` is `journal/run%2Fp17%2Fs3/g0.user.t4.a0.json`.
 */
export interface Journal {
  /** The entry under this key; undefined when the call was never answered. */
  find(key: string): Promise<JournalEntry | undefined>;
  /** The entry under this key, which must exist. @throws Error that names the key when it does not. */
  get(key: string): Promise<JournalEntry>;
  /**
   * Keeps an answered call; durable when it returns. Where another process has kept an answer under this key meanwhile, that
   * one stays, and is returned.
   */
  append(entry: JournalEntry): Promise<JournalEntry>;
  /** All entries of one workflow, in order of their names. */
  ofWorkflow(workflowId: string): Promise<JournalEntry[]>;
}

/** The journal is not as the run left it: an entry is missing or damaged. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** The journal inside a run's store. */
export function openJournal(store: Store): Journal {
  const find = async (key: string) => {
    const text = await store.read(nameOf(key));
    return text === undefined ? undefined : parse(nameOf(key), text);
  };
  const get = async (key: string) => {
    const entry = await find(key);
    if (entry !== undefined) return entry;
    throw new JournalError(
      `The journal has no entry ${key}, but the run goes by it. Restore it from a copy; or delete .cupid/engine, and what is missing is asked again.`,
    );
  };
  return {
    find,
    get,
    async append(entry) {
      const isNew = await store.create(nameOf(entry.key), `${JSON.stringify(entry)}\n`);
      return isNew ? entry : get(entry.key);
    },
    async ofWorkflow(workflowId) {
      const names = await store.list(folderOf(workflowId));
      return Promise.all(names.map(async (name) => parse(name, (await store.read(name)) ?? '')));
    },
  };
}

function nameOf(key: string): string {
  const split = key.lastIndexOf('#');
  return `${folderOf(key.slice(0, split))}/${key.slice(split + 1)}.json`;
}

function folderOf(workflowId: string): string {
  return `journal/${encodeURIComponent(workflowId)}`;
}

function parse(name: string, text: string): JournalEntry {
  try {
    return journalEntrySchema.parse(JSON.parse(text));
  } catch (error) {
    throw new JournalError(
      `${name} is not a journal entry (${error instanceof Error ? error.message : String(error)}). ` +
        'Journal files are written whole; restore this one from a copy; or delete it and .cupid/engine, and that call is asked again.',
      { cause: error },
    );
  }
}
