import * as z from 'zod';
import { personaFillersSchema, type Filler, type PersonaFillers } from '../../schemas/evaluation/filler';
import type { Store } from '../store/store';
import { createReadCache } from '../store/read-cache';
import { findJson, RESTORE, writeJson } from '../store/stored-json';
import { buildRowFileName } from './row-files';

/**
 * Stores the fillers of personas, a file for each hundred rows. Those that are drawn once stay, so that a history never changes when the data grow.
 * @param stored entries that are in their files already
 */
export async function writeHistories(
  store: Store,
  histories: readonly PersonaFillers[],
  stored: readonly PersonaFillers[] = [],
): Promise<void> {
  const files = new Map<string, PersonaFillers[]>();
  for (const entry of histories) {
    const name = buildRowFileName(FOLDER, entry.rows[0] ?? 1);
    files.set(name, [...(files.get(name) ?? []), entry]);
  }
  const storedEntries = new Set(stored);
  for (const [name, entries] of files) {
    if (entries.every((entry) => storedEntries.has(entry))) continue;
    await writeJson(store, name, { histories: entries });
  }
}

/** Reads the fillers of all personas; empty while none were drawn. */
export async function readHistories(store: Store): Promise<PersonaFillers[]> {
  const histories: PersonaFillers[] = [];
  for (const name of await store.list(FOLDER)) histories.push(...(await readFile(store, name)));
  return histories;
}

/** Opens the fillers of personas, of which memory holds a few files. Returns a function of the persona's first row and one of its rows. */
export function openFillers(store: Store): (first: number, row: number) => Promise<readonly Filler[]> {
  const readKeptFile = createReadCache(FILES_IN_MEMORY, (name: string) => readFile(store, name));
  return async (first, row) => {
    const file = await readKeptFile(buildRowFileName(FOLDER, first));
    return file.findLast(({ rows }) => rows.includes(row))?.fillers ?? [];
  };
}

async function readFile(store: Store, name: string): Promise<PersonaFillers[]> {
  return (await findJson(historiesSchema, store, name, RESTORE))?.histories ?? [];
}

const historiesSchema = z.object({ histories: z.array(personaFillersSchema) });

const FOLDER = 'inputs/histories';
const FILES_IN_MEMORY = 8;
