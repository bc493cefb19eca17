import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Running } from './command';
import { untilRunning } from './processes';

/** The journal entries of a run's folder: by key, what distinguishes one writing of an entry from the next. */
export type JournalSnapshot = ReadonlyMap<string, string>;

/** Reads the digests of a run's journal entries. An entry names its call of the ledger, so a repeated call changes its digest. */
export async function readJournalSnapshot(runFolder: string): Promise<JournalSnapshot> {
  const files = await Promise.all(
    (await entryPaths(runFolder)).map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  const lines = [...files, ...(await readPackedLines(runFolder))].flatMap((text) => {
    const { key, digest } =
      /^\{"key":"(?<key>[^"]*)".*"sha256":"(?<digest>\w+)"\}\n?$/.exec(text)?.groups ?? {};
    return key === undefined || digest === undefined ? [] : [[key, digest] as const];
  });
  return new Map(lines);
}

/** Returns the path of an entry that is not packed. */
export function getEntryFile(runFolder: string, key: string): string {
  const [workflowId = '', call = ''] = key.split('#');
  return join(runFolder, '.cupid', 'journal', encodeURIComponent(workflowId), `${call}.json`);
}

export async function countJournalEntries(runFolder: string): Promise<number> {
  const files = (await entryPaths(runFolder)).map((path) => {
    const [folder = '', file = ''] = path.split('/').slice(-2);
    return `${decodeURIComponent(folder)}#${file.replace(/\.json$/, '')}`;
  });
  const packed = (await readPackedLines(runFolder)).map((line) => /^\{"key":"([^"]*)"/.exec(line)?.[1]);
  // While a persona is being packed, its entries stand twice.
  return new Set([...files, ...packed.filter((key) => key !== undefined)]).size;
}

/** Lists entries of an earlier snapshot that were rewritten or removed since: calls made twice. */
export function listRepeated(before: JournalSnapshot, after: JournalSnapshot): string[] {
  return [...before].filter(([key, digest]) => after.get(key) !== digest).map(([key]) => key);
}

/** Resolves when the journal has that many entries. @throws Error with what the command said when it ends before. */
export async function untilJournalHas(runFolder: string, entries: number, running: Running): Promise<void> {
  await untilRunning(
    running,
    `the journal had ${entries} entries`,
    async () => (await countJournalEntries(runFolder)) >= entries,
  );
}

async function entryPaths(runFolder: string): Promise<string[]> {
  const journal = join(runFolder, '.cupid', 'journal');
  const folders = await readdir(journal).catch(missing);
  const paths = await Promise.all(
    folders.map(async (folder) => {
      const files = await readdir(join(journal, folder)).catch(missing);
      // Others are being written, or were when somebody was killed.
      return files.filter((file) => /^r\d+\..*\.json$/.test(file)).map((file) => join(journal, folder, file));
    }),
  );
  return paths.flat();
}

/** Reads the entries of complete personas, which are packed. */
async function readPackedLines(runFolder: string): Promise<string[]> {
  const packs = join(runFolder, '.cupid', 'packs');
  const names = (await readdir(packs).catch(missing)).filter((name) => !name.startsWith('.'));
  const texts = await Promise.all(names.map((name) => readFile(join(packs, name), 'utf8')));
  return texts.flatMap((text) => text.split('\n').slice(1));
}

function missing(error: unknown): string[] {
  // By shape: Node's own errors are of another realm than the tests'.
  if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}
