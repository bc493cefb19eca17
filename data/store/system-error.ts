import { StoreError } from './store-error';

/** Returns the code of a system error, such as `ENOENT`; undefined for every other error. */
export function getErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns true for the error of a path that nothing stands at, or that leads through a file. */
export function isMissing(error: unknown): boolean {
  const code = getErrorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/**
 * What keeps something from being stored or read, when that is nothing the program did: `disk-full`, `disk` for a folder that is
 * read-only, a disk that is gone, too many open files, or `store` for object storage. It succeeds once somebody has fixed it.
 */
export function classifyDiskError(error: unknown): 'disk-full' | 'disk' | 'store' | undefined {
  if (error instanceof StoreError) return 'store';
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
  'EBUSY',
  'ESTALE',
  'ENODEV',
  'ENXIO',
]);

/** Returns the error of writing a file, with the file's name: of a full disk, the system does not say which file was being written. */
export function withFileName(error: unknown, file: string): unknown {
  const isNameless = error instanceof Error && classifyDiskError(error) !== undefined && !('path' in error);
  if (isNameless && !error.message.includes(file)) error.message += ` '${file}'`;
  return error;
}

/** Milliseconds between two tries of what the disk refuses. */
export const DISK_WAIT_MS = 5_000;
