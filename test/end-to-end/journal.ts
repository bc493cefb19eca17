import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Running } from './command';

/** The journal entries of a run's folder, by path: what distinguishes one writing of an entry from the next. */
export type JournalSnapshot = ReadonlyMap<string, string>;

/** An entry is written by renaming a new file into its place, so a call that is made again changes its file's number. */
export async function readJournalSnapshot(runFolder: string): Promise<JournalSnapshot> {
  const paths = await entryPaths(runFolder);
  const entries = paths.map(async (path) => {
    const { ino, mtimeNs } = await stat(path, { bigint: true });
    return [path, `${ino} ${mtimeNs}`] as const;
  });
  return new Map(await Promise.all(entries));
}

export async function countJournalEntries(runFolder: string): Promise<number> {
  return (await entryPaths(runFolder)).length;
}

/** The entries of an earlier snapshot that have been written again, or are gone, since: calls made twice. */
export function listRepeated(before: JournalSnapshot, after: JournalSnapshot): string[] {
  return [...before].filter(([path, file]) => after.get(path) !== file).map(([path]) => path);
}

/** Resolves when the journal has that many entries. @throws Error with what the command said when it ends before. */
export async function untilJournalHas(runFolder: string, entries: number, running: Running): Promise<void> {
  let over = false;
  void running.ended.then(() => (over = true));
  for (let has = 0; has < entries; has = await countJournalEntries(runFolder)) {
    if (over) {
      const { code, signal, stderr } = await running.ended;
      const end = `the command ended (${code ?? signal}) when the journal had ${has} of ${entries} entries`;
      throw new Error(`${end}; it said:\n${stderr}`);
    }
    await wait(50);
  }
}

async function entryPaths(runFolder: string): Promise<string[]> {
  const journal = join(runFolder, '.cupid', 'journal');
  const folders = await readdir(journal).catch(missing);
  const paths = await Promise.all(
    folders.map(async (folder) => {
      const files = await readdir(join(journal, folder)).catch(missing);
      // Others are being written, or were when somebody was killed.
      return files.filter((file) => /^g\d+\..*\.json$/.test(file)).map((file) => join(journal, folder, file));
    }),
  );
  return paths.flat();
}

function missing(error: unknown): string[] {
  // By shape: Node's own errors are of another realm than the tests'.
  if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}
