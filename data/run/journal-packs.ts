import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { parseJson } from '../../schemas/text/issues';
import type { Store } from '../store/store';

/**
 * The answered calls of a kept persona in one object instead of one for each call, so that a run of many personas stays small to list, to
 * copy and to pay for. A pack is `packs/run%2Fp17.1.jsonl`: a line with the keys of its entries, then their texts in the same order. It is
 * created once and never changed; calls that are made later, by a retry, come into the persona's next pack. Packs are looked up by
 * number, up to the first that is missing, so an empty pack stays where a damaged one was.
 */
interface JournalPacks {
  /** Returns the text of a packed entry; undefined when it is in no pack. */
  find(key: string): Promise<PackedEntry | undefined>;
  ofWorkflow(workflowId: string): Promise<PackedEntry[]>;
  /** Returns the names of all packs, by their personas' workflows; reads none of them. */
  list(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Returns the keys of the entries in the pack of this name, of which it reads the first line only; none when there is no such pack. */
  keysOf(name: string): Promise<readonly string[]>;
  count(workflowIds: readonly string[]): Promise<number>;
  /** Creates the persona's pack of this number; false when another process has created it already. */
  create(number: number, entries: readonly PackedEntry[]): Promise<boolean>;
  /** Returns the entries in the pack of this name; undefined when there is none. */
  read(name: string): Promise<readonly PackedEntry[] | undefined>;
  /** Puts an empty pack in the place of this one. */
  clear(name: string): Promise<void>;
}

export interface PackedEntry {
  readonly key: string;
  /** Of the object that has it, in the run's store. */
  readonly name: string;
  /** As the entry's own file had it; empty when the pack was cut off; the text of the whole pack if no entry of it can be read. */
  readonly text: string;
}

export function openPacks(store: Store): JournalPacks {
  const known = new LRUCache<string, readonly PackedEntry[]>({
    maxSize: MOST_KEPT,
    sizeCalculation: (entries) => entries.reduce((sum, { text }) => sum + text.length + 1, 1),
  });
  const read = async (name: string) => {
    const kept = known.get(name);
    if (kept !== undefined) return kept;
    const text = await store.read(name);
    if (text === undefined) return undefined;
    const entries = parsePack(name, text);
    known.set(name, entries);
    return entries;
  };
  return {
    read,
    async clear(name) {
      await store.write(name, renderPack([]));
      known.delete(name);
    },
    async find(key) {
      const packs = await readEach(getWorkflowId(key), read);
      return packs.flat().find((entry) => entry.key === key);
    },
    async ofWorkflow(workflowId) {
      const packs = await readEach(workflowId, read);
      return packs.flat().filter(({ key }) => getWorkflowId(key) === workflowId);
    },
    list: async () => groupByPersona(await store.list(PACKS), parsePackName),
    keysOf: async (name) => (await readHeader(store, name)) ?? (await read(name))?.map(getKey) ?? [],
    async count([workflowId = '']) {
      return (await readEach(workflowId, read)).length;
    },
    async create(number, entries) {
      const name = buildPackName(getWorkflowId(entries[0]?.key ?? ''), number);
      if (name === undefined) throw new Error('Only the entries of a persona can be packed.');
      return store.create(name, renderPack(entries));
    },
  };
}

async function readEach<T>(
  workflowId: string,
  readOne: (name: string) => Promise<T | undefined>,
): Promise<T[]> {
  const found: T[] = [];
  for (let number = 1; ; number += 1) {
    const name = buildPackName(workflowId, number);
    const one = name === undefined ? undefined : await readOne(name);
    if (one === undefined) return found;
    found.push(one);
  }
}

function renderPack(entries: readonly PackedEntry[]): string {
  return `${JSON.stringify({ keys: entries.map(getKey) })}\n${entries.map(({ text }) => text).join('')}`;
}

/** Returns a pack of which no entry can be read is one entry, whose key belongs to no call. */
function parsePack(name: string, text: string): PackedEntry[] {
  const [header = '', ...lines] = text.split('\n');
  const keys = parseHeader(header);
  if (keys !== undefined) return keys.map((key, at) => ({ key, name, text: toEntryText(lines[at]) }));
  // Each entry has its key, and its own digest.
  const found = lines.flatMap((line) => {
    const key = /^\{"key":(?<key>"[^"]*")/.exec(line)?.groups?.['key'];
    return key === undefined
      ? []
      : [{ key: z.string().parse(JSON.parse(key)), name, text: toEntryText(line) }];
  });
  return found.length > 0 ? found : [{ key: `${parsePackName(name)}${WHOLE_PACK}`, name, text }];
}

function toEntryText(line: string | undefined): string {
  return line === undefined || line === '' ? '' : `${line}\n`;
}

/** Returns the keys in a pack's first line; undefined when there is no such pack, or the line is damaged. */
async function readHeader(store: Store, name: string): Promise<readonly string[] | undefined> {
  let text = '';
  for await (const block of store.blocks(name)) {
    text += block;
    const end = text.indexOf('\n');
    if (end >= 0) return parseHeader(text.slice(0, end));
  }
  return undefined;
}

function parseHeader(line: string): readonly string[] | undefined {
  return parseJson(headerSchema, 'pack', line).value?.keys;
}

const headerSchema = z.object({ keys: z.array(z.string()) });

/** Returns undefined for what belongs to no persona: descriptions are asked for several at once. */
function buildPackName(workflowId: string, number: number): string | undefined {
  const persona = getPersonaWorkflow(workflowId);
  return persona.includes('/') ? `${PACKS}/${encodeURIComponent(persona)}.${number}.jsonl` : undefined;
}

/** Returns the workflow of the persona that this one belongs to: its dialogues are named below it. One that is no persona's is its own. */
function getPersonaWorkflow(workflowId: string): string {
  return workflowId.split('/', 2).join('/');
}

/** Names by the workflow of the persona that they belong to; or by their workflow, where it is no persona's. */
export function groupByPersona(
  names: readonly string[],
  workflowOf: (name: string) => string,
): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const persona = getPersonaWorkflow(workflowOf(name));
    const group = groups.get(persona) ?? [];
    group.push(name);
    groups.set(persona, group);
  }
  return groups;
}

function parsePackName(name: string): string {
  return decodeURIComponent(name.slice(PACKS.length + 1).replace(/\.\d+\.jsonl$/, ''));
}

/** Returns whether a key stands for a pack of which no entry can be read. */
export function isWholePack(key: string): boolean {
  return key.endsWith(WHOLE_PACK);
}

const WHOLE_PACK = '#';

export function getWorkflowId(key: string): string {
  return key.slice(0, key.lastIndexOf('#'));
}

function getKey({ key }: { readonly key: string }): string {
  return key;
}

export const PACKS = 'packs';
/** Characters of the packs of some dozens of personas. */
const MOST_KEPT = 20_000_000;
