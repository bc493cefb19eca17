import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { errorCode } from '../data/error-code';
import { hasPlan, readPlan, type RunPlan } from '../data/inputs';
import { LockedError, lockHolder, takeLock } from '../data/lock';
import { folderStore, writeAtomically, type Store } from '../data/store';
import { runFileSchema, type RunFile } from '../schemas/run';

/** A run's folder: everything of a run, and nothing of another. */
export interface RunFolder {
  readonly path: string;
  /** What `run.json` says; absent while no run was begun here. */
  readonly run?: RunFile;
  readonly store: Store;
  readonly engine: string;
  readonly logFile: string;
  /** For files on their way to the store. */
  readonly scratch: string;
}

/** A folder that cannot be worked in; the message says why and what to do. */
export class RunFolderError extends Error {
  override readonly name = 'RunFolderError';
}

/**
 * Looks at a folder without writing anything.
 * @throws RunFolderError when it is a file, cannot be written, is in use, or holds a run that this program cannot read
 */
export async function openRunFolder(name: string): Promise<RunFolder> {
  const path = resolve(name);
  await checkWritable(path, name);
  const inner = join(path, '.cupid');
  const holder = await lockHolder(lockOf(path));
  if (holder !== undefined) throw inUse(name, new LockedError(lockOf(path), holder));
  const store = folderStore(inner);
  const run = await readRunFile(path, store);
  return {
    path,
    ...(run === undefined ? {} : { run }),
    store,
    engine: join(inner, 'engine'),
    logFile: join(inner, 'worker.log'),
    scratch: join(inner, 'scratch'),
  };
}

/**
 * What the folder's run was begun with; undefined while none was begun here. A run is what its store keeps: without its
 * `run.json` it is the same run, and not to be begun anew over what is paid for.
 * @throws RunFolderError when it cannot be read
 */
export async function planOf({ path, store }: RunFolder): Promise<RunPlan | undefined> {
  try {
    return (await hasPlan(store)) ? await readPlan(store) : undefined;
  } catch (error) {
    throw new RunFolderError(
      `The run in ${path} cannot be continued: ${error instanceof Error ? error.message : String(error)}\nRestore what is missing or damaged in ${join(path, '.cupid')} from a copy, or name another --output-dir.`,
      { cause: error },
    );
  }
}

/** Makes this process the only one that drives the folder's run; until what it returns is disposed of. @throws RunFolderError */
export async function lockRunFolder({ path }: RunFolder): Promise<AsyncDisposable> {
  try {
    const release = await takeLock(lockOf(path));
    return { [Symbol.asyncDispose]: release };
  } catch (error) {
    if (error instanceof LockedError) throw inUse(path, error);
    // What may be written is sure only once it is: root, say, may everything but on a read-only disk.
    throw new RunFolderError(
      `${path} cannot be written (${error instanceof Error ? error.message : String(error)}). Name another --output-dir.`,
      { cause: error },
    );
  }
}

/**
 * Looks again, under the lock, whether the folder still holds what was read from it before the lock was taken.
 * @throws RunFolderError when another command has worked here in between
 */
export async function assertUnchanged(folder: RunFolder, plan: RunPlan | undefined): Promise<void> {
  const run = await readRunFile(folder.path, folder.store);
  const same = isDeepStrictEqual(run, folder.run) && isDeepStrictEqual(await planOf(folder), plan);
  if (!same) {
    throw new RunFolderError(
      `Another command has worked in ${folder.path} just now. Give this command again.`,
    );
  }
}

export async function writeRunFile({ path }: RunFolder, run: RunFile): Promise<void> {
  await writeAtomically(join(path, RUN_FILE), `${JSON.stringify(run, null, 2)}\n`);
}

const RUN_FILE = 'run.json';

function lockOf(path: string): string {
  return join(path, '.cupid', 'lock');
}

function inUse(name: string, { holder, file }: LockedError): RunFolderError {
  return new RunFolderError(
    `${name} is in use by process ${holder.pid} on ${holder.host}. Wait until it is done, stop it with Ctrl-C there, or name another --output-dir. (If that machine is gone for good, delete ${file}.)`,
  );
}

async function checkWritable(path: string, name: string): Promise<void> {
  let existing = path;
  for (;;) {
    try {
      const found = await stat(existing);
      if (!found.isDirectory()) {
        throw new RunFolderError(
          existing === path
            ? `${name} is a file, but a run needs a folder. Name another --output-dir.`
            : `${name} cannot be made: ${existing} is a file. Name another --output-dir.`,
        );
      }
      break;
    } catch (error) {
      if (error instanceof RunFolderError) throw error;
      const parent = dirname(existing);
      // Below a file it is ENOTDIR: the file itself is told of further up.
      const absent = ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
      if (!absent || parent === existing) {
        throw new RunFolderError(
          `${name} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
        );
      }
      existing = parent;
    }
  }
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch {
    throw new RunFolderError(`${existing} cannot be written by this user. Name another --output-dir.`);
  }
}

async function readRunFile(path: string, store: Store): Promise<RunFile | undefined> {
  const file = join(path, RUN_FILE);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return runFileSchema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    const mend = (await hasPlan(store))
      ? 'Delete it and give the same command again: the run itself is kept in .cupid, and goes on from there.'
      : 'Name another --output-dir.';
    throw new RunFolderError(`${file} cannot be read as a run of this program:\n${reason}\n${mend}`, {
      cause: error,
    });
  }
}
