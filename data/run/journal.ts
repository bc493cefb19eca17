import { LRUCache } from 'lru-cache';
import { journalEntrySchema, type JournalEntry } from '../../schemas/run/journal';
import { parseJson } from '../../schemas/text/issues';
import type { Store } from '../store/store';
import {
  getPersonaWorkflow,
  getWorkflowId,
  groupByPersona,
  openPacks,
  PACKS,
  type PackedEntry,
} from './journal-packs';
import { openSealedJson, sealJson } from '../store/stored-json';

/**
 * Record of every answered model call: one file per call, one folder per workflow. The file of key `run/p17/s3#r0.user.t4.a0` is
 * `journal/run%2Fp17%2Fs3/r0.user.t4.a0.json`. cupid counts the attempts in a key, because Temporal's count changes with the engine.
 * An entry is durable before the activity returns, and every read checks its SHA-256 and key. So a crash or the loss of the engine
 * repeats no answered call. The files of a complete persona are packed into one object (`journal-packs.ts`). An entry is packed before
 * its file is removed, and the packed one counts, so readers look at files first and at packs afterwards.
 */
export interface Journal {
  /** Returns the entry under this key; undefined if the call was never answered. @throws JournalError when it is damaged */
  find(key: string): Promise<JournalEntry | undefined>;
  /** Returns the entry under this key. @throws JournalError when it is missing or damaged */
  get(key: string): Promise<JournalEntry>;
  /** Stores an answered call durably. If another process has already stored an answer under this key, that one stays and is returned. */
  append(entry: JournalEntry): Promise<JournalEntry>;
  /** Returns all entries of one workflow, in order of their keys. @throws JournalError when one is damaged */
  ofWorkflow(workflowId: string): Promise<JournalEntry[]>;
  /**
   * Packs all entries of a persona's workflows, and returns them, workflow by workflow, in order of their keys. Idempotent.
   * @throws JournalError when one is damaged; then none is packed
   */
  pack(workflowIds: readonly string[]): Promise<JournalEntry[]>;
  /** Lists the present entries without reading them. */
  list(): Promise<JournalListing>;
  /** Returns all entries of one workflow, and lists the damaged ones instead of throwing. */
  inspect(workflowId: string): Promise<{ entries: JournalEntry[]; damaged: DamagedEntry[] }>;
  workflows(): Promise<string[]>;
  /** Moves damaged entries to `damaged/`, together with their packs, whose sound entries become files. Idempotent. */
  setAside(damaged: readonly DamagedEntry[]): Promise<void>;
}

/** Entries that the journal had when it was listed. */
interface JournalListing {
  /** Returns the keys of a workflow's entries, in order; those of a persona include its dialogues, whose names it begins. */
  keysOf(workflowId: string): Promise<string[]>;
}

/** A damaged file of the journal. */
export interface DamagedEntry {
  /** Key that the file's name stands for. */
  readonly key: string;
  /** Name in the run's store. */
  readonly name: string;
  /** Predicate of a sentence, such as `it is empty`. */
  readonly problem: string;
}

/** An entry of the journal is missing or damaged. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

export function openJournal(store: Store): Journal {
  // The next turn of a dialogue reads this answer, and its persona's pack all of them. The files need not be read and checked again.
  const writtenEntries = new LRUCache<string, JournalEntry>({
    maxSize: MOST_KEPT,
    sizeCalculation: ({ key, answer: { text, raw = '' } }) => key.length + text.length + raw.length,
  });
  const packs = openPacks(store);
  const readFile = async (name: string, cache?: typeof writtenEntries): Promise<StoredText> => {
    const key = parseName(name);
    const entry = cache?.peek(key);
    return entry === undefined
      ? { key, name, text: await store.read(name) }
      : { key, name, text: renderEntry(entry), entry };
  };
  const readFiles = async (workflowId: string, cache?: typeof writtenEntries): Promise<StoredText[]> => {
    const names = (await store.list(buildJournalFolderName(workflowId))).filter((name) => ENTRY.test(name));
    return Promise.all(names.map((name) => readFile(name, cache)));
  };
  /** @param cache entries whose files are not read again, because this process wrote them */
  const readTexts = async (workflowIds: readonly string[], cache?: typeof writtenEntries) => {
    const files = (await Promise.all(workflowIds.map((id) => readFiles(id, cache)))).flat();
    const packed = (await Promise.all(workflowIds.map((id) => packs.ofWorkflow(id)))).flat();
    const keys = new Set(packed.map(({ key }) => key));
    // A file that vanished since the listing was packed.
    const unpacked = files.flatMap(({ text, ...file }) =>
      text === undefined || keys.has(file.key) ? [] : [{ ...file, text }],
    );
    return {
      files,
      unpacked,
      all: [...unpacked, ...packed].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    };
  };
  const find = async (key: string) => {
    const writtenEntry = writtenEntries.get(key);
    if (writtenEntry !== undefined) return writtenEntry;
    const name = buildEntryName(key);
    const text = await store.read(name);
    const packed = await packs.find(key);
    if (packed !== undefined) return readEntry(packed.name, key, packed.text);
    return text === undefined ? undefined : readEntry(name, key, text);
  };
  const get = async (key: string) => {
    const entry = await find(key);
    if (entry !== undefined) return entry;
    throw createMissingEntryError(key);
  };
  const inspect = async (workflowId: string) => check((await readTexts([workflowId])).all);
  /** Finds an unused name for a damaged file. */
  const findNameAside = async (name: string) => {
    const aside = `damaged/${name.replace(`${JOURNAL}/`, '')}`;
    const names = new Set(await store.list(aside.slice(0, aside.lastIndexOf('/'))));
    let number = 1;
    while (names.has(`${aside}.${number}`)) number += 1;
    return `${aside}.${number}`;
  };
  /** Writes the sound entries of a pack to files, and empties it. */
  const setPackAside = async (name: string) => {
    const entries = (await packs.read(name)) ?? [];
    const text = await store.read(name);
    if (entries.length === 0 || text === undefined) return;
    for (const entry of entries) {
      if ('entry' in checkEntry(name, entry.key, entry.text))
        await store.create(buildEntryName(entry.key), entry.text);
    }
    await store.write(await findNameAside(name), text);
    await packs.clear(name);
  };
  return {
    find,
    get,
    async append(entry) {
      const isNew = await store.create(buildEntryName(entry.key), renderEntry(entry));
      // An attempt that Temporal abandoned may answer after its persona was packed.
      if (!isNew || (await packs.find(entry.key)) !== undefined) return get(entry.key);
      writtenEntries.set(entry.key, entry);
      return entry;
    },
    ofWorkflow: async (workflowId) => requireSound(await inspect(workflowId)),
    async pack(workflowIds) {
      for (;;) {
        const number = (await packs.count(workflowIds)) + 1;
        const { files, unpacked, all } = await readTexts(workflowIds, writtenEntries);
        const entries = requireSound(check(all));
        if (unpacked.length > 0 && !(await packs.create(number, unpacked))) continue;
        await store.remove(files.map(({ name }) => name));
        for (const { key } of files) writtenEntries.delete(key);
        return entries;
      }
    },
    inspect,
    async list() {
      // Files before packs: an entry that is packed in between is then found in its pack.
      const keys: string[] = [];
      for await (const name of store.all(JOURNAL)) if (ENTRY.test(name)) keys.push(parseName(name));
      const unpacked = groupByPersona(keys, getWorkflowId);
      const packed = await packs.list();
      return {
        async keysOf(workflowId) {
          const persona = getPersonaWorkflow(workflowId);
          const inPacks = await Promise.all((packed.get(persona) ?? []).map((name) => packs.keysOf(name)));
          const personaKeys = new Set([...(unpacked.get(persona) ?? []), ...inPacks.flat()]);
          return [...personaKeys].filter((key) => isBelow(workflowId, getWorkflowId(key))).toSorted();
        },
      };
    },
    async workflows() {
      const ids = new Set((await store.list(JOURNAL)).map(parseFolderName));
      for (const name of [...(await packs.list()).values()].flat()) {
        for (const key of await packs.keysOf(name)) ids.add(getWorkflowId(key));
      }
      return [...ids];
    },
    async setAside(damaged) {
      for (const { key, name } of damaged) {
        writtenEntries.delete(key);
        if (name.startsWith(`${PACKS}/`)) await setPackAside(name);
        else await store.move(name, await findNameAside(name));
      }
    },
  };
}

type StoredText = Omit<PackedEntry, 'text'> & { readonly text: string | undefined } & WrittenEntry;

/** The entry of a text that this process rendered. */
interface WrittenEntry {
  readonly entry?: JournalEntry;
}

function check(texts: readonly (PackedEntry & WrittenEntry)[]): {
  entries: JournalEntry[];
  damaged: DamagedEntry[];
} {
  const checked = texts.map(({ name, key, text, entry }) =>
    entry === undefined ? checkEntry(name, key, text) : { entry },
  );
  return {
    entries: checked.flatMap((result) => ('entry' in result ? [result.entry] : [])),
    damaged: checked.flatMap((result) => ('damaged' in result ? [result.damaged] : [])),
  };
}

function requireSound({ entries, damaged: [first] }: ReturnType<typeof check>): JournalEntry[] {
  if (first !== undefined) throw createDamagedEntryError(first);
  return entries;
}

/** Renders an entry's file: its fields, then the SHA-256 of all that stands before it. */
export function renderEntry(entry: JournalEntry): string {
  return sealJson(entry);
}

/** @throws JournalError that names the file and what is wrong with it */
export function readEntry(name: string, key: string, text: string): JournalEntry {
  const checked = checkEntry(name, key, text);
  if ('entry' in checked) return checked.entry;
  throw createDamagedEntryError(checked.damaged);
}

/** Parses and checks a journal file; returns the entry, or its problem. */
export function checkEntry(
  name: string,
  key: string,
  text: string,
): { readonly entry: JournalEntry } | { readonly damaged: DamagedEntry } {
  const damaged = (problem: string) => ({ damaged: { key, name, problem } });
  const opened = openSealedJson(text);
  if ('problem' in opened) return damaged(opened.problem);
  const { value: entry, problem } = parseJson(journalEntrySchema, 'its content', opened.json);
  if (problem !== undefined) return damaged(problem);
  if (entry.key !== key) return damaged(`it belongs to another call, ${entry.key}`);
  return { entry };
}

export function createMissingEntryError(key: string): JournalError {
  return new JournalError(
    `The journal entry .cupid/${buildEntryName(key)} is missing, and later answers were built on it. ${REPAIR}`,
  );
}

function createDamagedEntryError({ name, problem }: DamagedEntry): JournalError {
  return new JournalError(`The journal entry .cupid/${name} is damaged: ${problem}. ${REPAIR}`);
}

/** Remedy for all damage of the journal; the command line puts the folder in place of RUN. */
const REPAIR = 'To ask the model again from that call on, run: cupid retry RUN --damaged';

/** Maximum size in characters: the answers of some ten personas in progress, at the paper's lengths. */
const MOST_KEPT = 4_000_000;

const JOURNAL = 'journal';
/** Matches entries; other files in a journal's folder may be an editor's copies, for example. */
const ENTRY = /\/r\d+\.[^/]*\.a\d+\.json$/;

function buildEntryName(key: string): string {
  const split = key.lastIndexOf('#');
  return `${buildJournalFolderName(key.slice(0, split))}/${key.slice(split + 1)}.json`;
}

function isBelow(workflowId: string, descendant: string): boolean {
  return descendant === workflowId || descendant.startsWith(`${workflowId}/`);
}

function parseName(name: string): string {
  const split = name.lastIndexOf('/');
  return `${parseFolderName(name.slice(0, split))}#${name.slice(split + 1, -'.json'.length)}`;
}

function parseFolderName(name: string): string {
  return decodeURIComponent(name.slice(JOURNAL.length + 1));
}

function buildJournalFolderName(workflowId: string): string {
  return `${JOURNAL}/${encodeURIComponent(workflowId)}`;
}
