import { dirname, join, relative, sep } from 'node:path';
import type * as z from 'zod';
import { parseJson } from '../../schemas/text/issues';
import { quotePath } from '../../schemas/text/shell-text';
import { hashFile, hashText } from '../store/files';
import { findEntry, readTextIfThere } from '../store/own-file';
import type { NamedFile } from '../store/named-file';
import { DataError } from '../store/data-error';
import { readOutputRecord } from './output-record';

/*
 * The one place where files that a run wrote are compared with what it wrote: whoever shows, copies or exports one reads it as written, or
 * gets an error with the command that writes it again. Files of no run have no hash here. Cards are left out, because people edit them.
 */

/** Comparisons of this process, by file: a large file is hashed once. */
const checked = new Map<string, { readonly state: string; readonly check: Promise<void> }>();

/**
 * Compares a file with the SHA-256 that its run keeps, once for each state of the file, if it is as written. A file that no run wrote passes.
 * @param sha256 its SHA-256, if it was computed
 * @throws DataError that names the file and how to get it back
 */
export async function requireAsWritten({ path, name, within }: NamedFile, sha256?: string): Promise<void> {
  const state = await findState(path, within);
  if (state === undefined) return;
  const latest = checked.get(path);
  if (latest?.state === state) return latest.check;
  const check = compareWithRecord({ path, name }, async (isAgain) =>
    sha256 === undefined || isAgain ? (await hashFile(path, within)).sha256 : sha256,
  );
  checked.set(path, { state, check });
  // The record may be what was wrong, and is not part of the state.
  check.catch(() => checked.delete(path));
  return check;
}

/**
 * Reads a text that a run may have written; undefined if there is none.
 * @throws DataError when it is not what its run wrote
 */
export async function readAsWritten(path: string, within: string): Promise<string | undefined> {
  let text = await readTextIfThere(path, within);
  if (text === undefined) return undefined;
  await compareWithRecord({ path, name: path }, async (isAgain) => {
    if (isAgain) text = await readTextIfThere(path, within);
    return hashText(text ?? '');
  });
  return text;
}

/**
 * Reads and parses a JSON file that a run may have written; undefined if there is none.
 * @param remedy what to do about an invalid file
 * @throws DataError when it is not what its run wrote, or that names the missing or invalid field, and the remedy
 */
export async function readJsonAsWritten<T>(
  schema: z.ZodType<T>,
  path: string,
  within: string,
  remedy: string,
): Promise<T | undefined> {
  const text = await readAsWritten(path, within);
  if (text === undefined) return undefined;
  const { value, problem } = parseJson(schema, path, text);
  if (problem === undefined) return value;
  throw new DataError(`${problem} ${remedy}`);
}

async function findState(path: string, within: string | undefined): Promise<string | undefined> {
  const entry = await findEntry(path, within).catch(() => undefined);
  return entry && [entry.ino, entry.size, entry.mtimeMs].join(' ');
}

/** @param hash computes the SHA-256; again for a file that its run may have replaced meanwhile */
async function compareWithRecord(
  { path, name }: Pick<NamedFile, 'path' | 'name'>,
  hash: (isAgain: boolean) => Promise<string>,
): Promise<void> {
  for (const isAgain of [false, true]) {
    const output = await findWritten(path);
    // A file of no run is not hashed: it may be large.
    if (output === undefined || output.hashes.includes(await hash(isAgain))) return;
    if (isAgain) throw createError(name, output);
  }
}

interface RecordedOutput {
  /** Folder of the run. */
  readonly folder: string;
  /** Path in it. */
  readonly path: string;
  readonly hashes: readonly string[];
}

/** Finds what the run of a file keeps of it: a run's outputs are in its folder, or one level below. */
async function findWritten(path: string): Promise<RecordedOutput | undefined> {
  for (const folder of [dirname(path), dirname(dirname(path))]) {
    const innerPath = relative(folder, path).replaceAll(sep, '/');
    const hashes = (await readOutputRecord(folder))[innerPath];
    if (hashes !== undefined) return { folder, path: innerPath, hashes };
  }
  return undefined;
}

function createError(name: string, { path: innerPath, ...output }: RecordedOutput): DataError {
  // As the user named it.
  const folder = name.endsWith(`/${innerPath}`) ? name.slice(0, -innerPath.length - 1) : output.folder;
  return new DataError(
    `${name} is not what the run wrote there: its SHA-256 differs from the one in ${join(folder, '.cupid')}. If it is damaged, delete it and ${describeRemedy(innerPath, folder)}. If you edited it, copy it to a folder of its own and name that.`,
  );
}

/** Describes the command that writes an output again, without a call of a model. */
function describeRemedy(innerPath: string, folder: string): string {
  const run = quotePath(folder);
  if (/^(results\.|instances\/)/.test(innerPath)) return `run: cupid eval --results-dir ${run} --rescore`;
  if (innerPath.startsWith('verification.')) return `repeat the cupid verify command of ${run}`;
  if (/^(CUPID|audit)/.test(innerPath) && !/^CUPID-(Unverified|Raw)\//.test(innerPath))
    return `repeat the cupid review command of ${run}`;
  return `repeat the cupid synth command of ${run}`;
}
