import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { parseJson } from '../../schemas/text/issues';
import type { Store } from '../store/store';

export interface PackedEntry {
  readonly key: string;
  /** Name of its object in the run's store. */
  readonly name: string;
  /** Text of the entry's own file; empty if the pack was cut off; the text of the whole pack if no entry in it can be read. */
  readonly text: string;
}

/**
 * Opens the packs of a run, each with the answered calls of a finished persona in one object. One object for each call would make large runs
 * expensive to list, copy and store. A pack is `packs/run%2Fp17.1.jsonl`: a line with the keys of its entries, then their texts in the same
 * order. It is created once and never changed; the calls of a later retry go into the persona's next pack. Packs are found by counting up to
 * the first missing number, so an empty pack stays in the place of a damaged one.
 */
export function openPacks(store: Store) {
  const cache = new LRUCache<string, readonly PackedEntry[]>({
    maxSize: MOST_KEPT,
    sizeCalculation: (entries) => entries.reduce((sum, { text }) => sum + text.length + 1, 1),
  });
  const read = async (name: string): Promise<readonly PackedEntry[] | undefined> => {
    const cached = cache.get(name);
    if (cached !== undefined) return cached;
    const text = await store.read(name);
    if (text === undefined) return undefined;
    const entries = parsePack(name, text);
    cache.set(name, entries);
    return entries;
  };
  return {
    /** Returns the entries of a pack; undefined if there is none. */
    read,
    /** Replaces a pack by an empty one. */
    async clear(name: string): Promise<void> {
      await store.write(name, renderPack([]));
      cache.delete(name);
    },
    /** Returns the text of a packed entry; undefined if it is in no pack. */
    async find(key: string): Promise<PackedEntry | undefined> {
      const packs = await readEach(getWorkflowId(key), read);
      return packs.flat().find((entry) => entry.key === key);
    },
    async ofWorkflow(workflowId: string): Promise<PackedEntry[]> {
      const packs = await readEach(workflowId, read);
      return packs.flat().filter(({ key }) => getWorkflowId(key) === workflowId);
    },
    /** Lists the names of all packs by their personas' workflows, without reading them. */
    list: async () => groupByPersona(await store.list(PACKS), parsePackName),
    /** Returns the keys of the entries in a pack, of which it reads only the first line; empty if there is no such pack. */
    keysOf: async (name: string): Promise<readonly string[]> =>
      (await readHeader(store, name)) ?? (await read(name))?.map(getEntryKey) ?? [],
    async count([workflowId = '']: readonly string[]): Promise<number> {
      return (await readEach(workflowId, read)).length;
    },
    /** Creates the persona's pack of this number; false if another process has already created it. */
    async create(number: number, entries: readonly PackedEntry[]): Promise<boolean> {
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
  const packs: T[] = [];
  for (let number = 1; ; number += 1) {
    const name = buildPackName(workflowId, number);
    const pack = name === undefined ? undefined : await readOne(name);
    if (pack === undefined) return packs;
    packs.push(pack);
  }
}

function renderPack(entries: readonly PackedEntry[]): string {
  return `${JSON.stringify({ keys: entries.map(getEntryKey) })}\n${entries.map(({ text }) => text).join('')}`;
}

/** Parses a pack. One without a readable entry becomes a single entry, whose key belongs to no call. */
function parsePack(name: string, text: string): PackedEntry[] {
  const [header = '', ...lines] = text.split('\n');
  const keys = parseHeader(header);
  if (keys !== undefined) return keys.map((key, at) => ({ key, name, text: toEntryText(lines[at]) }));
  // Each entry contains its key and its own digest.
  const entries = lines.flatMap((line) => {
    const key = /^\{"key":(?<key>"[^"]*")/.exec(line)?.groups?.['key'];
    return key === undefined
      ? []
      : [{ key: z.string().parse(JSON.parse(key)), name, text: toEntryText(line) }];
  });
  return entries.length > 0 ? entries : [{ key: `${parsePackName(name)}${WHOLE_PACK}`, name, text }];
}

function toEntryText(line: string | undefined): string {
  return line === undefined || line === '' ? '' : `${line}\n`;
}

/** Reads the keys in a pack's first line; undefined if there is no such pack, or the line is damaged. */
async function readHeader(store: Store, name: string): Promise<readonly string[] | undefined> {
  let text = '';
  for await (const block of store.blocks(name, 'early')) {
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

/** Returns undefined for work outside any persona's workflow, such as a trial, or the descriptions of several personas. */
function buildPackName(workflowId: string, number: number): string | undefined {
  const persona = getPersonaWorkflow(workflowId);
  return PERSONA.test(persona) ? `${PACKS}/${encodeURIComponent(persona)}.${number}.jsonl` : undefined;
}

const PERSONA = /\/p\d+$/;

/**
 * Returns the workflow of the persona that this one belongs to, which begins the names of its dialogues. A workflow of no persona is
 * returned as it is.
 */
export function getPersonaWorkflow(workflowId: string): string {
  return workflowId.split('/', 2).join('/');
}

/** Groups names by their persona's workflow; names of no persona by their own workflow. */
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

/** Returns whether a key stands for a pack without a readable entry. */
export function isWholePack(key: string): boolean {
  return key.endsWith(WHOLE_PACK);
}

const WHOLE_PACK = '#';

export function getWorkflowId(key: string): string {
  return key.slice(0, key.lastIndexOf('#'));
}

function getEntryKey({ key }: { readonly key: string }): string {
  return key;
}

export const PACKS = 'packs';
/** Maximum size of the cache in characters: packs of a dozen personas. */
const MOST_KEPT = 4_000_000;
