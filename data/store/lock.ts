import {
  closeSync,
  fstatSync,
  ftruncateSync,
  readFileSync,
  statfsSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';
import * as z from 'zod';
import { omitUndefined } from '../../schemas/omit-undefined';
import { parseJson } from '../../schemas/text/issues';
import { makeDirectories } from './directories';
import { openFileSync, openIfThereSync, readTextIfThere } from './own-file';
import { getErrorCode, withFileName } from './system-error';

const holderSchema = z.object({
  host: z.string(),
  /** Number in its own PID namespace; another container may see another number. */
  pid: z.number().int(),
  /** Time when it took the lock, in ISO 8601. */
  since: z.string(),
  /** Present for `cupid server`, which shows the workflows of a run and does not drive it. */
  command: z.literal('server').optional(),
});
export type LockHolder = z.infer<typeof holderSchema>;

/** Another living process holds the lock. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
  constructor(
    readonly file: string,
    readonly holder: LockHolder,
  ) {
    super(`held by process ${holder.pid} on ${holder.host} since ${holder.since} (${file})`);
  }
}

/**
 * Takes the lock in this file for this process. The kernel holds it, so it ends with the process, and also excludes processes of other
 * containers on this machine. The file names the holder, and stays, empty, after the release. On a file system of several
 * machines, a lock with another host's name is never taken: the two kernels may not share their locks.
 * @param within the folder above it that the user named
 * @param command of this process, if the lock says so
 * @returns the function that releases it
 * @throws LockedError when another process holds it, IrregularFile when the file is a link, for example
 */
export async function takeLock(
  file: string,
  within: string,
  command?: LockHolder['command'],
): Promise<() => void> {
  const removeMade = await makeDirectories(dirname(file), { mode: 0o700, within });
  try {
    for (;;) {
      const fd = await lockFile(file, within);
      if (fd !== undefined) return signLock(file, fd, command);
      const holder = await findLockHolder(file, within);
      if (holder !== undefined) throw new LockedError(file, holder);
    }
  } catch (error) {
    await removeMade();
    throw withFileName(error, file);
  }
}

function signLock(file: string, fd: number, command: LockHolder['command']): () => void {
  try {
    const left = parseHolder(readFileSync(fd, 'utf8'));
    if (left !== undefined && mayBeElsewhere(left, file)) throw new LockedError(file, left);
    const holder: LockHolder = omitUndefined({
      host: hostname(),
      pid: process.pid,
      since: new Date().toISOString(),
      command,
    });
    ftruncateSync(fd);
    writeSync(fd, JSON.stringify(holder));
  } catch (error) {
    // No other process can have it while this one holds it.
    if (!(error instanceof LockedError)) unlinkSync(file);
    closeSync(fd);
    throw error;
  }
  return () => {
    // By descriptor instead of name: the name may lead to another process's file by now.
    ftruncateSync(fd);
    closeSync(fd);
  };
}

/**
 * Opens or creates a file and takes an exclusive lock on it; undefined while another process holds it. The lock lasts until every copy of
 * the descriptor is closed, so a child process that inherits one holds it too.
 */
export async function lockFile(file: string, within: string): Promise<number | undefined> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const fd = openFileSync(file, within, 'update', 0o600);
    // The file may have been deleted before it was locked; such a lock excludes no other process.
    if (requestLock(fd, file, { shared: false }) && isSameFile(fd, file)) return fd;
    closeSync(fd);
    // A process that checks the lock holds it for a moment.
    await wait(RETRY_MS);
  }
  return undefined;
}

/** Finds the living process that holds the lock in this file; undefined if there is none. */
export async function findLockHolder(file: string, within: string): Promise<LockHolder | undefined> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const holder = await readHolder(file, within);
    if (holder !== undefined && mayBeElsewhere(holder, file)) return holder;
    if (!isLocked(file, within)) return undefined;
    if (holder !== undefined) return holder;
    // It is locked, but its holder has not written its name yet.
    await wait(RETRY_MS);
  }
  throw new Error(`${file} is locked by a process that has not written its number to it. Try again.`);
}

/** Returns whether a holder may be on another machine, whose locks this machine's kernel does not know. */
function mayBeElsewhere({ host }: LockHolder, file: string): boolean {
  if (host === hostname()) return false;
  // The name also changes with a container, or with the network of a laptop.
  return LOCAL_FILE_SYSTEMS[process.platform]?.has(statfsSync(dirname(file)).type) !== true;
}

/** Types (`statfs`) of file systems that one machine uses at a time. */
const LOCAL_FILE_SYSTEMS: { readonly [platform in NodeJS.Platform]?: ReadonlySet<number> } = {
  linux: new Set([
    0xef53, // ext2, ext3, ext4
    0x58465342, // XFS
    0x9123683e, // Btrfs
    0xf2f52010, // F2FS
    0xca451a4e, // bcachefs
    0x2fc12fc1, // ZFS
    0x01021994, // tmpfs
    0x794c7630, // OverlayFS
  ]),
  darwin: new Set([0x1a]), // APFS
};

export function isLocked(file: string, within: string): boolean {
  const fd = openIfThereSync(file, within);
  if (fd === undefined) return false;
  try {
    return !requestLock(fd, file, { shared: true });
  } finally {
    closeSync(fd);
  }
}

const TRIES = 10;
const RETRY_MS = 20;

function requestLock(fd: number, file: string, options: { readonly shared: boolean }): boolean {
  try {
    return tryLock(fd, options);
  } catch (error) {
    throw new Error(
      `${file} cannot be locked: its file system does not support file locks (${getErrorCode(error) ?? String(error)}). Use a folder on a file system that supports them.`,
      { cause: error },
    );
  }
}

function isSameFile(fd: number, file: string): boolean {
  const current = statSync(file, { throwIfNoEntry: false });
  const opened = fstatSync(fd);
  return current?.ino === opened.ino && current.dev === opened.dev;
}

async function readHolder(file: string, within: string): Promise<LockHolder | undefined> {
  const text = await readTextIfThere(file, within);
  return text === undefined ? undefined : parseHolder(text);
}

/** Returns undefined if the lock was released, or its holder died while writing. */
function parseHolder(text: string): LockHolder | undefined {
  return parseJson(holderSchema, 'lock', text).value;
}
