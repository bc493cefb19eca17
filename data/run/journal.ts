import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { journalEntrySchema, type JournalEntry } from '../../schemas/run/journal';
import { describeIssues } from '../../formatting/issues';
import type { Store } from '../store/store';

/**
 * The run's record of every answered model call (decision 1). One file per call, one folder per workflow:
 * the file of key `run/p17/s3#g0.user.t4.a0` is `journal/run%2Fp17%2Fs3/g0.user.t4.a0.json`.
 */
export interface Journal {
  /** The entry under this key; undefined when the call was never answered. @throws JournalError when it is damaged */
  find(key: string): Promise<JournalEntry | undefined>;
  /** The entry under this key, which must exist. @throws JournalError when it does not, or is damaged */
  get(key: string): Promise<JournalEntry>;
  /**
   * Keeps an answered call; durable when it returns. If another process has kept an answer under this key meanwhile, that
   * one stays, and is returned.
   */
  append(entry: JournalEntry): Promise<JournalEntry>;
  /** All entries of one workflow, in order of their names. @throws JournalError when one is damaged */
  ofWorkflow(workflowId: string): Promise<JournalEntry[]>;
  /** The keys of all entries of one workflow, in order of their names; reads none of them. */
  keysOf(workflowId: string): Promise<string[]>;
  /** The same, with the damaged entries listed instead of thrown. */
  inspect(workflowId: string): Promise<{ entries: JournalEntry[]; damaged: DamagedEntry[] }>;
  /** The ids of all workflows that have entries. */
  workflows(): Promise<string[]>;
  /** Moves a damaged entry out of the journal, to `damaged/`. Harmless to repeat. */
  setAside(damaged: DamagedEntry): Promise<void>;
}

/** A file of the journal that cannot be believed. */
export interface DamagedEntry {
  /** The key that the file stands for, by its name. */
  readonly key: string;
  /** In the run's store. */
  readonly name: string;
  /** What is wrong with it, such as `it is empty`. */
  readonly problem: string;
}

/** The journal is not as the run left it: an entry is missing or damaged. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** The journal inside a run's store. */
export function openJournal(store: Store): Journal {
  // A dialogue reads each of its answers in the turn after: what was written here need not be read and checked again.
  const written = new LRUCache<string, JournalEntry>({
    maxSize: MOST_KEPT,
    sizeCalculation: ({ key, answer }) => key.length + answer.text.length,
  });
  const find = async (key: string) => {
    const kept = written.get(key);
    if (kept !== undefined) return kept;
    const name = nameOf(key);
    const text = await store.read(name);
    return text === undefined ? undefined : readEntry(name, key, text);
  };
  const get = async (key: string) => {
    const entry = await find(key);
    if (entry !== undefined) return entry;
    throw createMissingEntryError(key);
  };
  const inspect = async (workflowId: string) => {
    const names = (await store.list(buildFolderName(workflowId))).filter((name) => ENTRY.test(name));
    const read = await Promise.all(
      names.map(async (name) => checkEntry(name, buildKey(workflowId, name), (await store.read(name)) ?? '')),
    );
    return {
      entries: read.flatMap((one) => ('entry' in one ? [one.entry] : [])),
      damaged: read.flatMap((one) => ('damaged' in one ? [one.damaged] : [])),
    };
  };
  return {
    find,
    get,
    async append(entry) {
      const isNew = await store.create(nameOf(entry.key), renderEntry(entry));
      if (!isNew) return get(entry.key);
      written.set(entry.key, entry);
      return entry;
    },
    async ofWorkflow(workflowId) {
      const { entries, damaged } = await inspect(workflowId);
      const [first] = damaged;
      if (first !== undefined) throw createDamageError(first);
      return entries;
    },
    inspect,
    async workflows() {
      const folders = await store.list(JOURNAL);
      return folders.map((folder) => decodeURIComponent(folder.slice(JOURNAL.length + 1)));
    },
    async setAside({ key, name }) {
      written.delete(key);
      const aside = `damaged/${name.slice(JOURNAL.length + 1)}`;
      const taken = new Set(await store.list(aside.slice(0, aside.lastIndexOf('/'))));
      let number = 1;
      while (taken.has(`${aside}.${number}`)) number += 1;
      await store.move(name, `${aside}.${number}`);
    },
    async keysOf(workflowId) {
      const names = await store.list(buildFolderName(workflowId));
      return names.map((name) => buildKey(workflowId, name));
    },
  };
}

/** The text of an entry's file: its fields, then the SHA-256 of all that stands before it. */
export function renderEntry(entry: JournalEntry): string {
  const fields = JSON.stringify(entry).slice(0, -1);
  return `${fields},"sha256":"${computeDigest(fields)}"}\n`;
}

/** @throws JournalError that names the file and what is wrong with it */
export function readEntry(name: string, key: string, text: string): JournalEntry {
  const checked = checkEntry(name, key, text);
  if ('entry' in checked) return checked.entry;
  throw createDamageError(checked.damaged);
}

/** The entry in the text of a journal file, or what is wrong with it. */
export function checkEntry(
  name: string,
  key: string,
  text: string,
): { readonly entry: JournalEntry } | { readonly damaged: DamagedEntry } {
  const damaged = (problem: string) => ({ damaged: { key, name, problem } });
  if (text.trim() === '') return damaged('it is empty');
  const { fields, sha256 } =
    /^(?<fields>.*),"sha256":"(?<sha256>[0-9a-f]{64})"\}\n$/s.exec(text)?.groups ?? {};
  if (fields === undefined) return damaged('it does not end with its SHA-256');
  if (computeDigest(fields) !== sha256) return damaged('its content does not match its SHA-256');
  const content = parseJson(`${fields}}`);
  const parsed = journalEntrySchema.safeParse(content);
  if (!parsed.success) return damaged(describeIssues('its content', parsed.error, content));
  if (parsed.data.key !== key) return damaged(`it belongs to another call, ${parsed.data.key}`);
  return { entry: parsed.data };
}

/** The error for an entry that there was once, and that is needed. */
export function createMissingEntryError(key: string): JournalError {
  return new JournalError(
    `The journal entry .cupid/${nameOf(key)} is missing, and later answers were built on it. ${REPAIR}`,
  );
}

function createDamageError({ name, problem }: DamagedEntry): JournalError {
  return new JournalError(`The journal entry .cupid/${name} is damaged: ${problem}. ${REPAIR}`);
}

/** How every damage of the journal is repaired. */
const REPAIR =
  'To ask the model again from that call on, run: cupid retry RUN --damaged (RUN is the folder of the run).';

// A file with a right digest can still be none of ours.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Characters of the answers of a few hundred turns: more than are between the calls in flight and their next turns. */
const MOST_KEPT = 1_000_000;

const JOURNAL = 'journal';
/** Other files in a journal's folder are not entries: an editor's copy, for example. */
const ENTRY = /\/g\d+\.[^/]*\.a\d+\.json$/;

function nameOf(key: string): string {
  const split = key.lastIndexOf('#');
  return `${buildFolderName(key.slice(0, split))}/${key.slice(split + 1)}.json`;
}

function buildKey(workflowId: string, name: string): string {
  return `${workflowId}#${name.slice(name.lastIndexOf('/') + 1, -'.json'.length)}`;
}

function buildFolderName(workflowId: string): string {
  return `${JOURNAL}/${encodeURIComponent(workflowId)}`;
}
