import { StoreError } from './store-error';

/** The folder that this process has locked is no longer at its path. The message names it and the remedy. */
export class FolderMoved extends Error {
  override readonly name = 'FolderMoved';
  constructor(
    readonly path: string,
    lockFile: string,
  ) {
    super(
      `${path} was moved, replaced or unmounted while this command uses it: ${lockFile} is missing or another file. Move the folder back, or stop this command (Ctrl-C) and repeat it with the new path.`,
    );
  }
}

/** Returns the code of a system error, such as `ENOENT`; undefined for every other error. */
export function getErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns true for the error of a path that does not exist, or leads through a file. */
export function isMissing(error: unknown): boolean {
  const code = getErrorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Returns undefined for the error of a path that does not exist; throws every other error. For `catch`. */
export function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/**
 * Classifies an error of storage that the program did not cause: `disk-full`, `store` for object storage, or `disk` for all else, such as a
 * moved folder, a lost disk or too many open files. Undefined for other errors. It passes once somebody has fixed the cause.
 */
export function classifyDiskError(error: unknown): 'disk-full' | 'disk' | 'store' | undefined {
  if (error instanceof StoreError) return 'store';
  if (error instanceof FolderMoved) return 'disk';
  const code = getErrorCode(error) ?? '';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'disk-full';
  return DISK.has(code) ? 'disk' : undefined;
}
const DISK = new Set([
  'EIO',
  'EACCES',
  'EPERM',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EFBIG',
  'EBUSY',
  'ESTALE',
  'ENODEV',
  'ENXIO',
]);

/** Returns the error of a write with the file's name, because the system's error of a full disk does not name it. */
export function withFileName(error: unknown, file: string): unknown {
  const isNameless = error instanceof Error && classifyDiskError(error) !== undefined && !('path' in error);
  if (isNameless && !error.message.includes(file)) error.message += ` '${file}'`;
  return error;
}

/** Milliseconds between two tries after an error of the disk. */
export const DISK_WAIT_MS = 5_000;
