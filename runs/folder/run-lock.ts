import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeDirectories } from '../../data/store/directories';
import { explainError } from '../../data/store/explain-error';
import { findEntry, IrregularFile, listDirectory, trackLockedFolder } from '../../data/store/own-file';
import { LockedError, takeLock, type LockHolder } from '../../data/store/lock';
import { removeStoreLocation, writeStoreLocation } from '../../data/store/open-store';
import { removeUnfinished, type Store } from '../../data/store/store';
import { takeStoreLock } from '../../data/store/store-lock';
import { ignoreMissing } from '../../data/store/system-error';
import { getReason } from '../../data/store/data-error';
import { quotePath } from '../../schemas/text/shell-text';
import { RunFolderError } from './run-folder-error';

/** The part of a run folder that locking needs. */
interface LockableFolder {
  readonly kind: { readonly flag: string; readonly hasPlan: (store: Store) => Promise<boolean> };
  readonly path: string;
  readonly scratch: string;
  readonly store: Store;
  readonly location?: string;
}

/** Keeps other processes from driving a run. */
interface RunLock extends AsyncDisposable {
  /** Never resolves; rejects when another process took over the lock, because this one was out of reach for too long. */
  readonly lost: Promise<never>;
}

/**
 * Makes this process the only driver of the folder's run until the result is disposed of. New directories that are still empty are then
 * removed.
 * @param report receives a line while waiting for the lock of a store
 * @param command of this process, if it does not drive the run
 * @throws RunFolderError; Error when another process drives the run of its store
 */
export async function lockRunFolder(
  folder: LockableFolder,
  report: (line: string) => void = () => undefined,
  command?: LockHolder['command'],
): Promise<RunLock> {
  const folderLock = await lockFolder(folder, command);
  const { kind, path, store, location } = folder;
  const losing = new AbortController();
  const lossOfLock = new Promise<never>((_, reject) => {
    losing.signal.addEventListener('abort', () => reject(losing.signal.reason));
  });
  lossOfLock.catch(() => undefined);
  if (location === undefined)
    return { lost: lossOfLock, [Symbol.asyncDispose]: () => folderLock[Symbol.asyncDispose]() };
  try {
    const shared = await takeStoreLock(store, path, report, () =>
      losing.abort(
        new RunFolderError(
          `Another process now drives the run at ${location}, because this one did not renew its lock in time.`,
        ),
      ),
    );
    await writeStoreLocation(path, location);
    return {
      lost: lossOfLock,
      async [Symbol.asyncDispose]() {
        try {
          if (!(await kind.hasPlan(store))) await removeStoreLocation(path);
          await shared[Symbol.asyncDispose]();
        } finally {
          await folderLock[Symbol.asyncDispose]();
        }
      },
    };
  } catch (error) {
    await folderLock[Symbol.asyncDispose]();
    throw error;
  }
}

async function lockFolder(
  { kind, path, scratch, store, location }: LockableFolder,
  command: LockHolder['command'],
): Promise<AsyncDisposable> {
  try {
    const lock = getLockFile(path);
    const removeMade = await makeDirectories(dirname(lock), { mode: 0o700, within: path });
    try {
      const unlock = await takeLock(lock, path, command);
      const stopTracking = trackLockedFolder(path, lock);
      const release = () => {
        stopTracking();
        unlock();
      };
      const leave = async () => {
        // Nothing is left here of a folder that was moved.
        const entries = (await listDirectory(dirname(lock), path).catch(ignoreMissing)) ?? [];
        const isUnused = entries.every(({ name }) => name === basename(lock));
        if (isUnused) await rm(lock, { force: true });
        release();
      };
      try {
        await removeUnfinished(path);
        // Left by a process that died while it built data sets. A worker that builds some right now gets the work again.
        await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
        // A file system without hard links could not keep the first answer that is paid for.
        if (location === undefined) {
          await store.create(TRIAL, '');
          await store.remove([TRIAL]);
        }
      } catch (error) {
        await leave();
        throw error;
      }
      return {
        async [Symbol.asyncDispose]() {
          await leave();
          await removeMade();
        },
      };
    } catch (error) {
      await removeMade();
      throw error;
    }
  } catch (error) {
    if (error instanceof LockedError) throw createInUseError(path, error);
    if (error instanceof IrregularFile) throw error;
    // Only a write shows whether a folder is writable: root, for example, may write everywhere except to a read-only disk.
    // Another folder is no remedy for a run that exists.
    const explanation = existsSync(dirname(getLockFile(path))) ? explainError(error) : undefined;
    const problem =
      explanation ?? `${path} cannot be written (${getReason(error)}). Name another ${kind.flag}.`;
    throw new RunFolderError(problem, { cause: error });
  }
}

/** Name of the file that is created to check the file system. */
const TRIAL = 'trial';

/** Returns the lock file of the process that drives a folder's run. */
export function getLockFile(path: string): string {
  return join(path, '.cupid', 'lock');
}

/** Returns when the process that drives a folder's run last wrote to its lock or a ledger. */
export async function readLastWrite(path: string): Promise<Date> {
  const lock = getLockFile(path);
  const ledgers = join(dirname(lock), 'ledger');
  const entries = (await listDirectory(ledgers, path).catch(ignoreMissing)) ?? [];
  const stats = await Promise.all(
    [lock, ...entries.map(({ name }) => join(ledgers, name))].map((file) => findEntry(file, path)),
  );
  return new Date(Math.max(0, ...stats.map((entry) => entry?.mtimeMs ?? 0)));
}

/** @param name of the folder, as the user gave it */
export function createInUseError(name: string, { holder, file }: LockedError): RunFolderError {
  const { pid, host, since } = holder;
  const remedy =
    holder.command === 'server'
      ? describeServer(holder)
      : `Wait for it to finish (cupid status ${quotePath(name)} --watch shows its progress), or stop it with Ctrl-C.`;
  const leftover = host === hostname() ? '' : ` If that machine no longer exists, delete ${file}.`;
  return new RunFolderError(
    `${name} is in use by process ${pid} on ${host}, since ${since}. ${remedy}${leftover}`,
  );
}

/** Describes the process of a `cupid server`, and how to stop it. */
export function describeServer({ pid, host }: Pick<LockHolder, 'pid' | 'host'>): string {
  const stop = host === hostname() ? 'Stop it' : `Stop it on ${host}`;
  return `It is a cupid server, which shows the workflows of the run. ${stop}: kill ${pid}.`;
}

/** Returns whether a process drives the run: a `cupid server` only shows its workflows. */
export function isDriven({ holder }: { readonly holder?: LockHolder | undefined }): boolean {
  return holder !== undefined && holder.command !== 'server';
}
